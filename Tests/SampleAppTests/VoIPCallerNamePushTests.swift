// Pushes for calls of the sample app: from the push to the list of recent calls.

import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import VoIPCallerName

extension SampleApps {
  @Suite("VoIPCallerName: pushes")
  @MainActor
  struct VoIPCallerNamePushTests {
    @Test("the app registers at its launch, and sends the token to its server")
    func registration() async throws {
      let scene = try CallScene()
      #expect(scene.services.pushes.token?.count == 32)
      #expect(scene.manager.snapshot.pushes == .registered)
      scene.services.pushes.invalidateToken()
      scene.settle()
      #expect(scene.manager.snapshot.pushes == .withdrawn)
      scene.services.pushes.renewToken()
      scene.settle()
      #expect(scene.manager.snapshot.pushes == .registered)
      #expect(scene.tokens.all == ["32 bytes", "none", "32 bytes"])
    }

    @Test(
      "a push rings with the store's name, is answered with video and ended, and is in both lists of recent calls"
    )
    func answered() async throws {
      let scene = try CallScene()
      let calls = scene.services.calls
      let (call, outcome) = try await scene.push(from: "sip:+8613800138000@example.com", video: true)
      #expect(outcome == .reported && scene.services.pushes.completions == 1)
      #expect(calls[call]?.phase == .ringing && scene.shown(call) == "快递" && calls[call]?.hasVideo == true)
      #expect(scene.model.calls.map(\.detail) == ["Video call · Incoming"])
      #expect(calls.answer(call) == nil)
      scene.settle()
      #expect(scene.model.calls.map(\.detail) == ["Video call · Connected"])
      #expect(calls.end(call) == nil)
      scene.settle()
      #expect(scene.notes.all == ["answer video", "sound", "end", "silence"])
      let recent = try #require(calls.recents.first)
      #expect(recent.name == "快递" && recent.handle == "+8613800138000" && recent.result == .answered)
      #expect(recent.hasVideo && !recent.isOutgoing && calls.recents.count == 1)
      #expect(scene.model.calls.isEmpty)
      #expect(scene.model.recents.map(\.name) == ["快递"])
      #expect(scene.model.recents.map(\.detail) == ["Video call · Incoming"])
    }

    @Test("a push from a blocked caller is reported, and declined before anything is connected")
    func blocked() async throws {
      let scene = try CallScene()
      let (call, outcome) = try await scene.push(from: "+8617012345678")
      #expect(outcome == .reported)
      #expect(scene.services.calls[call]?.phase == .ended(.declinedElsewhere))
      #expect(scene.notes.all == ["decline"] && scene.present.isEmpty)
      #expect(scene.services.calls.recents.map(\.result) == [.declined])
      #expect(scene.model.recents.map(\.detail) == ["Audio call · Blocked"])
    }

    @Test(
      "a push that can't be read is reported as a call, which ends at once",
      arguments: [
        "{}", #"{"call": "no id", "from": "+8613800138000"}"#, #"{"from": "+8613800138000"}"#,
        #"{"call": "7E2CE0B2-5C1B-4D3C-9A7B-0B6D2F3A4C5D"}"#,
        #"{"call": "7E2CE0B2-5C1B-4D3C-9A7B-0B6D2F3A4C5D", "from": ""}"#,
        #"{"call": 1, "from": ["+8613800138000"], "video": "yes"}"#,
        #"{"call": "7E2CE0B2-5C1B-4D3C-9A7B-0B6D2F3A4C5D", "from": "\#(String(repeating: "1", count: 257))"}"#,
      ])
    func unreadable(json: String) async throws {
      let scene = try CallScene()
      #expect(try await scene.services.pushes.deliver(json) == .reported)
      scene.settle()
      let call = try #require(scene.services.calls.all.first)
      #expect(call.shownName == "Unknown caller" && call.phase == .ended(.failed))
      #expect(scene.present.isEmpty && scene.services.calls.all.count == 1)
      #expect(scene.model.recents.map(\.detail) == ["Audio call · Failed"])
      #expect(scene.model.recents.first?.handle == nil)
    }

    @Test("a call that need not be reported and does not ring is declined without a trace in the Phone app")
    func notRequired() async throws {
      let scene = try CallScene()
      let json = #"{"call": "\#(UUID())", "from": "+8617012345678"}"#
      #expect(try await scene.services.pushes.deliver(json, isLate: true) == .notRequired)
      #expect(try await scene.services.pushes.deliver("{}", isLate: true) == .notRequired)
      scene.settle()
      #expect(scene.services.calls.all.isEmpty && scene.services.calls.recents.isEmpty)
      #expect(scene.model.recents.map(\.detail) == ["Audio call · Failed", "Audio call · Blocked"])
      // Before iOS 26.4, the app does not know, and reports.
      scene.services.pushes.setPassesMetadata(false)
      #expect(try await scene.services.pushes.deliver(json, isLate: true) == .reported)
      // A call that rings is reported anyway.
      scene.services.pushes.setPassesMetadata(true)
      scene.services.pushes.setInForeground(true)
      #expect(try await scene.push(from: "+8613800138000").outcome == .reported)
      #expect(scene.present.count == 1 && scene.services.pushes.misses == 0)
    }

    @Test("a second push for a call changes nothing, and the app is not terminated for it")
    func repeated() async throws {
      let scene = try CallScene()
      let (call, _) = try await scene.push(from: "+8613800138000")
      let json = #"{"call": "\#(call)", "from": "+8613800138000"}"#
      #expect(try await scene.services.pushes.deliver(json) == .reported)
      scene.settle()
      #expect(scene.present.map(\.id) == [call] && scene.notes.all.isEmpty)
      #expect(scene.services.calls.end(call) == nil)
      scene.settle()
      #expect(try await scene.services.pushes.deliver(json) == .reported)
      scene.settle()
      #expect(scene.present.isEmpty && scene.model.recents.map(\.detail) == ["Audio call · Declined"])
    }

    @Test(
      "while Do Not Disturb is on, a push is reported and missed; a caller that the owner blocked is listed as such"
    )
    func refused() async throws {
      let scene = try CallScene()
      scene.services.calls.setDoNotDisturb(true)
      #expect(try await scene.push(from: "+8613800138000").outcome == .reported)
      scene.services.calls.setDoNotDisturb(false)
      try scene.services.phone.block("+8613800138002")
      #expect(try await scene.push(from: "+8613800138002").outcome == .reported)
      #expect(scene.notes.all == ["decline", "decline"] && scene.present.isEmpty)
      #expect(scene.model.recents.map(\.detail) == ["Audio call · Blocked", "Audio call · Missed"])
      #expect(scene.services.calls.recents.isEmpty)
    }

    @Test("a reset of the provider ends the calls; the connected one was answered")
    func reset() async throws {
      let scene = try CallScene()
      let (first, _) = try await scene.push(from: "+8613800138000")
      #expect(scene.services.calls.answer(first) == nil)
      scene.settle()
      _ = try await scene.push(from: "+8675512345678", video: true)
      scene.services.calls.resetProviders()
      scene.settle()
      #expect(scene.model.calls.isEmpty && scene.notes.all.filter { $0 == "end" }.count == 2)
      #expect(Set(scene.model.recents.map(\.detail)) == ["Audio call · Incoming", "Video call · Failed"])
    }

    @Test("recent calls are kept over a restart of the app, at most 100; a damaged file is an empty list")
    func history() throws {
      let workplace = try Workplace()
      let file = workplace.folder.appendingPathComponent("recents.json")
      var history = CallHistory(file: file)
      for number in 1...102 {
        let call = Call(
          id: UUID(), isOutgoing: false, handle: "\(number)", name: nil, hasVideo: false, state: .ringing)
        history.add(FinishedCall(call, .missed))
      }
      let read = CallHistory(file: file).calls
      #expect(read.count == 100 && read.first?.handle == "102" && read.last?.handle == "3")
      try workplace.write("recents.json", "[{")
      #expect(CallHistory(file: file).calls.isEmpty)
      let scene = try CallScene(keepsHistory: true)
      #expect(scene.model.recents.isEmpty)
    }
  }
}
