// What a long load has of iOS: a screen that stays on, time in the background, and a task with progress.

import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import Block070
@testable import SampleShared

extension SampleApps {
  @Suite("A long load")
  @MainActor
  struct LongLoadTests {
    private static let identifier = "com.example.block070.load"

    /// A phone with two extensions, the second of which waits at a barrier; the app may go on in the background.
    private func scene() throws -> (scene: BlockingScene, barrier: Barrier) {
      let scene = try BlockingScene(
        "+82 70 1234 XXXX", maxEntries: 6_000, extensions: 2, storage: .database(path: nil))
      let barrier = Barrier()
      let (own, group) = (scene.extensions[1], scene.group)
      try scene.services.phone.update(
        own.identifier, .handler { HeldHandler(CallDirectoryHandler(own, group: group), at: barrier) })
      scene.services.backgroundTasks.permit([Self.identifier])
      #expect(LongLoad.register(Self.identifier))
      return (scene, barrier)
    }

    @Test("keeps the screen on, and shows its progress until it has ended")
    func load() async throws {
      let (scene, barrier) = try scene()
      let services = scene.services
      let model = BlockingModel(group: scene.group, extensions: scene.extensions)
      #expect(!SimulatedApplication.keepsScreenOn && SimulatedApplication.backgroundTaskCount == 0)
      let work = Task { await model.set(true) }
      await waitUntil("the second extension is loading") { model.directory.rows[1].state == .loading }
      #expect(SimulatedApplication.keepsScreenOn && SimulatedApplication.backgroundTaskCount == 1)
      let task = try #require(services.backgroundTasks.continued(Self.identifier))
      await waitUntil("iOS shows the progress") { (task.shown?.fraction ?? 0) >= 0.5 }
      let shown = try #require(task.shown)
      #expect(shown.title == "Loading…" && shown.subtitle.hasPrefix("Loading 2 of 2, About "))
      // iOS ends a task whose progress stands still, and an extension may take a minute.
      await waitUntil("the progress goes on") { (task.shown?.fraction ?? 0) > 0.5 }
      barrier.open()
      await work.value
      #expect(await task.success())
      #expect(!SimulatedApplication.keepsScreenOn && SimulatedApplication.backgroundTaskCount == 0)
      #expect(services.backgroundTasks.continued(Self.identifier) == nil)
    }

    @Test("the owner ends it on the lock screen: it ends after the current extension")
    func ended() async throws {
      let (scene, barrier) = try scene()
      let model = BlockingModel(group: scene.group, extensions: scene.extensions)
      let work = Task { await model.set(true) }
      await waitUntil("the second extension is loading") { model.directory.rows[1].state == .loading }
      let task = try #require(scene.services.backgroundTasks.continued(Self.identifier))
      await waitUntil("iOS shows the progress") { (task.shown?.fraction ?? 0) >= 0.5 }
      task.expire()
      // iOS is answered at once, although the extension is still loading.
      #expect(await task.success() == false)
      barrier.open()
      await work.value
      #expect(model.directory.summary == "2 of 2 extensions loaded")
    }

    @Test("time in the background that runs out is given back; the load goes on")
    func expired() async throws {
      let (scene, barrier) = try scene()
      scene.services.backgroundTasks.setBusy(true)
      let model = BlockingModel(group: scene.group, extensions: scene.extensions)
      let work = Task { await model.set(true) }
      await waitUntil("the second extension is loading") { model.directory.rows[1].state == .loading }
      // iOS has no resources for a task with progress.
      #expect(scene.services.backgroundTasks.continued(Self.identifier) == nil)
      SimulatedApplication.setInBackground(true)
      SimulatedApplication.expireBackgroundTime()
      #expect(SimulatedApplication.backgroundTaskCount == 0)
      SimulatedApplication.setInBackground(false)
      barrier.open()
      await work.value
      #expect(model.directory.summary == "2 of 2 extensions loaded" && !SimulatedApplication.keepsScreenOn)
    }

    @Test("an update that iOS starts in the background asks for nothing more")
    func background() async throws {
      let (scene, barrier) = try scene()
      SimulatedApplication.setInBackground(true)
      defer { SimulatedApplication.setInBackground(false) }
      let model = BlockingModel(group: scene.group, extensions: scene.extensions)
      let work = Task { await model.set(true) }
      await waitUntil("the second extension is loading") { model.directory.rows[1].state == .loading }
      #expect(!SimulatedApplication.keepsScreenOn && SimulatedApplication.backgroundTaskCount == 0)
      #expect(scene.services.backgroundTasks.continued(Self.identifier) == nil)
      barrier.open()
      await work.value
      #expect(model.directory.summary == "2 of 2 extensions loaded")
    }

    @Test("an update that the owner did not ask for is not a task of the owner's")
    func unrequested() async throws {
      let (scene, _) = try scene()
      let directory = BlockingModel(group: scene.group, extensions: scene.extensions).directory
      let (tasks, identifier) = (scene.services.backgroundTasks, Self.identifier)
      try await directory.run("…", isRequested: false) { _ in #expect(tasks.continued(identifier) == nil) }
      try await directory.run("…") { _ in #expect(tasks.continued(identifier) != nil) }
    }
  }
}
