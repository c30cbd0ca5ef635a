// A phone, the app that makes its own calls, and a store that was made from a raw list.

import CallKit
import Dispatch
import Foundation
import FrameworkServices
import SimulatedPhone

@testable import VoIPCallerName

/// Transmits nothing, and records the calls.
private final class NotingTransport: CallTransport {
  private let notes: Notes
  init(_ notes: Notes) { self.notes = notes }
  func start(_ call: UUID, to handle: String, video: Bool) {
    notes.add("start \(handle)\(video ? " video" : "")")
  }
  func answer(_ call: UUID, video: Bool) { notes.add(video ? "answer video" : "answer") }
  func decline(_ call: UUID) { notes.add("decline") }
  func end(_ call: UUID) { notes.add("end") }
  func setHeld(_ call: UUID, _ isHeld: Bool) { notes.add("held \(isHeld)") }
  func setMuted(_ call: UUID, _ isMuted: Bool) { notes.add("muted \(isMuted)") }
  func play(_ call: UUID, _ digits: String) { notes.add("play \(digits)") }
  func setSound(_ isActive: Bool) { notes.add(isActive ? "sound" : "silence") }
}

/// A phone with the app, as it is after a launch.
@MainActor
final class CallScene {
  /// The list as it is downloaded.
  static let raw = """
    [{"0755-12345678": "房产中介"}, {"+86 170 1234 5678": "诈骗电话"},
    {"13800138000": "快递"}, {"13800138001": ""},]
    """

  let services: FrameworkServices
  /// What the transport was asked to do.
  let notes = Notes()
  /// The tokens that the app sent to its server; "none" for one that was withdrawn.
  let tokens = Notes()
  let app: AppCalls
  let workplace: Workplace

  /// Installs and launches the app.
  ///
  /// - Parameters:
  ///   - store: another file than the store of the list.
  ///   - hasContacts: whether the blocked caller is one of the owner's contacts, Ann.
  ///   - settings: how iOS presents the calls.
  ///   - usesCallKit: whether the app may use CallKit.
  ///   - keepsHistory: whether the app keeps its recent calls in a file.
  init(
    store: String? = nil, hasContacts: Bool = false, settings: ProviderSettings = ProviderSettings(),
    usesCallKit: Bool = true, keepsHistory: Bool = false
  ) throws {
    workplace = try Workplace()
    try workplace.write("raw.json", Self.raw)
    try workplace.write(
      "pipeline.yaml",
      """
      sources: [{ path: raw.json, normalize: { region: CN } }]
      emit: { format: store, block: ["诈骗*"], path: Callers.cdstore }
      """)
    try workplace.cdpipe("run", "--quiet", "pipeline.yaml")
    services = FrameworkServices(try SimulatedPhone(), reportSeconds: 60)
    services.install()
    services.phone.setCallingCode(86)
    if hasContacts { try services.phone.addContact("Ann", "+86 170 1234 5678") }
    let tokens = tokens
    app = AppCalls(
      transport: NotingTransport(notes),
      list: CallerList(path: store ?? workplace.path("Callers.cdstore"), region: "CN"), settings: settings,
      usesCallKit: usesCallKit,
      history: keepsHistory ? workplace.folder.appendingPathComponent("recents.json") : nil,
      isContact: { hasContacts && $0 == "+8617012345678" },
      sendToken: { token in tokens.add(token.map { "\($0.count) bytes" } ?? "none") })
    settle()
  }

  deinit { services.uninstall() }

  var manager: CallManager { app.manager }
  var model: CallsModel { app.model }

  /// The app's calls that have not ended.
  var present: [Call] { manager.snapshot.calls }

  /// Reports an incoming call; throws the phone's error if it is refused.
  func incoming(_ handle: String, video: Bool = false) async throws -> UUID {
    let call = UUID()
    try await incoming(call, handle, video: video)
    return call
  }

  func incoming(_ call: UUID, _ handle: String, video: Bool = false) async throws {
    let manager = manager
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      manager.queue.async {
        manager.report(PushedCall(call, from: handle, video: video)) { error in
          if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        }
      }
    }
    settle()
  }

  /// Delivers a push for a call, and returns its id and what became of it.
  func push(from handle: String, video: Bool = false) async throws -> (call: UUID, outcome: PushOutcome) {
    let call = UUID()
    let outcome = try await services.pushes.deliver(
      #"{"call": "\#(call)", "from": "\#(handle)", "video": \#(video)}"#)
    settle()
    return (call, outcome)
  }

  /// Waits until the app has handled its events and the phone has processed the results, and updates the screen.
  func settle() {
    for _ in 0..<4 { manager.queue.sync {} }
    model.show(manager.snapshot)
  }

  func shown(_ call: UUID) -> String? { services.calls[call]?.shownName }
}
