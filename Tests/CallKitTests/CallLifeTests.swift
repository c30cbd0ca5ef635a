// Calls of apps, from start to end.

import CallKit
import Dispatch
import Foundation
import FrameworkServices
import SimulatedPhone
import Synchronization
import Testing

/// Events in the order in which they were recorded.
private final class Notes: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

/// A phone, an app on it, and the queue that all of the app's code runs on.
private final class Stage {
  let services: FrameworkServices
  let queue = DispatchQueue(label: "app")
  let notes = Notes()
  let watched = Notes()
  let delegate: ProviderDelegate
  let manager: CallManager
  private let watcher: CallWatcher

  init(refuses: Bool = false, ignores: Bool = false, actionSeconds: Double = 10) throws {
    services = FrameworkServices(try SimulatedPhone(), actionSeconds: actionSeconds)
    services.install()
    delegate = ProviderDelegate(queue: queue, refuses: refuses, ignores: ignores, note: notes.add)
    manager = CallManager(queue: queue)
    watcher = CallWatcher(note: watched.add)
    manager.callController.callObserver.setDelegate(watcher, queue: queue)
  }

  deinit { services.uninstall() }

  /// Waits until the app has handled its events and the phone has processed the results.
  func settle() {
    for _ in 0..<3 { queue.sync {} }
  }

  func incoming(_ number: String, named name: String? = nil) async throws -> UUID {
    let update = CXCallUpdate()
    update.remoteHandle = CXHandle(type: .phoneNumber, value: number)
    update.localizedCallerName = name
    let uuid = UUID()
    try await delegate.provider.reportNewIncomingCall(with: uuid, update: update)
    return uuid
  }
}

/// The error code of a refusal.
private func number(_ error: (any Error)?) -> Int? { error.map { ($0 as NSError).code } }

extension OnePhone {
  @Suite("Calls of apps")
  struct CallLifeTests {
    @Test("an incoming call rings with its name, is answered, held, muted, and ended")
    func incoming() async throws {
      let stage = try Stage()
      let calls = stage.services.calls
      let uuid = try await stage.incoming("+15550100", named: "骚扰电话")
      #expect(calls[uuid]?.phase == .ringing && calls[uuid]?.shownName == "骚扰电话")
      #expect(number(calls.setHeld(uuid, true)) == 6)
      #expect(calls.answer(uuid) == nil)
      stage.settle()
      #expect(calls[uuid]?.phase == .connected)
      #expect(number(calls.answer(uuid)) == 6)
      #expect(
        calls.setHeld(uuid, true) == nil && calls.setMuted(uuid, true) == nil
          && calls.play(uuid, "12#") == nil)
      stage.settle()
      let call = try #require(calls[uuid])
      #expect(call.isOnHold && call.isMuted && call.playedDigits == "12#")
      #expect(stage.manager.callController.callObserver.calls.map(\.uuid) == [uuid])
      #expect(calls.end(uuid) == nil)
      stage.settle()
      #expect(calls[uuid]?.phase == .ended(.byAction))
      #expect(
        stage.notes.all == [
          "begin", "answer", "sound", "hold true", "mute true", "play 12#", "end", "silence",
        ])
      #expect(
        stage.watched.all == [
          "incoming", "incoming connected", "incoming connected held", "incoming connected held",
          "incoming connected held", "incoming connected held ended",
        ])
      #expect(stage.manager.callController.callObserver.calls.isEmpty)
      #expect(number(calls.end(uuid)) == 4)
    }

    @Test("an outgoing call starts, connects, and is ended by the other side")
    func outgoing() async throws {
      let stage = try Stage()
      try stage.services.phone.addContact("Ann", "+1 555 0101")
      let uuid = try await stage.manager.startCall(handle: "+15550101", video: true)
      stage.settle()
      let call = try #require(stage.services.calls[uuid])
      #expect(call.phase == .connecting && call.isOutgoing && call.hasVideo && call.shownName == "Ann")
      stage.delegate.provider.reportOutgoingCall(with: uuid, connectedAt: nil)
      #expect(stage.services.calls[uuid]?.phase == .connected)
      try await stage.manager.setOnHoldStatus(call: uuid, to: true)
      stage.settle()
      #expect(stage.services.calls[uuid]?.isOnHold == true)
      stage.delegate.provider.reportCall(with: uuid, endedAt: nil, reason: .remoteEnded)
      stage.settle()
      #expect(stage.services.calls[uuid]?.phase == .ended(.remoteEnded))
      #expect(stage.notes.all == ["begin", "start +15550101", "sound", "hold true", "silence"])
    }

    @Test("a later update names the caller")
    func update() async throws {
      let stage = try Stage()
      let uuid = try await stage.incoming("+15550100")
      #expect(stage.services.calls[uuid]?.shownName == "+15550100")
      let update = CXCallUpdate()
      update.localizedCallerName = "诈骗电话"
      stage.delegate.provider.reportCall(with: uuid, updated: update)
      let call = try #require(stage.services.calls[uuid])
      #expect(call.shownName == "诈骗电话" && call.handle == "+15550100")
    }

    @Test("calls are refused with Apple's error codes")
    func refusals() async throws {
      let stage = try Stage()
      let (phone, calls) = (stage.services.phone, stage.services.calls)
      let uuid = try await stage.incoming("+15550100")
      let update = CXCallUpdate()
      await #expect(throws: CXErrorCodeIncomingCallError(.callUUIDAlreadyExists)) {
        try await stage.delegate.provider.reportNewIncomingCall(with: uuid, update: update)
      }
      try phone.block("+15550102")
      await #expect(throws: CXErrorCodeIncomingCallError(.filteredByBlockList)) {
        _ = try await stage.incoming("+1 (555) 0102")
      }
      calls.setDoNotDisturb(true)
      await #expect(throws: CXErrorCodeIncomingCallError(.filteredByDoNotDisturb)) {
        _ = try await stage.incoming("+15550103")
      }
      await #expect(throws: CXErrorCodeRequestTransactionError(.emptyTransaction)) {
        try await stage.manager.callController.request(CXTransaction())
      }
      await #expect(throws: CXErrorCodeRequestTransactionError(.unknownCallUUID)) {
        try await stage.manager.end(call: UUID())
      }
      await #expect(throws: CXErrorCodeRequestTransactionError(.callUUIDAlreadyExists)) {
        let handle = CXHandle(type: .generic, value: "x")
        try await stage.manager.callController.requestTransaction(
          with: CXStartCallAction(call: uuid, handle: handle))
      }
      _ = try await stage.manager.startCall(handle: "+15550104")
      await #expect(throws: CXErrorCodeRequestTransactionError(.maximumCallGroupsReached)) {
        _ = try await stage.manager.startCall(handle: "+15550105")
      }
      let error = CXErrorCodeIncomingCallError(.filteredByBlockList) as NSError
      #expect(error.domain == "com.apple.CallKit.error.incomingcall" && error.code == 4)
      #expect(
        (CXErrorCodeRequestTransactionError(.invalidAction) as NSError).domain
          == CXErrorDomainRequestTransaction)
    }

    @Test("answering a second call holds the first; the two can be grouped")
    func two() async throws {
      let stage = try Stage()
      let calls = stage.services.calls
      let first = try await stage.incoming("+15550100")
      #expect(calls.answer(first) == nil)
      stage.settle()
      let second = try await stage.incoming("+15550101")
      #expect(calls.answer(second) == nil)
      stage.settle()
      #expect(calls[first]?.isOnHold == true && calls[second]?.phase == .connected)
      #expect(calls.group(second, with: first) == nil)
      stage.settle()
      #expect(calls[second]?.group == calls[first]?.group)
      #expect(calls.group(second, with: nil) == nil)
      stage.settle()
      #expect(calls[second]?.group != calls[first]?.group)
      #expect(number(calls.group(first, with: first)) == 6)
    }

    @Test("an action that fails ends only a call that has not begun")
    func failing() async throws {
      let stage = try Stage(refuses: true)
      let calls = stage.services.calls
      let started = try await stage.manager.startCall(handle: "+15550100")
      stage.settle()
      #expect(calls[started]?.phase == .ended(.failed))
      let rung = try await stage.incoming("+15550101")
      #expect(calls.setMuted(rung, true) == nil)
      stage.settle()
      #expect(calls[rung]?.isMuted == false && calls[rung]?.phase == .ringing)
      #expect(calls.answer(rung) == nil)
      stage.settle()
      #expect(calls[rung]?.phase == .ended(.failed))
    }

    @Test("an action that the app does not complete times out")
    func timeOut() async throws {
      let stage = try Stage(ignores: true, actionSeconds: 0.05)
      let calls = stage.services.calls
      let uuid = try await stage.incoming("+15550100")
      #expect(calls.answer(uuid) == nil)
      stage.settle()
      let pending = stage.delegate.provider.pendingCallActions(of: CXAnswerCallAction.self, withCall: uuid)
      #expect(pending.count <= 1)
      for _ in 0..<6000 where calls[uuid]?.hasEnded != true { try await Task.sleep(for: .milliseconds(20)) }
      stage.settle()
      #expect(calls[uuid]?.phase == .ended(.failed))
      #expect(stage.notes.all == ["begin", "answer", "timed out"])
      #expect(stage.delegate.provider.pendingTransactions.isEmpty)
    }

    @Test("a reset and an invalidated provider end all its calls")
    func reset() async throws {
      let stage = try Stage()
      let first = try await stage.incoming("+15550100")
      stage.services.calls.resetProviders()
      stage.settle()
      #expect(stage.services.calls[first]?.phase == .ended(.failed))
      let second = try await stage.incoming("+15550101")
      stage.delegate.provider.invalidate()
      stage.settle()
      #expect(stage.services.calls[second]?.hasEnded == true)
      #expect(stage.notes.all == ["begin", "reset", "reset"])
      await #expect(throws: CXErrorCodeRequestTransactionError(.unknownCallProvider)) {
        _ = try await stage.manager.startCall(handle: "+15550102")
      }
    }

    @Test("handles are values, and survive archiving")
    func handles() throws {
      let handle = CXHandle(type: .emailAddress, value: "ann@example.com")
      let data = try NSKeyedArchiver.archivedData(withRootObject: handle, requiringSecureCoding: true)
      let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CXHandle.self, from: data)
      #expect(copy == handle && copy?.hash == handle.hash)
      #expect(CXHandle(type: .generic, value: handle.value) != handle)
      #expect(CXCallEndedReason.declinedElsewhere.rawValue == 5)
    }
  }
}
