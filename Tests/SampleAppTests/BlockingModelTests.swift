// What Block070's screen shows, on the simulated phone: the first load, extensions that are off, errors, cancellation.

import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import Block070
@testable import SampleShared

extension SampleApps {
  @Suite("Block070's screen")
  @MainActor
  struct BlockingModelTests {
    /// A phone with three extensions of about 3,300 numbers.
    private func scene(switchingOn on: Int? = nil) throws -> BlockingScene {
      try BlockingScene(
        "+82 70 1234 XXXX", maxEntries: 4_000, extensions: 3, storage: .database(path: nil), switchingOn: on)
    }

    private func model(_ scene: BlockingScene) -> BlockingModel {
      BlockingModel(group: scene.group, extensions: scene.extensions)
    }

    /// Makes an extension wait at a barrier.
    private func hold(_ scene: BlockingScene, _ place: Int) throws -> Barrier {
      let barrier = Barrier()
      let (own, group) = (scene.extensions[place], scene.group)
      try scene.services.phone.update(
        own.identifier, .handler { HeldHandler(CallDirectoryHandler(own, group: group), at: barrier) })
      return barrier
    }

    private func statuses(_ model: BlockingModel) -> [String] { model.directory.rows.map(\.status) }

    @Test("the switch loads all extensions, and unloads them")
    func firstLoad() async throws {
      let scene = try scene()
      let model = model(scene)
      await model.refresh()
      #expect(model.directory.rows.map(\.name) == ["Extension 1", "Extension 2", "Extension 3"])
      #expect(!model.isOn && model.canSwitch && model.status == "No calls are blocked.")
      #expect(statuses(model) == ["No numbers", "No numbers", "No numbers"])
      #expect(model.directory.notice == nil)
      let barrier = try hold(scene, 1)
      let work = Task { await model.set(true) }
      await waitUntil("the second extension is loading") { model.directory.rows[1].state == .loading }
      #expect(model.isOn && !model.canSwitch)
      #expect(statuses(model).suffix(2) == ["Loading…", "Waiting to load"])
      let progress = try #require(model.directory.progress)
      #expect(progress.text == "Loading 2 of 3")
      // It goes on within an extension.
      #expect((1.0 / 3..<2.0 / 3).contains(progress.fraction ?? 0))
      let remaining = try #require(progress.remaining)
      #expect(remaining.hasPrefix("About ") && remaining.contains("second"))
      barrier.open()
      await work.value
      #expect(model.directory.progress == nil && model.directory.notice == nil)
      let count = try scene.blocked()
      #expect(count == Block070Tests.count(in: 827_012_340_000...827_012_349_999))
      #expect(model.status == "Calls from \(count.formatted()) numbers are blocked.")
      #expect(model.directory.summary == "3 of 3 extensions loaded")
      for (row, own) in zip(model.directory.rows, scene.extensions) {
        let loaded = try scene.services.phone.entryCounts(own.identifier).blocking
        #expect(row.status == "\(loaded.formatted()) numbers")
        #expect(row.detail?.hasPrefix("Loaded ") == true)
      }
      // A new start of the app shows the same.
      let next = self.model(scene)
      await next.refresh()
      #expect(next.isOn && next.status == model.status && statuses(next) == statuses(model))
      await model.set(false)
      #expect(try scene.blocked() == 0)
      #expect(model.status == "No calls are blocked." && model.directory.notice == nil)
      #expect(statuses(model) == ["No numbers", "No numbers", "No numbers"])
    }

    @Test("extensions that are off in Settings, with the way there")
    func off() async throws {
      let scene = try scene(switchingOn: 1)
      let model = model(scene)
      await model.set(true)
      #expect(statuses(model).dropFirst() == ["Off in Settings", "Off in Settings"])
      #expect(model.directory.summary == "1 of 3 extensions loaded")
      let notice = try #require(model.directory.notice)
      #expect(notice.text == "Not all extensions are turned on.")
      #expect(notice.remedy == "Turn on all extensions of this app in Settings.")
      #expect(notice.action == .openSettings)
      await model.directory.openSettings()
      #expect(scene.services.settingsOpenings == 1)
      // iOS loads an extension as soon as it is turned on.
      for own in scene.extensions.dropFirst() {
        #expect(scene.services.phone.switchOn(own.identifier).isSuccess)
      }
      // The extension may learn of its success after the switch does.
      await waitUntil("everything is loaded") {
        await model.refresh()
        return model.directory.notice == nil
      }
      #expect(model.directory.summary == "3 of 3 extensions loaded")
    }

    @Test("loading can be cancelled, and continued")
    func cancelled() async throws {
      let scene = try scene()
      let model = model(scene)
      let barrier = try hold(scene, 1)
      let work = Task { await model.set(true) }
      await waitUntil("the second extension is loading") { model.directory.rows[1].state == .loading }
      model.cancel()
      barrier.open()
      await work.value
      #expect(model.directory.rows[2].status == "Waiting to load")
      #expect(model.directory.summary == "2 of 3 extensions loaded")
      let notice = try #require(model.directory.notice)
      #expect(notice.text == "Loading was cancelled." && notice.remedy == "Some extensions are not loaded.")
      #expect(notice.action == .retry)
      // A new start of the app does not know of the cancellation, but of what is missing.
      let next = self.model(scene)
      await next.refresh()
      #expect(next.directory.notice?.text == "Not all extensions are loaded.")
      #expect(next.directory.notice?.remedy == "Load them again.")
      await next.load()
      #expect(next.directory.summary == "3 of 3 extensions loaded" && next.directory.notice == nil)
    }

    @Test("an extension that fails, and recovers")
    func failed() async throws {
      let scene = try scene()
      let model = model(scene)
      let identifier = scene.extensions[0].identifier
      try scene.services.phone.makeUnavailable(identifier)
      await model.set(true)
      #expect(statuses(model)[0].hasPrefix("iOS can’t use this extension at the moment"))
      #expect(model.directory.rows[0].detail?.hasPrefix("Turn the extension off and on again") == true)
      #expect(model.directory.notice?.text == "Not all extensions are loaded.")
      #expect(model.directory.notice?.action == .retry)
      // What has failed stays visible while the app is open.
      await model.refresh()
      #expect(statuses(model)[0].hasPrefix("iOS can’t use this extension"))
      try scene.services.phone.switchOff(identifier)
      #expect(scene.services.phone.switchOn(identifier).isSuccess)
      await model.load()
      #expect(model.directory.summary == "3 of 3 extensions loaded" && model.directory.notice == nil)
    }

    @Test("iOS that never answers a reload fails a row, and the owner can try again")
    func silentReload() async throws {
      let scene = try scene()
      var times = ReloadTimes()
      times.reloadSeconds = 0.05
      let model = BlockingModel(group: scene.group, extensions: scene.extensions, times: times)
      let barrier = try hold(scene, 0)
      scene.services.setAnswers(reload: .never)
      await model.set(true)
      #expect(model.directory.progress == nil && model.canSwitch)
      // The others would wait for nothing.
      #expect(statuses(model) == ["iOS did not answer.", "Waiting to load", "Waiting to load"])
      let notice = try #require(model.directory.notice)
      #expect(notice.text == "Not all extensions are loaded." && notice.action == .retry)
      scene.services.setAnswers()
      barrier.open()
      let phone = scene.services.phone
      await waitUntil("iOS is idle") { phone.extensionState(scene.extensions[0].identifier) != .loading }
      await self.model(scene).load()
      #expect(try scene.blocked() == Block070Tests.count(in: 827_012_340_000...827_012_349_999))
    }

    @Test("iOS that never answers about states is asked about all at once")
    func silentStatus() async throws {
      let scene = try scene()
      var times = ReloadTimes()
      times.statusSeconds = 0.05
      let model = BlockingModel(group: scene.group, extensions: scene.extensions, times: times)
      scene.services.setAnswers(status: .never)
      await model.refresh()
      #expect(statuses(model) == Array(repeating: "iOS did not answer.", count: 3))
      #expect(model.directory.notice?.action == .retry)
      await model.set(true)
      #expect(statuses(model) == Array(repeating: "iOS did not answer.", count: 3))
      scene.services.setAnswers(status: .twice, reload: .twice)
      // On a loaded machine, an answer may be later than the short limit.
      await waitUntil("iOS answers in time") {
        await model.load()
        return model.directory.notice == nil
      }
      #expect(model.directory.summary == "3 of 3 extensions loaded")
    }

    @Test("extensions are loaded with a pause between them")
    func pause() async throws {
      let scene = try scene()
      let times = ReloadTimes(info: [ReloadTimes.pauseKey: 0.2])
      #expect(times.pause == .seconds(0.2) && ReloadTimes(info: [:]).pause == .zero)
      let clock = ContinuousClock()
      let start = clock.now
      let model = BlockingModel(group: scene.group, extensions: scene.extensions, times: times)
      await model.set(true)
      #expect(start.duration(to: clock.now) >= .seconds(0.4))
      #expect(model.directory.summary == "3 of 3 extensions loaded")
    }

    @Test("an extension that the phone lacks")
    func missing() async throws {
      let scene = try scene()
      let model = model(scene)
      try scene.services.phone.uninstall(scene.extensions[2].identifier)
      await model.refresh()
      #expect(statuses(model)[2] == "iOS did not find this extension.")
    }

    @Test("the lookup follows the switch")
    func lookup() async throws {
      let scene = try scene()
      let model = model(scene)
      func answer(_ text: String) -> String? {
        model.directory.query = text
        model.directory.lookUp()
        return model.directory.answer?.text
      }
      #expect(answer("+82 70 1234 5678") == "No list is loaded.")
      await model.set(true)
      #expect(answer("+82 70 1234 5678") == "Blocked")
      #expect(model.directory.answer?.number == "+827012345678")
      #expect(answer("+82 70 1200 0678") == "Not in the list")
      #expect(answer("nobody") == "Not a phone number")
      // An answer belongs to its number.
      model.directory.query = "+82 70"
      #expect(model.directory.answer == nil)
      #expect(answer("") == nil)
    }

    @Test("an app without its group, and a switch that can't be saved")
    func storage() async throws {
      let scene = try scene()
      let homeless = BlockingModel(group: nil, extensions: scene.extensions)
      await homeless.refresh()
      #expect(!homeless.canSwitch)
      let notice = try #require(homeless.directory.notice)
      #expect(notice.text == "The app is not installed correctly: its app group is missing.")
      #expect(notice.remedy == "Delete the app and install it again." && notice.action == nil)
      await homeless.set(true)
      #expect(!homeless.isOn)
      let gone = BlockingModel(
        group: scene.group.appendingPathComponent("gone"), extensions: scene.extensions)
      await gone.set(true)
      #expect(!gone.isOn && gone.directory.notice?.text == "The switch could not be saved.")
      #expect(
        gone.directory.notice?.remedy == "Make sure that there is free storage, then try again.")
    }

    @Test("Settings that can't be opened")
    func settings() async throws {
      let scene = try scene()
      let model = model(scene)
      scene.services.uninstall()
      await model.directory.openSettings()
      #expect(model.directory.notice?.text == "Settings could not be opened.")
      #expect(
        model.directory.notice?.remedy == "Open the Settings app, and look for call blocking under Phone.")
    }
  }
}
