// Calls of an app that makes its own calls: named from a store, or declined.

import CallKit
import Dispatch
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import VoIPCallerName

extension SampleApps {
  @Suite("VoIPCallerName")
  @MainActor
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
      let scene = try CallScene()
      let call = try await scene.incoming(handle)
      #expect(scene.services.calls[call]?.phase == .ringing)
      #expect(scene.shown(call) == shown)
      #expect(scene.present.map(\.handle) == [handle])
      #expect(scene.notes.all.isEmpty)
    }

    @Test(
      "a caller that is blocked, by its label or without one, is reported, as iOS requires, and declined at once",
      arguments: ["+8617012345678", "138 0013 8001"])
    func blocked(handle: String) async throws {
      let scene = try CallScene()
      let call = try await scene.incoming(handle)
      #expect(scene.services.calls[call]?.phase == .ended(.declinedElsewhere))
      #expect(scene.notes.all == ["decline"] && scene.present.isEmpty)
    }

    @Test("contacts keep their names, and are not declined")
    func contacts() async throws {
      let scene = try CallScene(hasContacts: true)
      let call = try await scene.incoming("+8617012345678")
      #expect(scene.services.calls[call]?.phase == .ringing && scene.shown(call) == "Ann")
      #expect(scene.notes.all.isEmpty)
    }

    @Test("the transport is informed of every step of a call")
    func life() async throws {
      let scene = try CallScene()
      let calls = scene.services.calls
      let call = try await scene.incoming("+8613800138000")
      #expect(calls.answer(call) == nil)
      scene.settle()
      #expect(calls[call]?.phase == .connected && scene.present.first?.state == .connected)
      #expect(calls.play(call, "5") == nil)
      try await scene.manager.setHeld(call, true)
      try await scene.manager.setMuted(call, true)
      scene.settle()
      #expect(calls[call]?.isOnHold == true && calls[call]?.isMuted == true)
      #expect(scene.present.first?.isHeld == true && scene.present.first?.isMuted == true)
      try await scene.manager.end(call)
      scene.settle()
      #expect(calls[call]?.phase == .ended(.byAction) && scene.present.isEmpty)
      #expect(
        scene.notes.all == ["answer", "sound", "play 5", "held true", "muted true", "end", "silence"])
    }

    @Test("a call that the owner declines, or the other side ends, is over for both")
    func endings() async throws {
      let scene = try CallScene()
      let declined = try await scene.incoming("+8613800138000")
      #expect(scene.services.calls.end(declined) == nil)
      let missed = try await scene.incoming("+8613800138002")
      scene.manager.ended(missed, .unanswered)
      scene.manager.ended(missed, .failed)
      scene.settle()
      #expect(scene.services.calls[declined]?.phase == .ended(.byAction))
      #expect(scene.services.calls[missed]?.phase == .ended(.unanswered))
      #expect(scene.notes.all == ["decline"] && scene.present.isEmpty)
    }

    @Test("an outgoing call shows a name, even that of a blocked number")
    func outgoing() async throws {
      let scene = try CallScene()
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
      let scene = try CallScene()
      let call = try await scene.incoming("+8613800138000")
      await #expect(throws: CXErrorCodeIncomingCallError(.callUUIDAlreadyExists)) {
        try await scene.incoming(call, "+8613800138002")
      }
      #expect(scene.notes.all.isEmpty && scene.present.map(\.handle) == ["+8613800138000"])
      scene.services.calls.setDoNotDisturb(true)
      await #expect(throws: CXErrorCodeIncomingCallError(.filteredByDoNotDisturb)) {
        _ = try await scene.incoming("+8613800138002")
      }
      #expect(scene.notes.all == ["decline"] && scene.present.count == 1)
    }

    @Test("a reset ends all calls; without a store, or with a damaged one, calls ring with their numbers")
    func broken() async throws {
      let scene = try CallScene(store: "/dev/null")
      let call = try await scene.incoming("+8617012345678")
      #expect(scene.services.calls[call]?.phase == .ringing && scene.shown(call) == "+8617012345678")
      scene.services.calls.resetProviders()
      scene.settle()
      #expect(scene.notes.all == ["end"] && scene.present.isEmpty)
    }

    @Test("video is passed on in both directions, as far as the call has it")
    func video() async throws {
      let scene = try CallScene()
      let call = try await scene.incoming("+8613800138000", video: true)
      #expect(scene.services.calls[call]?.hasVideo == true)
      #expect(scene.services.calls.answer(call) == nil)
      scene.settle()
      let made = try await scene.manager.start(to: "+8675512345678", video: true)
      scene.settle()
      #expect(scene.services.calls[made]?.hasVideo == true)
      let plain = try await scene.incoming("+8613800138002")
      #expect(scene.services.calls[plain]?.hasVideo == false)
      #expect(scene.notes.all == ["answer video", "sound", "start +8675512345678 video"])
    }

    @Test("two calls: answering the second holds the first, and a third can't be started")
    func two() async throws {
      let scene = try CallScene()
      let first = try await scene.incoming("+8613800138000")
      #expect(scene.services.calls.answer(first) == nil)
      scene.settle()
      let second = try await scene.incoming("+8675512345678")
      #expect(scene.services.calls[second]?.alert == .callWaiting)
      #expect(scene.services.calls.answer(second) == nil)
      scene.settle()
      #expect(scene.services.calls[first]?.isOnHold == true)
      #expect(scene.present.map(\.isHeld) == [true, false] && scene.present.map(\.id) == [first, second])
      await #expect(throws: CXErrorCodeRequestTransactionError(.maximumCallGroupsReached)) {
        try await scene.manager.start(to: "+8613800138002")
      }
      // No conferences: a group has one call.
      #expect(scene.services.calls.group(second, with: first) != nil)
    }

    @Test("the ringtone and the icon are the files of the bundle, if there are any")
    func presentation() async throws {
      let workplace = try Workplace()
      let bundle = try #require(Bundle(path: workplace.folder.path))
      let plain = ProviderSettings(of: bundle)
      #expect(plain.ringtone == nil && plain.icon == nil)
      let png = Data([
        0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 120, 0, 0, 0, 120,
      ])
      try png.write(to: workplace.folder.appendingPathComponent("CallIcon.png"))
      try Data("caff".utf8).write(to: workplace.folder.appendingPathComponent("Ringtone.caf"))
      let scene = try CallScene(settings: ProviderSettings(of: bundle))
      let call = try #require(scene.services.calls[try await scene.incoming("+8613800138000")])
      #expect(call.alert == .ringtone("Ringtone.caf"))
      #expect(call.icon?.png == png && call.icon?.isSquare == true)
    }
  }
}
