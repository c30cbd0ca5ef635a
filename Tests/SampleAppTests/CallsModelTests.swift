// What the screen of the calling app shows in every state.

import CallKit
import Foundation
import FrameworkServices
import SampleShared
import SimulatedPhone
import Testing

@testable import VoIPCallerName

extension SampleApps {
  @Suite("VoIPCallerName: the screen")
  @MainActor
  struct CallsModelTests {
    @Test(
      "every state of a call has a text",
      arguments: [
        (Call.Phase.ringing, false, false, "Audio call · Incoming"),
        (.connecting, false, false, "Audio call · Calling…"),
        (.connected, false, false, "Audio call · Connected"),
        (.connected, true, false, "Audio call · On hold"),
        (.connected, false, true, "Audio call · Connected · Muted"),
        (.connected, true, true, "Audio call · On hold · Muted"),
      ])
    func call(state: Call.Phase, isHeld: Bool, isMuted: Bool, detail: String) {
      var call = Call(
        id: UUID(), isOutgoing: state == .connecting, handle: "+8613800138000", name: nil, hasVideo: false,
        state: state)
      call.isHeld = isHeld
      call.isMuted = isMuted
      let row = CallRow(call)
      #expect(row.detail == detail && row.name == "+8613800138000")
      #expect(row.isConnected == (state == .connected))
      #expect(row.holdText == (isHeld ? "Resume" : "Hold") && row.muteText == (isMuted ? "Unmute" : "Mute"))
      let video = Call(
        id: call.id, isOutgoing: false, handle: call.handle, name: "快递", hasVideo: true, state: state)
      #expect(CallRow(video).detail.hasPrefix("Video call · ") && CallRow(video).name == "快递")
    }

    @Test(
      "every ending of a call has a text",
      arguments: [
        (FinishedCall.Ending.answered, false, "Audio call · Incoming"),
        (.answered, true, "Audio call · Outgoing"), (.missed, false, "Audio call · Missed"),
        (.declined, false, "Audio call · Declined"), (.blocked, false, "Audio call · Blocked"),
        (.notAnswered, true, "Audio call · Not answered"), (.failed, true, "Audio call · Failed"),
      ])
    func recent(ending: FinishedCall.Ending, isOutgoing: Bool, detail: String) {
      let call = Call(
        id: UUID(), isOutgoing: isOutgoing, handle: "bob@example.com", name: nil, hasVideo: false,
        state: .connected)
      let ended = FinishedCall(call, ending)
      let row = RecentRow(ended)
      #expect(row.detail == detail && row.name == "bob@example.com" && row.handle == "bob@example.com")
      #expect(row.time == ended.ended.formatted(date: .abbreviated, time: .shortened))
      #expect(row.isMissed == (ending == .missed))
    }

    @Test(
      "how long a call was connected",
      arguments: [
        (0.0, "Incoming"), (59, "Incoming · 59 s"), (60, "Incoming · 1 min"), (3_599, "Incoming · 59 min"),
      ])
    func length(seconds: Double, text: String) {
      var call = Call(
        id: UUID(), isOutgoing: false, handle: "1", name: "快递", hasVideo: true, state: .connected)
      call.answered = Date(timeIntervalSinceNow: -seconds - 0.2)
      #expect(RecentRow(FinishedCall(call, .answered)).detail == "Video call · " + text)
    }

    @Test("whether calls arrive")
    func pushes() throws {
      let scene = try CallScene()
      #expect(scene.model.pushes.text == "Ready to receive calls" && scene.model.pushes.detail == nil)
      #expect(scene.model.pushes.isGood)
      scene.model.show(CallsSnapshot(pushes: .waiting))
      #expect(scene.model.pushes.text == "Registering for calls…" && !scene.model.pushes.isGood)
      #expect(
        scene.model.pushes.detail == "Until then, calls arrive only while the app is open.")
      scene.model.show(CallsSnapshot(pushes: .withdrawn))
      #expect(scene.model.pushes.text == "Not registered for calls" && !scene.model.pushes.isGood)
      #expect(
        scene.model.pushes.detail
          == "Calls arrive only while the app is open. iOS registers the app again by itself.")
    }

    @Test("the names that are known; a list that is missing or damaged, until it can be read")
    func names() async throws {
      let scene = try CallScene()
      // Two callers have a name; one of the others is blocked by its label, one has none.
      #expect(scene.model.names.text == "2 numbers with names" && scene.model.names.isGood)
      let path = scene.workplace.path("Callers.cdstore")
      let written = try #require(
        try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
      #expect(
        scene.model.names.detail == "List of \(written.formatted(date: .abbreviated, time: .shortened))")
      let store = try Data(contentsOf: URL(fileURLWithPath: path))
      let other = scene.workplace.path("other.cdstore")
      let second = try CallScene(store: other)
      let help = "Calls show numbers. Install the app again, or try again after an update."
      #expect(second.model.names.text == "The list of callers is missing." && !second.model.names.isGood)
      #expect(second.model.names.detail == help)
      try Data("no store".utf8).write(to: URL(fileURLWithPath: other))
      second.model.reloadNames()
      #expect(second.model.names.text == "The list of callers is damaged." && !second.model.names.isGood)
      #expect(second.model.names.detail == help)
      let call = try await second.incoming("+8613800138000")
      #expect(second.shown(call) == "+8613800138000")
      try store.write(to: URL(fileURLWithPath: other))
      second.model.reloadNames()
      #expect(second.model.names.text == "2 numbers with names" && second.model.names.isGood)
      #expect(scene.model.diagnostics.text.contains("pushes: registered\nnames: loaded\n"))
      let named = try await second.incoming("+8613800138000")
      #expect(second.shown(named) == "快递")
      let report = second.model.diagnostics.text
      #expect(report.contains("calls: 2\n") && !report.contains("138") && !report.contains("快递"))
    }

    @Test("the owner calls a number, holds, mutes and ends the call, and calls it again")
    func buttons() async throws {
      let scene = try CallScene()
      #expect(scene.model.emptyText == "No recent calls" && !scene.model.canCall)
      scene.model.number = " "
      #expect(!scene.model.canCall)
      await scene.model.call(video: true)
      #expect(scene.notes.all.isEmpty && scene.model.problem == nil)
      scene.model.number = " bob@example.com"
      #expect(scene.model.canCall)
      scene.model.number = "138 0013 8000 "
      #expect(scene.model.canCall)
      await scene.model.call(video: true)
      scene.settle()
      #expect(scene.model.number.isEmpty && scene.model.calls.map(\.name) == ["快递"])
      #expect(scene.model.calls.map(\.detail) == ["Video call · Calling…"])
      scene.manager.connected(try #require(scene.model.calls.first).id)
      scene.settle()
      await scene.model.toggleHold(try #require(scene.model.calls.first))
      scene.settle()
      await scene.model.toggleMute(try #require(scene.model.calls.first))
      scene.settle()
      #expect(scene.model.calls.map(\.detail) == ["Video call · On hold · Muted"])
      let row = try #require(scene.model.calls.first)
      await scene.model.end(row)
      scene.settle()
      #expect(scene.model.calls.isEmpty && scene.model.emptyText == nil && scene.model.problem == nil)
      await scene.model.call(try #require(scene.model.recents.first))
      scene.settle()
      #expect(scene.model.calls.map(\.detail) == ["Video call · Calling…"])
      await scene.model.end(row)
      #expect(
        scene.model.problem
          == CallProblem(
            text: "The call has already changed.", remedy: "Look at its state, then try again."))
      scene.model.dismissProblem()
      #expect(scene.model.problem == nil)
    }

    @Test("what iOS refuses has a text and a way out")
    func problems() async throws {
      let scene = try CallScene()
      await scene.model.callBack("+8613800138000", video: false)
      await scene.model.callBack("+8675512345678", video: false)
      scene.model.number = "+8613800138002"
      await scene.model.call(video: false)
      #expect(
        scene.model.problem
          == CallProblem(text: "There are already two calls.", remedy: "End one of them first."))
      #expect(scene.model.number == "+8613800138002")
      scene.manager.provider?.invalidate()
      scene.settle()
      await scene.model.call(video: false)
      #expect(
        scene.model.problem
          == CallProblem(
            text: "iOS did not perform the action (com.apple.CallKit.error.requesttransaction 2).",
            remedy: "Close the app and open it again, then try again."))
    }

    @Test("the keys of the keypad are sent as tones, in a call that is connected")
    func keypad() async throws {
      let scene = try CallScene()
      #expect(CallsModel.keys.joined().joined() == "123456789*0#")
      let call = try await scene.incoming("+8613800138000")
      await scene.model.press("5", scene.model.calls[0])
      #expect(scene.model.problem != nil && scene.notes.all.isEmpty)
      await scene.model.answer(scene.model.calls[0])
      scene.settle()
      for key in ["1", "#"] { await scene.model.press(key, scene.model.calls[0]) }
      scene.settle()
      #expect(scene.model.problem == nil && scene.services.calls[call]?.playedDigits == "1#")
      #expect(scene.notes.all == ["answer", "sound", "play 1", "play #"])
    }

    @Test("a call is prepared with the audio session of its kind before it is connected")
    func audio() async throws {
      let scene = try CallScene()
      let session = AVAudioSession.sharedInstance()
      for (video, mode) in [(true, AVAudioSession.Mode.videoChat), (false, .voiceChat)] {
        try session.setCategory(.soloAmbient, mode: .default)
        let call = try await scene.incoming("+8613800138000", video: video)
        #expect(session.category == .soloAmbient)
        #expect(scene.services.calls.answer(call) == nil)
        scene.settle()
        #expect(session.category == .playAndRecord && session.mode == mode)
        #expect(scene.services.calls.end(call) == nil)
        scene.settle()
      }
    }

    @Test("a simulated call rings with the store's name, or that of the number that was entered")
    func simulated() async throws {
      let scene = try CallScene()
      scene.model.number = "13800138000"
      await scene.model.simulateCall(after: .zero)
      scene.settle()
      #expect(scene.model.problem == nil && scene.model.calls.map(\.name) == ["快递"])
      #expect(scene.services.calls.all.map(\.phase) == [.ringing])
    }

    @Test("without CallKit, the app's own screen answers, and the app activates its audio session")
    func withoutCallKit() async throws {
      #expect(!CallKitUse.isAllowed(region: "CN"))
      #expect(CallKitUse.isAllowed(region: "HK") && CallKitUse.isAllowed(region: nil))
      let scene = try CallScene(usesCallKit: false)
      #expect(scene.services.pushes.token == nil && scene.model.answersCalls)
      #expect(scene.model.pushes.text == "Calls arrive only while the app is open.")
      #expect(!scene.model.pushes.isGood)
      _ = try await scene.incoming("+8617012345678")
      #expect(scene.notes.all == ["decline"] && scene.model.recents.map(\.detail) == ["Audio call · Blocked"])
      _ = try await scene.incoming("+8613800138000")
      #expect(scene.model.calls.map(\.isRinging) == [true] && scene.model.calls.map(\.name) == ["快递"])
      await scene.model.answer(scene.model.calls[0])
      scene.settle()
      await scene.model.press("5", scene.model.calls[0])
      await scene.model.toggleMute(scene.model.calls[0])
      scene.settle()
      #expect(scene.model.calls.map(\.detail) == ["Audio call · Connected · Muted"])
      let ended = scene.model.calls[0]
      await scene.model.end(ended)
      await scene.model.end(ended)
      #expect(scene.model.problem?.text == "The call has already changed.")
      #expect(scene.notes.all == ["decline", "sound", "answer", "play 5", "muted true", "silence", "end"])
      for _ in 0..<3 {
        scene.model.number = "+8613800138002"
        await scene.model.call(video: false)
      }
      scene.settle()
      #expect(scene.model.calls.count == 2 && scene.model.problem?.text == "There are already two calls.")
      // iOS knows of none of this.
      #expect(scene.services.calls.all.isEmpty && scene.services.calls.recents.isEmpty)
    }

    @Test("the screen follows the calls, also when it appears again", .timeLimit(.minutes(10)))
    func follow() async throws {
      let scene = try CallScene()
      let model = scene.model
      let following = Task { await model.follow() }
      _ = try await scene.services.pushes.deliver(#"{"call": "\#(UUID())", "from": "+8613800138000"}"#)
      while model.calls.isEmpty { await Task.yield() }
      #expect(model.calls.map(\.name) == ["快递"])
      following.cancel()
      await following.value
      scene.services.calls.resetProviders()
      let again = Task { await model.follow() }
      while !model.calls.isEmpty { await Task.yield() }
      #expect(model.recents.map(\.detail) == ["Audio call · Failed"])
      again.cancel()
      await again.value
    }

    @Test("the stand-in for a server connects the calls that are made")
    func standIn() async throws {
      let services = FrameworkServices(try SimulatedPhone())
      services.install()
      defer { services.uninstall() }
      let transport = StandInTransport()
      let app = AppCalls(
        transport: transport, list: CallerList(path: "/nowhere", region: "CN"), history: nil,
        isContact: { _ in false }, sendToken: { _ in })
      transport.manager = app.manager
      let call = try await app.manager.start(to: "1", video: true)
      for _ in 0..<4 { app.manager.queue.sync {} }
      #expect(services.calls[call]?.phase == .connected)
    }
  }
}
