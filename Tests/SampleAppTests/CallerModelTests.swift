// What CallerID's screen shows, on the simulated phone: the first start, updates, errors and recovery, cancellation.

import CallDirectoryKit
import CallKit
import CallManifest
import Foundation
import FrameworkServices
import Hashing
import SimulatedPhone
import Testing

@testable import CallerID
@testable import SampleShared

extension SampleApps {
  @Suite("CallerID's screen")
  @MainActor
  struct CallerModelTests {
    private func statuses(_ model: CallerModel) -> [String] { model.directory.rows.map(\.status) }

    @Test("the first start loads the list; updates load what has changed")
    func firstStart() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let model = scene.model()
      #expect(model.canUpdate && model.directory.lastUpdateText == "Not updated yet")
      #expect(statuses(model) == ["No numbers", "No numbers", "No numbers"])
      await model.start()
      try scene.expectMonday()
      #expect(statuses(model) == ["4 numbers", "2 numbers", "No numbers"])
      #expect(model.directory.summary == "2 of 2 extensions loaded" && model.directory.notice == nil)
      let date = try #require(model.directory.lastUpdate)
      #expect(abs(date.timeIntervalSinceNow) < 60)
      #expect(model.directory.lastUpdateText == "Last update: \(DirectoryModel.text(date))")
      // Opening the app again does not ask the server: the list is not older than a day.
      let offline = scene.model(transport: FailingTransport(URLError(.notConnectedToInternet)))
      await offline.start()
      #expect(offline.directory.notice == nil && statuses(offline) == statuses(model))
      #expect(offline.directory.lastUpdateText == model.directory.lastUpdateText)
      try scene.publish(CallerScene.tuesday, since: true)
      #expect(await model.update())
      try scene.expectTuesday()
      #expect(model.directory.notice == nil && model.directory.progress == nil)
      // Nothing has changed since: no extension is loaded.
      let loaded = scene.phone.lastOutcome(CallerScene.prefix + "1")?.report
      #expect(await model.update())
      #expect(scene.phone.lastOutcome(CallerScene.prefix + "1")?.report == loaded)
    }

    @Test("a list older than a day is updated when the app is opened")
    func stale() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let model = scene.model()
      await model.start()
      try scene.publish(CallerScene.tuesday, since: true)
      let file = scene.directory.updater.folder.appendingPathComponent("last-update").path
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -CallerModel.updateSeconds - 60)], ofItemAtPath: file)
      await model.start()
      try scene.expectTuesday()
    }

    @Test("the bundle's bootstrap store is loaded before the first update, also without a network")
    func bootstrap() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let store = try #require(
        try scene.files().first { $0.hasPrefix("bootstrap") && $0.hasSuffix(".cdstore") })
      let bundle = scene.workplace.folder.appendingPathComponent("bundle")
      try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: scene.server.appendingPathComponent(store), to: bundle.appendingPathComponent(store))
      let offline = scene.model(transport: FailingTransport(URLError(.notConnectedToInternet)))
      await offline.start()
      #expect(statuses(offline) == ["2 numbers", "No numbers", "No numbers"])
      #expect(offline.directory.notice?.text == "There is no internet connection.")
      #expect(offline.directory.lastUpdateText == "Not updated yet")
      let model = scene.model()
      await model.start()
      try scene.expectMonday()
      #expect(statuses(model) == ["4 numbers", "2 numbers", "No numbers"])
      #expect(model.directory.notice == nil)
    }

    @Test("while it updates")
    func updating() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let barrier = Barrier()
      let (own, group) = (scene.directory.extensions[0], scene.directory.updater.folder)
      try scene.phone.update(
        own.identifier, .handler { HeldHandler(CallDirectoryHandler(own.index, group: group), at: barrier) })
      let model = scene.model()
      let work = Task { await model.update() }
      await waitUntil("an update has begun") { model.directory.progress != nil }
      #expect(
        model.directory.progress?.text == "Checking for updates…" || model.directory.progress?.fraction == 0)
      await waitUntil("an extension is loading") { model.directory.rows[0].state == .loading }
      #expect(!model.canUpdate && model.directory.notice == nil)
      #expect(statuses(model).prefix(2) == ["Loading…", "Waiting to load"])
      #expect(model.directory.progress?.text == "Loading 1 of 2")
      #expect((model.directory.progress?.fraction ?? 1) < 0.5)
      #expect(model.directory.progress?.remaining == "About 1 second left")
      // Another request waits for the same update.
      let other = Task { await model.update() }
      barrier.open()
      #expect(await work.value)
      #expect(await other.value)
      #expect(model.canUpdate && model.directory.summary == "2 of 2 extensions loaded")
    }

    @Test("an update that is cancelled while it downloads, or while it loads, is continued")
    func cancelled() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let silent = SilentTransport()
      let waiting = scene.model(transport: silent)
      let download = Task { await waiting.update() }
      await waitUntil("the server is asked") { silent.requests > 0 }
      #expect(waiting.directory.progress?.text == "Checking for updates…")
      #expect(waiting.directory.progress?.fraction == nil)
      waiting.cancel()
      #expect(await download.value == false)
      #expect(waiting.directory.notice?.text == "The update was cancelled.")
      #expect(waiting.directory.notice?.remedy == "The next update continues where this one ended.")
      #expect(waiting.directory.notice?.action == .retry && waiting.canUpdate)

      let barrier = Barrier()
      let (own, group) = (scene.directory.extensions[0], scene.directory.updater.folder)
      try scene.phone.update(
        own.identifier, .handler { HeldHandler(CallDirectoryHandler(own.index, group: group), at: barrier) })
      let model = scene.model()
      let load = Task { await model.update() }
      await waitUntil("an extension is loading") { model.directory.rows[0].state == .loading }
      model.cancel()
      barrier.open()
      #expect(await load.value == false)
      #expect(statuses(model) == ["4 numbers", "Waiting to load", "No numbers"])
      #expect(model.directory.notice?.text == "The update was cancelled.")
      #expect(await model.update())
      try scene.expectMonday()
      #expect(model.directory.notice == nil)
    }

    @Test("an extension that is off in Settings, and turned on later")
    func off() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      try scene.phone.switchOff(CallerScene.prefix + "2")
      let model = scene.model()
      await model.start()
      #expect(statuses(model) == ["4 numbers", "Off in Settings", "No numbers"])
      #expect(model.directory.notice?.text == "Not all extensions are turned on.")
      #expect(model.directory.notice?.action == .openSettings)
      #expect(scene.phone.switchOn(CallerScene.prefix + "2").isSuccess)
      // The extension may learn of its success after the switch does.
      await waitUntil("everything is loaded") {
        await model.start()
        return model.directory.notice == nil
      }
      try scene.expectMonday()
    }

    /// The model of an app that was opened before its first extension was switched on in Settings.
    private func modelBeforeSwitch(_ scene: CallerScene) async throws -> CallerModel {
      try scene.publish(CallerScene.monday)
      try scene.phone.switchOff(CallerScene.prefix + "1")
      let model = scene.model()
      await model.start()
      #expect(statuses(model) == ["Off in Settings", "2 numbers", "No numbers"])
      // The switch loads the bootstrap store, of two numbers.
      #expect(scene.phone.switchOn(CallerScene.prefix + "1").isSuccess)
      return model
    }

    @Test("what the switch in Settings has not loaded is loaded when the app is opened")
    func switchedOn() async throws {
      let scene = try CallerScene()
      let model = try await modelBeforeSwitch(scene)
      let counts = try scene.phone.entryCounts(CallerScene.prefix + "1")
      #expect(counts.blocking + counts.identification == 2)
      await model.start()
      #expect(statuses(model) == ["4 numbers", "2 numbers", "No numbers"] && model.directory.notice == nil)
      try scene.expectMonday()
    }

    @Test("a server's error is shown, the loaded numbers stay, and the next update recovers")
    func recovery() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      await scene.model().start()
      try scene.publish(CallerScene.tuesday, since: true)
      let model = scene.model(transport: FailingTransport(status: 503))
      await model.directory.refresh()
      #expect(await model.update() == false)
      #expect(model.directory.notice?.text == "The server reported an error (503).")
      #expect(
        model.directory.notice?.remedy == "Try again later." && model.directory.notice?.action == .retry)
      try scene.expectMonday()
      #expect(statuses(model) == ["4 numbers", "2 numbers", "No numbers"])
      #expect(await scene.model().update())
      try scene.expectTuesday()
    }

    @Test("without the server, extensions that were just turned on load what is there, to its end")
    func unreachable() async throws {
      let scene = try CallerScene()
      _ = try await modelBeforeSwitch(scene)
      let offline = scene.model(transport: FailingTransport(URLError(.notConnectedToInternet)))
      #expect(await offline.update() == false)
      #expect(offline.directory.notice?.text == "There is no internet connection.")
      #expect(statuses(offline) == ["4 numbers", "2 numbers", "No numbers"])
    }

    @Test("lists that nobody trusted has signed are refused, and the numbers stay")
    func signatures() async throws {
      let scene = try CallerScene()
      let (key, other) = (try Ed25519.PrivateKey(), try Ed25519.PrivateKey())
      let trust = UpdateTrust.signed(by: [try #require(ManifestKey(bytes: key.publicKey))])
      try scene.publish(CallerScene.monday)
      try scene.sign(with: key, serial: 5)
      let model = scene.model(trust: trust)
      await model.start()
      try scene.expectMonday()
      try scene.publish(CallerScene.tuesday, since: true)
      func refused(_ text: String) async throws {
        #expect(await model.update() == false)
        #expect(model.directory.notice?.text == text)
        #expect(model.directory.notice?.remedy.isEmpty == false && model.directory.notice?.action == .retry)
        try scene.expectMonday()
      }
      try await refused("The list on the server is not signed. It was not used.")
      try scene.sign(with: other, serial: 6)
      try await refused("The list on the server is signed with an unknown key. It was not used.")
      try scene.sign(with: key, serial: 4)
      try await refused("The list on the server is older than the one in use. It was not used.")
      try scene.sign(with: key, serial: 6, expires: 1_000_000_000)
      try await refused("The list on the server has expired. It was not used.")
      try scene.sign(with: key, serial: 6)
      try scene.change("manifest.json") { $0.append(0x20) }
      try await refused("The list on the server was changed after it was signed. It was not used.")
      try scene.change("manifest.json") { $0.removeLast() }
      #expect(await model.update())
      try scene.expectTuesday()
      #expect(model.directory.notice == nil)
    }

    @Test("an app without its group, or without settings")
    func installation() async throws {
      let scene = try CallerScene()
      let homeless = CallerModel(
        settings: { ListSettings(url: scene.server, trust: .unsigned, encoding: .gzip) }, group: nil,
        extensions: scene.directory.extensions)
      await homeless.start()
      #expect(!homeless.canUpdate)
      #expect(
        homeless.directory.notice?.text
          == "The app is not installed correctly: its app group is missing.")
      let group = scene.directory.updater.folder
      let lost = CallerModel(
        settings: { throw ListSettingsError.invalidURL("") }, group: group,
        extensions: scene.directory.extensions)
      #expect(await lost.update() == false)
      #expect(!lost.canUpdate)
      #expect(lost.directory.notice?.text == "The app does not know where its list is.")
      #expect(lost.directory.notice?.remedy == "Update the app in the App Store.")
    }

    @Test("the lookup finds labels in the stores of all extensions")
    func lookup() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let model = scene.model()
      func answer(_ text: String) -> String? {
        model.directory.query = text
        model.directory.lookUp()
        return model.directory.answer?.text
      }
      #expect(answer("+86 138 0013 8001") == "No list is loaded.")
      await model.start()
      #expect(answer("+86 138 0013 8001") == "快递" && answer("+86 138 0013 8006") == "骚扰电话")
      #expect(answer("+86 138 0013 8002") == "Blocked: 诈骗电话")
      #expect(answer("+86 138 0013 8009") == "Not in the list")
    }

    @Test("what is shown of the nightly update")
    func nightlyText() throws {
      let model = try CallerScene().model()
      #expect(model.nightlyText == nil)
      model.schedule = .scheduled
      #expect(model.nightlyText == "The list is updated in the background, usually once a day.")
      model.schedule = .off
      #expect(
        model.nightlyText
          == "Background App Refresh is off in Settings. The list is updated when you open the app.")
      model.schedule = .refused(code: 1)
      #expect(
        model.nightlyText
          == "iOS does not schedule updates (error 1). The list is updated when you open the app.")
    }

    @Test("a report for support has states, sizes and errors, and no number or label")
    func diagnostics() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let model = scene.model()
      await model.start()
      try scene.phone.makeUnavailable(CallerScene.prefix + "2")
      try scene.publish(CallerScene.tuesday, since: true)
      await model.update()
      model.schedule = .refused(code: 2)
      model.directory.query = "+8613800138001"
      model.directory.lookUp()
      let report = model.diagnostics.text
      let lines = report.split(separator: "\n")
      #expect(lines.contains { $0.hasPrefix("extension 1: loaded, ") && $0.contains(" entries, 20") })
      #expect(lines.contains { $0.hasPrefix("extension 1 store: ") && $0.hasSuffix(" bytes") })
      #expect(lines.contains { $0.hasPrefix("extension 1 delta 1: ") && $0.hasSuffix(" bytes") })
      #expect(lines.contains("extension 2: failed: \(CXErrorDomainCallDirectoryManager) 102"))
      #expect(lines.contains("extension 2 error: \(CXErrorDomainCallDirectoryManager) 102"))
      #expect(lines.contains("extension 3: no files"))
      #expect(lines.contains("nightly update: refused(code: 2)"))
      for secret in ["138001", "快递", "外卖"] { #expect(!report.contains(secret)) }
      let offline = scene.model(transport: FailingTransport(URLError(.notConnectedToInternet)))
      await offline.update()
      #expect(offline.diagnostics.text.contains("last error: \(URLError.errorDomain) -1009\n"))
    }

    @Test("what iOS 26 does with other unknown callers is said there only")
    func screening() {
      func text(_ version: Int) -> String? {
        DirectoryModel([], systemVersion: version) { _ in nil }.screeningText
      }
      #expect(text(18) == nil && text(26)?.hasPrefix("Contacts are never blocked.") == true)
    }
  }
}
