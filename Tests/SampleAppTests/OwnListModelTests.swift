// The screen of the user's own list, on the simulated phone: what it blocks and allows, what is wrong with an entry, export
// and import.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import CallerID
@testable import SampleShared

extension SampleApps {
  @Suite("The user's own list")
  @MainActor
  struct OwnListModelTests {
    private static let own = CallerScene.prefix + "0"

    /// A phone with the published list loaded, and the screens of the app.
    private func scene() async throws -> (CallerScene, CallerModel, OwnListModel) {
      let scene = try CallerScene(ownList: true)
      try scene.publish(CallerScene.monday)
      let model = scene.model()
      await model.start()
      #expect(model.directory.rows.map(\.status) == ["0 numbers", "4 numbers", "2 numbers", "No numbers"])
      return (scene, model, try #require(model.own))
    }

    @Test("an app without an extension for it has no such screen")
    func absent() throws { #expect(try CallerScene().model().own == nil) }

    @Test("a number or pattern is blocked when it is added, and not any more when it is removed")
    func blocked() async throws {
      let (scene, model, own) = try await scene()
      own.entry = "+86 10 1234 56##"
      own.label = " survey "
      #expect(own.canAdd && own.entryProblem == nil)
      await own.add()
      #expect(own.entry.isEmpty && own.label.isEmpty && own.problem == nil)
      #expect(own.rules.map(\.pattern) == ["+8610123456##"])
      #expect(own.rules.map { own.text(of: $0) } == ["Blocked · survey"])
      #expect(model.directory.rows[0].status == "100 numbers" && model.directory.notice == nil)
      #expect(try scene.phone.entryCounts(Self.own).blocking == 100)
      await own.remove(own.rules[0])
      #expect(own.rules.isEmpty && model.directory.rows[0].status == "0 numbers")
      #expect(try scene.phone.entryCounts(Self.own) == EntryCounts())
    }

    @Test("an allowed number is left out of the published list, and a lookup agrees")
    func allowed() async throws {
      let (scene, model, _) = try await scene()
      let own = OwnListModel(
        path: DirectoryUpdater.ownList(in: scene.directory.updater.folder), region: "CN"
      ) { _ = await scene.directory.load() }
      own.entry = "138 0013 8002"
      own.isAllowed = true
      await own.add()
      #expect(
        own.rules.map(\.pattern) == ["+8613800138002"] && own.rules.map { own.text(of: $0) } == ["Allowed"])
      await model.directory.refresh()
      #expect(model.directory.needsLoading == false)
      let counts = try scene.phone.entryCounts(CallerScene.prefix + "1")
      #expect(counts.blocking + counts.identification == 3)
      model.directory.query = "+8613800138002"
      model.directory.lookUp()
      #expect(model.directory.answer?.finding == .unknown)
    }

    @Test("a change loads the extensions whose numbers it concerns, and no other")
    func concerned() async throws {
      let (scene, model, own) = try await scene()
      _ = scene.requests.next()
      func add(_ entry: String, allowed: Bool = true) async -> [Int] {
        (own.entry, own.isAllowed) = (entry, allowed)
        await own.add()
        #expect(own.problem == nil && model.directory.notice == nil && !model.directory.needsLoading)
        return scene.requests.next()
      }
      func remove(_ pattern: String) async throws -> [Int] {
        await own.remove(try #require(own.rules.first { $0.pattern == pattern }))
        return scene.requests.next()
      }
      #expect(try scene.isBlocked("13800138002"))
      #expect(await add("+8613800138002") == [1])
      #expect(try scene.answer("13800138002") == .unknown)
      #expect(await add("+8613800138006") == [2])
      #expect(await add("+8613900139001", allowed: false) == [0])
      // Now that its own extension does not block it, no other one has to leave it out.
      #expect(await add("+8613900139001") == [0])
      #expect(await add("+8613900139002") == [])
      #expect(await add("+861380013800#") == [1, 2])
      // The pattern allows it, too.
      #expect(try await remove("+8613800138002") == [])
      #expect(try await remove("+861380013800#") == [1, 2])
      #expect(try scene.isBlocked("13800138002") && scene.answer("13800138006") == .unknown)

      // A night changes both shards: each is loaded once, by its delta, and still leaves the number out.
      try scene.publish(CallerScene.tuesday, since: true)
      #expect(await model.update())
      #expect(scene.requests.next() == [1, 2])
      try scene.expectTuesday()
      #expect(try scene.answer("13800138006") == .unknown)
      #expect(await model.update() && scene.requests.next() == [])
    }

    @Test("what is wrong with an entry is shown while it is typed")
    func entries() async throws {
      let (_, _, own) = try await scene()
      for (entry, problem) in [
        ("", nil), ("+33612345678", nil), ("+33 6 12 ## ## ##", nil), ("12a", "This is not a phone number."),
        ("06 12 ##", "Write a pattern in international form, such as +33 6 12 ## ## ##."),
        ("+#", "Write a pattern in international form, such as +33 6 12 ## ## ##."),
      ] as [(String, String?)] {
        own.entry = entry
        #expect(own.entryProblem == problem, "\(entry)")
        #expect(own.canAdd == (problem == nil && !entry.isEmpty), "\(entry)")
      }
      own.entry = "+33 #######"
      await own.add()
      #expect(own.problem == "One extension can block at most 1,999,999 numbers." && own.rules.isEmpty)
    }

    @Test("a list is exported and imported, and a text that is not one changes nothing")
    func exchange() async throws {
      let (scene, _, own) = try await scene()
      await own.add(text: "+8613900139001\nallow\t+8613800138002\tAnn\n")
      #expect(own.problem == nil && own.rules.map(\.pattern) == ["+8613800138002", "+8613900139001"])
      #expect(own.exported == "block\t+8613900139001\nallow\t+8613800138002\tAnn\n")
      await own.add(text: "+8613900139002\nhello\n")
      #expect(own.problem == "Line 2 is not a number or a pattern. Nothing was added.")
      #expect(own.rules.count == 2)
      // Another screen, and the next launch, find what was saved.
      #expect(try #require(scene.model().own).rules == own.rules)
    }

    @Test("a list that can't be read is not replaced")
    func unreadable() async throws {
      let (scene, _, _) = try await scene()
      let path = DirectoryUpdater.ownList(in: scene.directory.updater.folder)
      try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: path))
      let own = try #require(scene.model().own)
      #expect(own.problem == "Your list can’t be read. Unlock the device, and open the app again.")
      own.entry = "+8613900139001"
      #expect(!own.canAdd)
      await own.add()
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([0xFF, 0xFE]))
    }
  }
}
