// The phone's list of recent calls, and what an app's configuration changes about its calls.

import CallKit
import Dispatch
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

/// An app with a configuration, which performs every action.
private final class ConfiguredApp {
  let services: FrameworkServices
  let queue = DispatchQueue(label: "app")
  let delegate: ProviderDelegate
  let manager: CallManager
  var provider: CXProvider { delegate.provider }
  var calls: SimulatedCalls { services.calls }

  init(_ configure: (CXProviderConfiguration) -> Void = { _ in }) throws {
    services = FrameworkServices(try SimulatedPhone())
    services.install()
    delegate = ProviderDelegate(queue: queue) { _ in }
    manager = CallManager(queue: queue)
    let configuration = delegate.provider.configuration
    configure(configuration)
    delegate.provider.configuration = configuration
  }

  deinit { services.uninstall() }

  func incoming(_ number: String, video: Bool = false, named name: String? = nil) async throws -> UUID {
    let update = CXCallUpdate()
    update.remoteHandle = CXHandle(type: .phoneNumber, value: number)
    update.hasVideo = video
    update.localizedCallerName = name
    let uuid = UUID()
    try await provider.reportNewIncomingCall(with: uuid, update: update)
    return uuid
  }

  func settle() {
    for _ in 0..<3 { queue.sync {} }
  }

  func answer(_ call: UUID) {
    #expect(calls.answer(call) == nil)
    settle()
  }

  func end(_ call: UUID) {
    #expect(calls.end(call) == nil)
    settle()
  }
}

extension OnePhone {
  @Suite("Recent calls and configurations")
  struct CallRecentsTests {
    @Test("calls are listed when they end, newest first, with name, number, video, direction and result")
    func recents() async throws {
      let app = try ConfiguredApp()
      try app.services.phone.addContact("Ann", "+1 555 0101")
      let answered = try await app.incoming("+15550100", video: true, named: "快递")
      #expect(app.calls.recents.isEmpty)
      app.answer(answered)
      app.end(answered)
      let first = try #require(app.calls.recents.first)
      #expect(first.uuid == answered && first.name == "快递" && first.handle == "+15550100")
      #expect(first.hasVideo && !first.isOutgoing && first.result == .answered)
      #expect(first.ended == app.calls[answered]?.ended)
      app.end(try await app.incoming("+15550101"))
      let missed = try await app.incoming("+15550102")
      app.provider.reportCall(with: missed, endedAt: nil, reason: .unanswered)
      let made = try await app.manager.startCall(handle: "+15550103")
      app.settle()
      app.end(made)
      let connected = try await app.manager.startCall(handle: "+15550104")
      app.settle()
      app.provider.reportOutgoingCall(with: connected, connectedAt: nil)
      app.provider.reportCall(with: connected, endedAt: nil, reason: .remoteEnded)
      #expect(app.calls.recents.map(\.result) == [.answered, .notConnected, .missed, .declined, .answered])
      #expect(app.calls.recents.map(\.isOutgoing) == [true, true, false, false, false])
      #expect(
        app.calls.recents[3].name == "Ann"
          && app.calls.recents.map(\.hasVideo) == [false, false, false, false, true])
    }

    @Test(
      "what an app reports as the end of an unanswered call",
      arguments: [
        (CXCallEndedReason.failed, RecentCall.Result.missed), (.remoteEnded, .missed), (.unanswered, .missed),
        (.answeredElsewhere, .answered), (.declinedElsewhere, .declined),
      ])
    func reasons(reason: CXCallEndedReason, result: RecentCall.Result) async throws {
      let app = try ConfiguredApp()
      let call = try await app.incoming("+15550100")
      app.provider.reportCall(with: call, endedAt: nil, reason: reason)
      app.provider.reportCall(with: call, endedAt: nil, reason: .failed)
      #expect(app.calls.recents.map(\.result) == [result])
    }

    @Test("an app can keep its calls out of the list; what counts is the configuration at the end of a call")
    func excluded() async throws {
      let app = try ConfiguredApp { $0.includesCallsInRecents = false }
      app.end(try await app.incoming("+15550100"))
      #expect(app.calls.recents.isEmpty)
      let call = try await app.incoming("+15550100")
      let configuration = app.provider.configuration
      configuration.includesCallsInRecents = true
      // A configuration is copied: changing it changes nothing until it is set.
      #expect(!app.provider.configuration.includesCallsInRecents)
      app.provider.configuration = configuration
      app.end(call)
      #expect(app.calls.recents.map(\.uuid) == [call])
    }

    @Test("a provider without video has audio calls, in both directions and after updates")
    func video() async throws {
      let app = try ConfiguredApp { $0.supportsVideo = false }
      let call = try await app.incoming("+15550100", video: true)
      let update = CXCallUpdate()
      update.hasVideo = true
      app.provider.reportCall(with: call, updated: update)
      let made = try await app.manager.startCall(handle: "+15550101", video: true)
      app.settle()
      #expect(app.calls[call]?.hasVideo == false && app.calls[made]?.hasVideo == false)
      let other = try ConfiguredApp()
      let plain = try await other.incoming("+15550100")
      #expect(other.calls[plain]?.hasVideo == false)
      other.provider.reportCall(with: plain, updated: update)
      #expect(other.calls[plain]?.hasVideo == true)
    }

    @Test("the ringtone is the app's or the phone's; during a call, a second one does not ring")
    func ringtone() async throws {
      let plain = try ConfiguredApp()
      #expect(plain.calls[try await plain.incoming("+15550100")]?.alert == .ringtone(nil))
      let app = try ConfiguredApp { $0.ringtoneSound = "Ringtone.caf" }
      let first = try await app.incoming("+15550100")
      #expect(app.calls[first]?.alert == .ringtone("Ringtone.caf"))
      app.answer(first)
      #expect(app.calls[try await app.incoming("+15550101")]?.alert == .callWaiting)
      app.end(first)
      let made = try await app.manager.startCall(handle: "+15550102")
      app.settle()
      #expect(app.calls[made]?.alert == .silent)
    }

    @Test("the icon is shown if it is a PNG")
    func icon() async throws {
      func png(_ width: UInt8, _ height: UInt8) -> Data {
        Data([
          0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, width, 0, 0, 0,
          height,
        ])
      }
      let app = try ConfiguredApp { $0.iconTemplateImageData = png(120, 120) }
      let icon = try #require(app.calls[try await app.incoming("+15550100")]?.icon)
      #expect(icon.width == 120 && icon.height == 120 && icon.isSquare)
      let wide = try ConfiguredApp { $0.iconTemplateImageData = png(120, 80) }
      #expect(wide.calls[try await wide.incoming("+15550100")]?.icon?.isSquare == false)
      for data in [Data(), Data("GIF89a, which is not what Apple asks for".utf8)] {
        let other = try ConfiguredApp { $0.iconTemplateImageData = data }
        let call = try #require(other.calls[try await other.incoming("+15550100")])
        #expect(call.icon == nil)
      }
    }

    @Test("with one group, answering a second call ends the first; a group has a maximum size")
    func groups() async throws {
      let app = try ConfiguredApp { $0.maximumCallGroups = 1 }
      let first = try await app.incoming("+15550100")
      app.answer(first)
      app.answer(try await app.incoming("+15550101"))
      #expect(app.calls[first]?.phase == .ended(.byAction))
      let pair = try ConfiguredApp { $0.maximumCallsPerCallGroup = 1 }
      let one = try await pair.incoming("+15550100")
      pair.answer(one)
      let two = try await pair.incoming("+15550101")
      pair.answer(two)
      let error = pair.calls.group(two, with: one) as? CXErrorCodeRequestTransactionError
      #expect(error?.code == .invalidAction)
    }
  }
}
