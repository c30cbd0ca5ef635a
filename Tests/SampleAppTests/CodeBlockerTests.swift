// Area codes on a phone: each is blocked by six extensions, and a change loads only the extensions of its code.

import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import CodeBlocker
@testable import SampleShared

/// A phone with the app and its extensions. A code has a thousand numbers here, unless a test wants all of them.
@MainActor
private final class Scene {
  static let prefix = "com.example.codes.directory"
  let services: FrameworkServices
  let group: URL
  let extensions: [InstalledExtension]
  let model: CodesModel
  let lineDigits: Int
  private let workplace: Workplace
  var phone: SimulatedPhone { services.phone }

  init(
    extensions count: Int = 12, _ storage: SimulatedPhone.Storage = .database(path: nil), lineDigits: Int = 3,
    switchingOn on: Int? = nil
  ) throws {
    workplace = try Workplace()
    services = FrameworkServices(try SimulatedPhone(storage))
    services.install()
    let group = workplace.folder
    self.group = group
    self.lineDigits = lineDigits
    extensions = (1...count).compactMap { InstalledExtension("\(Self.prefix)\($0)", resources: group) }
    for (place, own) in extensions.enumerated() {
      let code = ExtensionCode(own.index, SharedCodes(group), lineDigits: lineDigits)
      try services.phone.install(own.identifier, .handler { CallDirectoryHandler(code) })
      if place < on ?? count { #expect(services.phone.switchOn(own.identifier).isSuccess) }
    }
    model = CodesModel(group: group, extensions: extensions, lineDigits: lineDigits)
  }

  deinit { services.uninstall() }

  func add(_ code: String) {
    model.entry = code
    #expect(model.canAdd && model.entryProblem == nil, "\(code)")
    model.add()
    #expect(model.entry.isEmpty)
  }

  func code(_ text: String) throws -> AreaCode { try #require(try AreaCode(typed: text)) }

  func counts() throws -> [Int] { try extensions.map { try phone.entryCounts($0.identifier).blocking } }

  func isBlocked(_ number: Int64) throws -> Bool {
    if case .blocked = try phone.answer(IncomingCall(from: "+\(number)")) { return true }
    return false
  }
}

extension SampleApps {
  @Suite("CodeBlocker")
  @MainActor
  struct CodeBlockerTests {
    @Test("a code is checked as it is typed")
    func typing() throws {
      let scene = try Scene()
      let problems = [
        ("", nil), ("2", nil), ("21", nil), ("212", nil),
        ("1", "An area code begins with a digit from 2 to 9."),
        ("2a", "An area code has only digits."), ("2123", "An area code has three digits."),
      ]
      for (text, problem) in problems {
        scene.model.entry = text
        #expect(scene.model.entryProblem == problem, "\(text)")
        #expect(scene.model.canAdd == (text == "212"))
        if text != "212" { scene.model.add() }
      }
      #expect(scene.model.list.codes.isEmpty)
      scene.add("212")
      scene.model.entry = "212"
      #expect(scene.model.entryProblem == "This area code is in the list." && !scene.model.canAdd)
      scene.add("415")
      scene.model.entry = "206"
      #expect(
        scene.model.entryProblem == "All 2 places for area codes are taken. Remove a code first.")
      #expect(scene.model.capacity == "2 of 2 area codes")
      scene.model.remove(try scene.code("212"))
      #expect(scene.model.entryProblem == nil && scene.model.canAdd)
    }

    @Test("nothing is blocked before the codes are applied, and then all of their numbers are")
    func apply() async throws {
      let scene = try Scene()
      await scene.model.refresh()
      #expect(scene.model.status == "No calls are blocked." && !scene.model.canApply)
      scene.add("212")
      #expect(scene.model.canApply && scene.model.status == "Tap Apply to save the changes.")
      #expect(try scene.counts() == Array(repeating: 0, count: 12))
      await scene.model.apply()
      let rows = scene.model.directory.rows.map { "\($0.state): \($0.status)" }
      #expect(
        try scene.counts() == [166, 167, 167, 166, 167, 167] + Array(repeating: 0, count: 6),
        "\(rows) \(String(describing: scene.model.directory.notice))")
      #expect(scene.model.status == "Calls from 1,000 numbers are blocked.")
      #expect(scene.model.directory.rows.map(\.status).prefix(2) == ["166 numbers", "167 numbers"])
      #expect(scene.model.directory.rows.last?.status == "No numbers")
      #expect(!scene.model.canApply && scene.model.directory.notice == nil)
      // A new start of the app shows the same.
      let next = CodesModel(group: scene.group, extensions: scene.extensions, lineDigits: 3)
      await next.refresh()
      #expect(next.list == scene.model.list && next.status == scene.model.status)
    }

    @Test("a code is blocked by the extensions of its place only, and the others stay loaded")
    func places() async throws {
      let scene = try Scene()
      scene.add("212")
      scene.add("415")
      await scene.model.apply()
      #expect(try scene.counts().reduce(0, +) == 2_000)
      scene.model.remove(try scene.code("212"))
      scene.add("206")
      let record = scene.group.appendingPathComponent("0007-load.json")
      let before = try Data(contentsOf: record)
      await scene.model.apply()
      #expect(try scene.counts().reduce(0, +) == 2_000)
      // Each load has another id.
      #expect(try Data(contentsOf: record) == before)
      #expect(scene.model.list.slots.map { $0?.text } == ["206", "415"])
      scene.model.remove(try scene.code("415"))
      await scene.model.apply()
      #expect(try scene.counts().suffix(6) == [0, 0, 0, 0, 0, 0])
      #expect(scene.model.status == "Calls from 1,000 numbers are blocked.")
    }

    @Test("an extension that iOS loads again keeps its numbers, and loads none of them twice")
    func again() async throws {
      let scene = try Scene(extensions: 6)
      scene.add("212")
      await scene.model.apply()
      let own = scene.extensions[0].identifier
      try await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: own)
      let report = try #require(scene.phone.lastOutcome(own)?.report)
      #expect(report.isIncremental && report.blockingAdded == 0)
      #expect(try scene.counts()[0] == 166)
    }

    @Test("a list that can't be read is not an empty one: what iOS has stays")
    func unreadable() async throws {
      let scene = try Scene(extensions: 6)
      scene.add("212")
      await scene.model.apply()
      let list = scene.group.appendingPathComponent("codes.json")
      // Before the first unlock, reading fails; here, because it is a folder.
      try FileManager.default.moveItem(at: list, to: scene.group.appendingPathComponent("kept.json"))
      try FileManager.default.createDirectory(at: list, withIntermediateDirectories: true)
      let own = scene.extensions[0].identifier
      _ = try? await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: own)
      #expect(try scene.counts()[0] == 166)
    }

    @Test("extensions that are off are loaded when the owner has turned them on")
    func off() async throws {
      let scene = try Scene(extensions: 6, switchingOn: 5)
      scene.add("212")
      await scene.model.apply()
      #expect(scene.model.directory.rows.map(\.state).last == .off)
      #expect(scene.model.directory.notice?.action == .openSettings)
      #expect(scene.phone.switchOn(scene.extensions[5].identifier).isSuccess)
      await scene.model.refresh()
      #expect(try scene.counts().reduce(0, +) == 1_000)
    }

    @Test("an app with fewer than six extensions can't block a code; damaged files are empty lists")
    func few() throws {
      let scene = try Scene(extensions: 5)
      scene.model.entry = "212"
      #expect(scene.model.entryProblem == "The app has too few extensions for an area code.")
      for text in ["", "{", #"["2"]"#, #"["112", "a"]"#] {
        try Data(text.utf8).write(to: scene.group.appendingPathComponent("codes.json"))
        #expect(try SharedCodes(scene.group).list(slots: 1).codes.isEmpty, "\(text)")
      }
      let model = CodesModel(group: nil, extensions: scene.extensions)
      #expect(model.directory.notice == .missingAppGroup && !model.canApply)
    }

    @Test("the ten million numbers of a code fit into six extensions")
    func whole() async throws {
      let ends: Set<Int64> = [12_120_000_000, 12_129_999_999, 12_119_999_999, 12_130_000_000]
      let scene = try Scene(extensions: 6, .counting(watching: ends), lineDigits: AreaCode.lineDigits)
      scene.add("212")
      await scene.model.apply()
      #expect(try scene.counts().reduce(0, +) == 10_000_000)
      for number in ends {
        #expect(try scene.isBlocked(number) == (12_120_000_000...12_129_999_999).contains(number))
      }
    }
  }
}
