// CallerID's update at night: iOS starts the task, or ends it, and the next night is scheduled.

import BackgroundTasks
import CallDirectoryKit
import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import CallerID
@testable import SampleShared

extension SampleApps {
  @Suite("CallerID's nightly update")
  @MainActor
  struct NightlyUpdateTests {
    private static let identifier = "com.example.callerid.update"

    private func nightly(_ scene: CallerScene, _ model: CallerModel) -> NightlyUpdate {
      scene.services.backgroundTasks.permit([Self.identifier])
      let nightly = NightlyUpdate(identifier: Self.identifier) { await model.update() }
      #expect(nightly.start() == .scheduled)
      return nightly
    }

    @Test("updates the list, and asks for the next night")
    func night() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let model = scene.model()
      await model.start()
      let tasks = scene.services.backgroundTasks
      let before = Date()
      _ = nightly(scene, model)
      let date = try #require(tasks.earliestBegin(Self.identifier))
      #expect(date > before && date.timeIntervalSince(before) < 25 * 3_600)
      #expect(Calendar.current.component(.hour, from: date) == NightlyUpdate.hour)
      try scene.publish(CallerScene.tuesday, since: true)
      let task = try #require(tasks.start(Self.identifier))
      #expect(await task.success())
      try scene.expectTuesday()
      #expect(tasks.earliestBegin(Self.identifier) != nil)
      // The second night has nothing new, and loads nothing.
      let report = scene.phone.lastOutcome(CallerScene.prefix + "1")?.report
      let second = try #require(tasks.start(Self.identifier))
      #expect(await second.success())
      #expect(scene.phone.lastOutcome(CallerScene.prefix + "1")?.report == report)
    }

    @Test("is ended by iOS while it downloads; the next night continues")
    func expired() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let silent = SilentTransport()
      let model = scene.model(transport: silent)
      let tasks = scene.services.backgroundTasks
      _ = nightly(scene, model)
      let task = try #require(tasks.start(Self.identifier))
      await waitUntil("the server is asked") { silent.requests > 0 }
      task.expire()
      #expect(await task.success() == false)
      await waitUntil("the update has ended") { model.canUpdate }
      #expect(model.directory.notice?.text == "The update was cancelled.")
      #expect(tasks.earliestBegin(Self.identifier) != nil)
    }

    @Test("is ended by iOS while an extension is loading; what was loaded stays")
    func expiredLoading() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let barrier = Barrier()
      let (own, group) = (scene.directory.extensions[0], scene.directory.updater.folder)
      try scene.phone.update(
        own.identifier, .handler { HeldHandler(CallDirectoryHandler(own.index, group: group), at: barrier) })
      let model = scene.model()
      let tasks = scene.services.backgroundTasks
      _ = nightly(scene, model)
      let task = try #require(tasks.start(Self.identifier))
      await waitUntil("an extension is loading") { model.directory.rows[0].state == .loading }
      task.expire()
      // The app answers at once, although the extension is still loading.
      #expect(await task.success() == false)
      barrier.open()
      await waitUntil("the update has ended") { model.canUpdate }
      #expect(model.directory.rows.map(\.status) == ["4 numbers", "Waiting to load", "No numbers"])
      let second = try #require(tasks.start(Self.identifier))
      #expect(await second.success())
      try scene.expectMonday()
    }

    @Test("reports an update that fails")
    func failing() async throws {
      let scene = try CallerScene()
      let model = scene.model(transport: FailingTransport(status: 500))
      let tasks = scene.services.backgroundTasks
      _ = nightly(scene, model)
      let task = try #require(tasks.start(Self.identifier))
      #expect(await task.success() == false)
      #expect(model.directory.notice?.text == "The server reported an error (500).")
      #expect(tasks.earliestBegin(Self.identifier) != nil)
    }

    @Test("needs Background App Refresh, and the permission of the Info.plist")
    func unavailable() throws {
      let scene = try CallerScene()
      let tasks = scene.services.backgroundTasks
      let nightly = NightlyUpdate(identifier: Self.identifier) { true }
      #expect(nightly.start() == .refused(code: 3))
      tasks.permit([Self.identifier])
      #expect(nightly.start() == .scheduled)
      tasks.setAvailable(false)
      #expect(nightly.schedule() == .off)
      tasks.setAvailable(true)
      // One request for refreshing an app may be pending.
      tasks.permit([Self.identifier, "other"])
      #expect(throws: BGTaskScheduler.Error(.tooManyPendingTaskRequests)) {
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "other"))
      }
      #expect(NightlyUpdate(identifier: "other") { true }.start() == .refused(code: 2))
      #expect(throws: BGTaskScheduler.Error(.notPermitted)) {
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "third"))
      }
      BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: Self.identifier)
      #expect(tasks.start(Self.identifier) == nil)
    }

    @Test("the first update has minutes, and is asked for until it was successful")
    func first() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      let identifier = "com.example.callerid.first"
      let tasks = scene.services.backgroundTasks
      tasks.permit([identifier])
      let silent = SilentTransport()
      let waiting = scene.model(transport: silent)
      #expect(waiting.isFirst)
      #expect(
        FirstUpdate(identifier: identifier) { await waiting.update() }.start(isNeeded: true) == .scheduled)
      let task = try #require(tasks.start(identifier))
      await waitUntil("the server is asked") { silent.requests > 0 }
      task.expire()
      #expect(await task.success() == false)
      #expect(tasks.earliestBegin(identifier) != nil)
      await waitUntil("the update has ended") { waiting.canUpdate }
      // The app is started again, with a network.
      let model = scene.model()
      tasks.forgetHandlers()
      FirstUpdate(identifier: identifier) { await model.update() }.start(isNeeded: model.isFirst)
      let second = try #require(tasks.start(identifier))
      #expect(await second.success())
      try scene.expectMonday()
      #expect(tasks.earliestBegin(identifier) == nil && !model.isFirst)
      tasks.forgetHandlers()
      #expect(FirstUpdate(identifier: identifier) { true }.start(isNeeded: model.isFirst) == .scheduled)
      #expect(tasks.earliestBegin(identifier) == nil)
    }
  }
}
