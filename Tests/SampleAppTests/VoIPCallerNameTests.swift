// Calls of an app that makes its own calls: named from a store, or declined.

import CallKit
import Dispatch
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import VoIPCallerName

/// Transmits nothing, and records the calls.
private final class NotingTransport: CallTransport {
  private let notes: Notes
  init(_ notes: Notes) { self.notes = notes }
  func start(_ call: UUID, to handle: String) { notes.add("start \(handle)") }
  func answer(_ call: UUID) { notes.add("answer") }
  func decline(_ call: UUID) { notes.add("decline") }
  func end(_ call: UUID) { notes.add("end") }
  func setHeld(_ call: UUID, _ isHeld: Bool) { notes.add("held \(isHeld)") }
  func setMuted(_ call: UUID, _ isMuted: Bool) { notes.add("muted \(isMuted)") }
  func play(_ call: UUID, _ digits: String) { notes.add("play \(digits)") }
  func setSound(_ isActive: Bool) { notes.add(isActive ? "sound" : "silence") }
}

/// A phone, the app, and a store that was made from a raw list.
private final class Scene {
  /// The list as it is downloaded.
  static let raw = """
    [{"0755-12345678": "房产中介"}, {"+86 170 1234 5678": "诈骗电话"},
    {"13800138000": "快递"}, {"13800138001": ""},]
    """

  let services: FrameworkServices
  let notes = Notes()
  let manager: CallManager
  private let workplace: Workplace

  init(store: String? = nil, hasContacts: Bool = false) throws {
    workplace = try Workplace()
    try workplace.write("raw.json", Self.raw)
    try workplace.write(
      "pipeline.yaml",
      """
      sources: [{ path: raw.json, normalize: { region: CN } }]
      emit: { format: store, block: ["诈骗*"], path: callers.cdstore }
      """)
    try workplace.cdpipe("run", "--quiet", "pipeline.yaml")
    services = FrameworkServices(try SimulatedPhone())
    services.install()
    services.phone.setCallingCode(86)
    if hasContacts { try services.phone.addContact("Ann", "+86 170 1234 5678") }
    manager = CallManager(
      name: "Sample", queue: DispatchQueue(label: "calls"), transport: NotingTransport(notes),
      callers: try? CallerDirectory(stores: [store ?? workplace.path("callers.cdstore")], region: "CN"),
      isContact: { hasContacts && $0 == "+8617012345678" })
  }

  deinit { FrameworkServices.uninstall() }

  /// Reports an incoming call; throws the phone's error if it is refused.
  func incoming(_ handle: String) async throws -> UUID {
    let call = UUID()
    try await incoming(call, handle)
    return call
  }

  func incoming(_ call: UUID, _ handle: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      manager.incoming(call, from: handle) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
    settle()
  }

  /// Waits until the app has handled its events and the phone has processed the results.
  func settle() {
    for _ in 0..<4 { manager.queue.sync {} }
  }

  func shown(_ call: UUID) -> String? { services.calls[call]?.shownName }
}

extension SampleApps {
  @Suite("VoIPCallerName")
  struct VoIPCallerNameTests {
    @Test(
      "a caller is shown with the store's name, however the handle is written",
      arguments: [
        ("+8675512345678", "房产中介"), ("0755 1234 5678", "房产中介"),
        ("sip:+8613800138000@example.com;user=phone", "快递"), ("tel:138-0013-8000", "快递"),
        ("+8613800138002", "+8613800138002"),
        ("sip:bob@example.com", "sip:bob@example.com"),
      ])
    func named(handle: String, shown: String) async throws {
      let scene = try Scene()
      let call = try await scene.incoming(handle)
      #expect(scene.services.calls[call]?.phase == .ringing)
      #expect(scene.shown(call) == shown)
      #expect(scene.manager.present.map(\.handle) == [handle])
      #expect(scene.notes.all.isEmpty)
    }

    @Test(
      "a caller that is blocked, by its label or without one, is reported, as iOS requires, and declined at once",
      arguments: ["+8617012345678", "138 0013 8001"])
    func blocked(handle: String) async throws {
      let scene = try Scene()
      let call = try await scene.incoming(handle)
      #expect(scene.services.calls[call]?.phase == .ended(.declinedElsewhere))
      #expect(scene.notes.all == ["decline"] && scene.manager.present.isEmpty)
    }

    @Test("contacts keep their names, and are not declined")
    func contacts() async throws {
      let scene = try Scene(hasContacts: true)
      let call = try await scene.incoming("+8617012345678")
      #expect(scene.services.calls[call]?.phase == .ringing && scene.shown(call) == "Ann")
      #expect(scene.notes.all.isEmpty)
    }

    @Test("the transport is informed of every step of a call")
    func life() async throws {
      let scene = try Scene()
      let calls = scene.services.calls
      let call = try await scene.incoming("+8613800138000")
      #expect(calls.answer(call) == nil)
      scene.settle()
      #expect(calls[call]?.phase == .connected && scene.manager.present.first?.state == .connected)
      #expect(calls.play(call, "5") == nil)
      try await scene.manager.setHeld(call, true)
      try await scene.manager.setMuted(call, true)
      scene.settle()
      #expect(calls[call]?.isOnHold == true && calls[call]?.isMuted == true)
      #expect(scene.manager.present.first?.isHeld == true && scene.manager.present.first?.isMuted == true)
      try await scene.manager.end(call)
      scene.settle()
      #expect(calls[call]?.phase == .ended(.byAction) && scene.manager.present.isEmpty)
      #expect(
        scene.notes.all == ["answer", "sound", "play 5", "held true", "muted true", "end", "silence"])
    }

    @Test("a call that the owner declines, or the other side ends, is over for both")
    func endings() async throws {
      let scene = try Scene()
      let declined = try await scene.incoming("+8613800138000")
      #expect(scene.services.calls.end(declined) == nil)
      let missed = try await scene.incoming("+8613800138002")
      scene.manager.ended(missed, .unanswered)
      scene.manager.ended(missed, .failed)
      scene.settle()
      #expect(scene.services.calls[declined]?.phase == .ended(.byAction))
      #expect(scene.services.calls[missed]?.phase == .ended(.unanswered))
      #expect(scene.notes.all == ["decline"] && scene.manager.present.isEmpty)
    }

    @Test("an outgoing call shows a name, even that of a blocked number")
    func outgoing() async throws {
      let scene = try Scene()
      let call = try await scene.manager.start(to: "+8613800138000")
      scene.settle()
      #expect(scene.shown(call) == "快递" && scene.services.calls[call]?.phase == .connecting)
      scene.manager.connected(call)
      scene.settle()
      #expect(scene.services.calls[call]?.phase == .connected)
      scene.manager.ended(call, .remoteEnded)
      scene.settle()
      #expect(scene.services.calls[call]?.phase == .ended(.remoteEnded))
      let blocked = try await scene.manager.start(to: "+86 170-1234-5678")
      scene.settle()
      #expect(scene.services.calls[blocked]?.phase == .connecting)
      #expect(scene.notes.all.filter { $0.hasPrefix("start") }.count == 2)
    }

    @Test("a call that the phone refuses is declined, and the first of two calls with one identifier stays")
    func refusals() async throws {
      let scene = try Scene()
      let call = try await scene.incoming("+8613800138000")
      await #expect(throws: CXErrorCodeIncomingCallError(.callUUIDAlreadyExists)) {
        try await scene.incoming(call, "+8613800138002")
      }
      #expect(scene.notes.all.isEmpty && scene.manager.present.map(\.handle) == ["+8613800138000"])
      scene.services.calls.setDoNotDisturb(true)
      await #expect(throws: CXErrorCodeIncomingCallError(.filteredByDoNotDisturb)) {
        _ = try await scene.incoming("+8613800138002")
      }
      #expect(scene.notes.all == ["decline"] && scene.manager.present.count == 1)
    }

    @Test("a reset ends all calls; without a store, or with a damaged one, calls ring with their numbers")
    func broken() async throws {
      let scene = try Scene(store: "/dev/null")
      let call = try await scene.incoming("+8617012345678")
      #expect(scene.services.calls[call]?.phase == .ringing && scene.shown(call) == "+8617012345678")
      scene.services.calls.resetProviders()
      scene.settle()
      #expect(scene.notes.all == ["end"] && scene.manager.present.isEmpty)
    }
  }
}
