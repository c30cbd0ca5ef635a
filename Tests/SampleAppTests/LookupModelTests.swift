// What the lookup app's screen shows in each of its states.

import Foundation
import IdentityLookup
import Synchronization
import Testing

@testable import LiveLookup

/// A phone that answers as a test sets it, and can keep an app waiting.
private final class SlowPhone: LiveLookupPhone {
  struct Behaviour {
    var status = CallLookupExtensionStatus.enabled
    var error: (any Error)?
    var actions: [LiveLookupAction] = []
    var settingsOpenings = 0
  }

  let state = Mutex(Behaviour())
  /// Held while the phone does not answer.
  let answering = Mutex(())

  /// Does not answer until the semaphore is signalled.
  func stopAnswering() -> DispatchSemaphore {
    let (begun, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      self.answering.withLock { _ in
        begun.signal()
        release.wait()
      }
    }
    begun.wait()
    return release
  }

  func status(_ identifier: String) -> CallLookupExtensionStatus { state.withLock { $0.status } }

  func openSettings() throws {
    try state.withLock { state in
      state.settingsOpenings += 1
      if let error = state.error { throw error }
    }
    answering.withLock { _ in }
  }

  func perform(_ action: LiveLookupAction, _ identifier: String) throws {
    try state.withLock { state in
      state.actions.append(action)
      if let error = state.error { throw error }
    }
    answering.withLock { _ in }
  }
}

@MainActor
private final class Scene {
  let phone = SlowPhone()
  let workplace: Workplace
  let model: LookupModel

  init(_ status: CallLookupExtensionStatus = .enabled, secondsMax: Double = 60) throws {
    workplace = try Workplace()
    phone.state.withLock { $0.status = status }
    InstalledLookupPhone.install(phone)
    model = LookupModel(
      LookupControl("com.example.callerid.lookup", group: workplace.folder), secondsMax: secondsMax)
  }

  deinit {
    // The next test may have its phone by now.
    if InstalledLookupPhone.phone as? SlowPhone === phone { InstalledLookupPhone.install(nil) }
  }

  func fail(_ error: (any Error)?) { phone.state.withLock { $0.error = error } }
  var actions: [LiveLookupAction] { phone.state.withLock { $0.actions } }
}

extension SampleApps {
  @Suite("The lookup app's screen")
  @MainActor
  struct LookupModelTests {
    private static let error = NSError(domain: "com.example", code: 42)

    @Test("iOS is not waited for forever, and the buttons can be used again")
    func silent() async throws {
      let scene = try Scene(secondsMax: 0.05)
      let release = scene.phone.stopAnswering()
      defer { release.signal() }
      await scene.model.refresh()
      #expect(scene.model.notice?.text == "iOS did not answer." && scene.model.activity == nil)
      #expect(scene.model.canRefresh)
    }

    // MARK: Status

    @Test("before iOS was asked, the status is unknown")
    func unknown() throws {
      let model = try Scene().model
      #expect(model.statusText == "Unknown" && model.statusSymbol == "questionmark.circle")
      #expect(
        model.statusAdvice == "The app can’t tell whether lookup is on. Check it in Settings.")
      #expect(model.canOpenSettings && model.canRefresh && model.canReset && !model.canSetToken)
    }

    @Test("off in Settings")
    func off() throws {
      let model = try Scene(.disabled).model
      model.update()
      #expect(model.statusText == "Off" && model.statusSymbol == "xmark.circle")
      #expect(
        model.statusAdvice
          == "Turn it on in Settings › Apps › Phone › Call Blocking & Identification.")
      #expect(model.canOpenSettings && !model.canRefresh && !model.canReset)
      // A token can be set before.
      model.token = "BBBB"
      #expect(model.canSetToken)
    }

    @Test("enabled, and the status follows Settings")
    func enabled() throws {
      let scene = try Scene()
      let model = scene.model
      model.update()
      #expect(model.statusText == "On" && model.statusSymbol == "checkmark.circle")
      #expect(
        model.statusAdvice == "iOS asks the server about callers, without telling it who is calling.")
      #expect(model.canRefresh && model.canReset && model.notice == nil && model.done.isEmpty)
      scene.phone.state.withLock { $0.status = .disabled }
      model.update()
      #expect(model.statusText == "Off")
    }

    @Test("an app without an app group or an extension offers nothing")
    func notSetUp() async {
      let model = LookupModel(nil)
      let notice = LookupNotice(
        text: "The app is not set up correctly.", remedy: "Delete the app, and install it again.")
      #expect(model.notice == notice && model.notice?.actionTitle == nil)
      model.token = "BBBB"
      #expect(!model.canOpenSettings && !model.canSetToken && !model.canRefresh && !model.canReset)
      model.update()
      await model.setToken()
      #expect(model.notice == notice && model.token == "BBBB" && model.statusText == "Unknown")
    }

    // MARK: Actions

    @Test("a token is set, and does not stay on the screen")
    func token() async throws {
      let scene = try Scene()
      let model = scene.model
      model.update()
      #expect(model.tokenText == "Not set" && !model.canSetToken)
      model.token = " "
      #expect(!model.canSetToken)
      model.token = " BBBB\n"
      #expect(model.canSetToken)
      await model.setToken()
      #expect(model.done == "The token is set." && model.tokenText == "Set" && model.token.isEmpty)
      #expect(scene.actions == [.refreshContext])
    }

    @Test("refreshing, resetting and opening Settings")
    func actions() async throws {
      let scene = try Scene()
      await scene.model.refresh()
      #expect(scene.model.done == "The server’s settings are up to date.")
      await scene.model.reset()
      #expect(scene.model.done == "Lookup was reset.")
      await scene.model.openSettings()
      #expect(scene.model.done.isEmpty && scene.model.notice == nil)
      #expect(scene.actions == [.refreshParameters, .reset])
      #expect(scene.phone.state.withLock { $0.settingsOpenings } == 1)
    }

    @Test(
      "while iOS has not answered, the screen names what it waits for and offers nothing else",
      .timeLimit(.minutes(10)),
      arguments: [
        (.openingSettings, "Opening Settings…"), (.settingToken, "Setting the token…"),
        (.refreshing, "Refreshing…"), (.resetting, "Resetting…"),
      ] as [(LookupModel.Activity, String)])
    func busy(activity: LookupModel.Activity, text: String) async throws {
      let scene = try Scene()
      let model = scene.model
      model.token = "BBBB"
      #expect(model.activityText.isEmpty)
      // iOS answers when the screen has been looked at.
      let isLookedAt = DispatchSemaphore(value: 0)
      await withCheckedContinuation { (isHeld: CheckedContinuation<Void, Never>) in
        let phone = scene.phone
        Thread {
          phone.answering.withLock { _ in
            isHeld.resume()
            isLookedAt.wait()
          }
        }.start()
      }
      let running = Task {
        switch activity {
        case .openingSettings: await model.openSettings()
        case .settingToken: await model.setToken()
        case .refreshing: await model.refresh()
        case .resetting: await model.reset()
        }
      }
      while model.activity == nil { await Task.yield() }
      #expect(model.activity == activity && model.activityText == text)
      #expect(!model.canOpenSettings && !model.canSetToken && !model.canRefresh && !model.canReset)
      // A second action does nothing.
      await model.reset()
      isLookedAt.signal()
      await running.value
      #expect(model.activity == nil && model.activityText.isEmpty && model.canReset)
      #expect(scene.actions.count + scene.phone.state.withLock { $0.settingsOpenings } == 1)
    }

    // MARK: Errors

    @Test("a text that is not a token stays on the screen", arguments: ["B", "not Base64!"])
    func badToken(text: String) async throws {
      let scene = try Scene()
      scene.model.token = text
      await scene.model.setToken()
      #expect(
        scene.model.notice
          == LookupNotice(
            text: "This is not a valid token.",
            remedy: "Copy the whole token from your account, and paste it here."))
      #expect(scene.model.token == text && scene.model.tokenText == "Not set" && scene.actions.isEmpty)
    }

    @Test("a token that can't be saved")
    func notSaved() async throws {
      let scene = try Scene()
      try FileManager.default.removeItem(at: scene.workplace.folder)
      scene.model.token = "BBBB"
      await scene.model.setToken()
      let notice = try #require(scene.model.notice)
      #expect(notice.text.hasPrefix("The token can’t be saved (error "))
      #expect(notice.remedy == "Free up space in Settings › General › iPhone Storage, then try again.")
      #expect(notice.actionTitle == "Try Again" && scene.model.token == "BBBB")
      try FileManager.default.createDirectory(at: scene.workplace.folder, withIntermediateDirectories: true)
      await scene.model.follow(try #require(notice.action))
      #expect(scene.model.notice == nil && scene.model.tokenText == "Set")
    }

    @Test("iOS refuses an action: what it was, and the way out")
    func refused() async throws {
      let scene = try Scene()
      let model = scene.model
      scene.fail(Self.error)
      await model.openSettings()
      #expect(
        model.notice
          == LookupNotice(
            text: "Settings can’t be opened (error 42).",
            remedy: "Open Settings › Apps › Phone › Call Blocking & Identification yourself."))
      model.token = "BBBB"
      await model.setToken()
      #expect(
        model.notice
          == LookupNotice(
            text: "iOS did not accept the token (error 42).",
            remedy: "The token is saved. Reset lookup, so that iOS uses it.", action: .reset))
      #expect(model.notice?.actionTitle == "Reset" && model.tokenText == "Set")
      await model.refresh()
      #expect(
        model.notice
          == LookupNotice(
            text: "The server’s settings can’t be fetched (error 42).",
            remedy: "Check the internet connection, then try again. If that doesn’t help, reset lookup.",
            action: .refresh))
      #expect(model.notice?.actionTitle == "Try Again")
      await model.reset()
      #expect(
        model.notice
          == LookupNotice(
            text: "Lookup can’t be reset (error 42).", remedy: "Turn it off and on again in Settings.",
            action: .openSettings))
      #expect(model.notice?.actionTitle == "Open Settings" && model.done.isEmpty)
    }

    @Test(
      "each button of a notice does what it offers",
      arguments: [
        (.refresh, .refreshParameters), (.reset, .reset),
      ] as [(LookupNotice.Action, LiveLookupAction)])
    func follow(action: LookupNotice.Action, expected: LiveLookupAction) async throws {
      let scene = try Scene()
      await scene.model.follow(action)
      #expect(scene.actions == [expected] && scene.model.notice == nil && !scene.model.done.isEmpty)
      await scene.model.follow(.openSettings)
      #expect(scene.phone.state.withLock { $0.settingsOpenings } == 1)
    }

    @Test("what was cancelled is not an error")
    func cancelled() async throws {
      let scene = try Scene()
      scene.fail(CancellationError())
      await scene.model.refresh()
      #expect(scene.model.notice == nil && scene.model.done.isEmpty && scene.model.canRefresh)
    }
  }
}
