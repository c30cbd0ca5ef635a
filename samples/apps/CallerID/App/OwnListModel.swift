// What the screen of the user's own list shows: its rules, what is wrong with what is being typed, import and export. Not
// for loading extensions (CallerModel), and not for layout (OwnListScreen).

import CallDirectory
import Foundation
import NumberPlan
import Observation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("OwnList")

/// The numbers and patterns that the user blocks or allows, over the published list. Each change is saved and loaded.
@MainActor @Observable
final class OwnListModel {
  /// The number or pattern that is being typed.
  var entry = ""
  /// The user's name for it.
  var label = ""
  /// Whether calls from it are allowed, rather than blocked.
  var isAllowed = false
  /// What has gone wrong; nil if nothing has.
  private(set) var problem: String?

  private var list: OwnList?
  private let path: String
  private let region: Region?
  private let load: @MainActor () async -> Void

  /// Reads the list.
  ///
  /// - Parameters:
  ///   - path: the path of its file.
  ///   - region: the country of numbers without a calling code, as two letters.
  ///   - load: loads the extensions that a change concerns.
  init(
    path: String, region: String? = Locale.current.region?.identifier,
    load: @escaping @MainActor () async -> Void
  ) {
    self.path = path
    self.region = region.flatMap { Region($0) }
    self.load = load
    do throws(OwnListError) {
      list = try OwnList(path: path)
    } catch {
      // It is not replaced by an empty one: before the first unlock, no file can be read.
      problem = texts("Your list can’t be read. Unlock the device, and open the app again.")
    }
  }

  /// The rules, the newest first.
  var rules: [OwnList.Rule] { list?.rules.reversed() ?? [] }

  /// What a rule does, and the user's name for it.
  func text(of rule: OwnList.Rule) -> String {
    let action = rule.action == .block ? texts("Blocked") : texts("Allowed")
    return rule.label.isEmpty ? action : "\(action) · \(rule.label)"
  }

  /// The list as text, for other apps and phones.
  var exported: String { list?.text ?? "" }

  // MARK: Typing

  /// What is wrong with what is being typed; nil if nothing is.
  var entryProblem: String? {
    if entry.isEmpty || (try? rule()) != nil { return nil }
    return entry.contains("#")
      ? texts("Write a pattern in international form, such as +33 6 12 ## ## ##.")
      : texts("This is not a phone number.")
  }

  /// Whether the number or pattern is complete, and can be added.
  var canAdd: Bool { list != nil && (try? rule()) != nil }

  private func rule() throws(OwnListError) -> OwnList.Rule {
    let typed = entry.trimmingCharacters(in: .whitespaces)
    let action: OwnList.Action = isAllowed ? .allow : .block
    let name = label.trimmingCharacters(in: .whitespaces)
    if typed.contains("#") {
      guard typed.hasPrefix("+") else { throw .notANumber(typed) }
      return try OwnList.Rule(typed, action, label: name)
    }
    let text = ContiguousArray(typed.utf8)
    guard let number = try? NumberPlan.parse(text.span, region: region).e164 else { throw .notANumber(typed) }
    return try OwnList.Rule("+\(number)", action, label: name)
  }

  // MARK: Changes

  /// Adds the number or pattern that was typed. It replaces a rule for the same numbers.
  func add() async {
    guard let rule = try? rule() else { return }
    let isDone = await change { (list: inout OwnList) throws(OwnListError) in try list.add(rule) }
    if isDone { (entry, label) = ("", "") }
  }

  func remove(_ rule: OwnList.Rule) async {
    await change { (list: inout OwnList) throws(OwnListError) in list.remove(rule.pattern) }
  }

  /// Adds the rules of a text that was exported, or of any list of international numbers, one in a line.
  func add(text: String) async {
    await change { (list: inout OwnList) throws(OwnListError) in
      // By itself first: errors name its lines.
      _ = try OwnList(text: text)
      list = try OwnList(text: list.text + text)
    }
  }

  /// Saves a changed list, and loads what it concerns. Returns whether it was saved.
  @discardableResult
  private func change(_ change: (inout OwnList) throws(OwnListError) -> Void) async -> Bool {
    guard var list else { return false }
    do throws(OwnListError) {
      try change(&list)
      guard Self.blockedCount(list) <= ExtensionFiles.additionsMax else {
        problem = texts("One extension can block at most %lld numbers.", ExtensionFiles.additionsMax)
        return false
      }
      try list.write(to: path)
    } catch {
      problem = Self.text(error)
      return false
    }
    problem = nil
    self.list = list
    await load()
    return true
  }

  private static func blockedCount(_ list: OwnList) -> UInt64 {
    list.rules.filter { $0.action == .block }
      .reduce(0) { $0 &+ ($1.numbers.upperBound - $1.numbers.lowerBound + 1) }
  }

  private static func text(_ error: OwnListError) -> String {
    switch error {
    case .notANumber: texts("This is not a phone number.")
    case .invalidLine(let line, _): texts("Line %lld is not a number or a pattern. Nothing was added.", line)
    case .tooManyRules(let limit): texts("The list is full: it can have %lld numbers and patterns.", limit)
    case .notAList: texts("The text is not a list.")
    case .file:
      texts("Your list could not be saved. Make sure that there is free storage, then try again.")
    }
  }
}
