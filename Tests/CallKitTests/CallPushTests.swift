// Pushes for calls, and what the phone does with an app that does not report them.

import CallKit
import Dispatch
import Foundation
import FrameworkServices
import PushKit
import SimulatedPhone
import Synchronization
import Testing

/// An app that answers each push in one way.
private final class PushedApp: NSObject, PKPushRegistryDelegate, CXProviderDelegate, @unchecked Sendable {
  /// What the app does with a push.
  enum Reaction {
    case reportsNow
    case reportsLater
    case completesOnly
    case reportsTooLate
  }

  let queue = DispatchQueue(label: "app")
  let registry: PKPushRegistry
  let provider = CXProvider(configuration: CXProviderConfiguration())
  let call = UUID()
  /// Tokens, pushes and withdrawals. Used on `queue`.
  var notes: [String] = []
  private let reaction: Reaction
  /// Whether the time for a report has passed: `reportsTooLate` waits for it.
  let isTooLate = DispatchSemaphore(value: 0)

  init(_ reaction: Reaction, hasDelegate: Bool = true) {
    self.reaction = reaction
    registry = PKPushRegistry(queue: queue)
    super.init()
    provider.setDelegate(self, queue: queue)
    if hasDelegate { registry.delegate = self }
    registry.desiredPushTypes = [.voIP]
  }

  func providerDidReset(_ provider: CXProvider) {}

  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
  ) {
    notes.append("token \(pushCredentials.token.count) \(type == .voIP && pushCredentials.type == .voIP)")
  }

  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {
    notes.append("withdrawn \(type.rawValue)")
  }

  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping @Sendable () -> Void
  ) {
    notes.append("push \(payload.dictionaryPayload["from"] as? String ?? "")")
    switch reaction {
    case .reportsNow: report(completion)
    case .reportsLater: queue.async { self.report(completion) }
    case .completesOnly: completion()
    case .reportsTooLate:
      isTooLate.wait()
      report(completion)
    }
  }

  private func report(_ completion: @escaping @Sendable () -> Void) {
    provider.reportNewIncomingCall(with: call, update: CXCallUpdate()) { _ in completion() }
  }

  func endCall() { provider.reportCall(with: call, endedAt: nil, reason: .remoteEnded) }

  func settle() -> [String] {
    queue.sync {}
    return queue.sync { notes }
  }
}

/// An app with both methods for pushes, which reports nothing.
private final class MetadataApp: NSObject, PKPushRegistryDelegate, @unchecked Sendable {
  private let registry = PKPushRegistry(queue: DispatchQueue(label: "pushes"))
  private var received: [String] = []
  var notes: [String] { registry.queue.sync { received } }

  override init() {
    super.init()
    registry.delegate = self
    registry.desiredPushTypes = [.voIP]
  }

  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType
  ) {}

  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping @Sendable () -> Void
  ) {
    received.append("older method")
    completion()
  }

  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void
  ) {
    received.append(metadata.mustReport ? "must" : "may")
    completion()
  }
}

extension OnePhone {
  @Suite("Pushes for calls")
  final class CallPushTests {
    private let services: FrameworkServices
    private let push = #"{"from": "+15550100"}"#

    init() throws {
      services = FrameworkServices(try SimulatedPhone(), reportSeconds: 60)
      services.install()
    }

    deinit { services.uninstall() }

    @Test("registering brings a token; a push arrives and is reported, whatever the phone does with the call")
    func reported() async throws {
      #expect(try await services.pushes.deliver(push) == .notRegistered && services.pushes.token == nil)
      let app = PushedApp(.reportsNow)
      #expect(try await services.pushes.deliver(push) == .reported)
      #expect(services.calls[app.call]?.phase == .ringing)
      // The call exists: an error, but reported.
      #expect(try await services.pushes.deliver(push) == .reported)
      #expect(app.registry.pushToken(for: .voIP) == services.pushes.token)
      #expect(app.settle() == ["token 32 true", "push +15550100", "push +15550100"])
      app.endCall()
      services.calls.setDoNotDisturb(true)
      // The app, launched again: the newest registry gets the pushes.
      let other = PushedApp(.reportsNow)
      #expect(try await services.pushes.deliver(push) == .reported)
      #expect(services.calls[other.call] == nil)
      #expect(other.settle() == ["token 32 true", "push +15550100"] && app.settle().count == 3)
      #expect(services.pushes.completions == 3 && services.pushes.misses == 0)
    }

    @Test(
      "an app that reports nothing before its method returns is terminated, even if it completes the push")
    func terminated() async throws {
      for reaction in [PushedApp.Reaction.completesOnly, .reportsLater] {
        let app = PushedApp(reaction)
        #expect(try await services.pushes.deliver(push) == .terminated(.returnedWithoutReport))
        _ = app.settle()
      }
      #expect(services.pushes.misses == 2)
    }

    @Test("so is an app whose method does not return in time, or whose registry has no delegate")
    func late() async throws {
      let services = FrameworkServices(try SimulatedPhone(), reportSeconds: 0.1)
      services.install()
      defer { services.uninstall() }
      let late = PushedApp(.reportsTooLate)
      #expect(try await services.pushes.deliver(push) == .terminated(.notReportedInTime))
      late.isTooLate.signal()
      #expect(late.settle().count == 2)
      let deaf = PushedApp(.reportsNow, hasDelegate: false)
      #expect(try await services.pushes.deliver(push) == .notRequired)
      late.endCall()
      #expect(try await services.pushes.deliver(push) == .terminated(.notReportedInTime))
      #expect(deaf.settle().isEmpty)
    }

    @Test("an app in the foreground, or with a call, need not report a push")
    func exempt() async throws {
      let app = PushedApp(.completesOnly)
      services.pushes.setInForeground(true)
      #expect(try await services.pushes.deliver(push) == .notRequired)
      services.pushes.setInForeground(false)
      try await app.provider.reportNewIncomingCall(with: app.call, update: CXCallUpdate())
      #expect(try await services.pushes.deliver(push) == .notRequired)
      app.endCall()
      #expect(try await services.pushes.deliver(push) == .terminated(.returnedWithoutReport))
    }

    @Test(
      "from iOS 26.4 on, the phone states whether a push must be reported; before, it calls the older method")
    func metadata() async throws {
      let app = MetadataApp()
      #expect(try await services.pushes.deliver(push) == .terminated(.returnedWithoutReport))
      #expect(try await services.pushes.deliver(push, isLate: true) == .notRequired)
      services.pushes.setInForeground(true)
      #expect(try await services.pushes.deliver(push) == .notRequired)
      services.pushes.setPassesMetadata(false)
      #expect(try await services.pushes.deliver(push) == .notRequired)
      #expect(app.notes == ["must", "may", "may", "older method"])
    }

    @Test("after too many misses, the phone withholds pushes until the app is installed again")
    func withheld() async throws {
      let app = PushedApp(.completesOnly)
      for _ in 0..<SimulatedPushes.missesMax {
        #expect(try await services.pushes.deliver(push) == .terminated(.returnedWithoutReport))
      }
      let token = services.pushes.token
      #expect(try await services.pushes.deliver(push) == .withheld)
      #expect(app.settle().filter { $0.hasPrefix("push") }.count == SimulatedPushes.missesMax)
      services.pushes.reinstallApp()
      #expect(services.pushes.token != token)
      #expect(try await services.pushes.deliver(push) == .terminated(.returnedWithoutReport))
    }

    @Test("a token that is withdrawn, replaced, or not wanted any more")
    func tokens() async throws {
      let app = PushedApp(.reportsNow)
      let first = try #require(services.pushes.token)
      services.pushes.invalidateToken()
      #expect(services.pushes.token == nil && app.registry.pushToken(for: .voIP) == nil)
      services.pushes.renewToken()
      #expect(services.pushes.token != nil && services.pushes.token != first)
      #expect(app.settle() == ["token 32 true", "withdrawn PKPushTypeVoIP", "token 32 true"])
      app.registry.desiredPushTypes = []
      #expect(app.registry.pushToken(for: .voIP) == nil)
      #expect(try await services.pushes.deliver(push) == .notRegistered)
    }

    @Test("Apple's server refuses payloads that are not objects, or too large")
    func refused() async throws {
      let app = PushedApp(.reportsNow)
      for json in ["", "[]", "call", "{"] {
        await #expect(throws: PushRequestError.notAnObject) { try await self.services.pushes.deliver(json) }
      }
      let large = #"{"from": "\#(String(repeating: "0", count: SimulatedPushes.payloadBytesMax))"}"#
      await #expect(throws: PushRequestError.payloadTooLarge(bytes: large.utf8.count)) {
        try await self.services.pushes.deliver(large)
      }
      #expect(app.settle().count == 1)
    }
  }
}
