// The numbers and patterns that the user of an app blocks or allows, over the published list: a text file in the folder
// of the app group. The app writes it; extensions and lookups read it.

import CallStoreFormat
import Hashing

/// The numbers that a user blocks or allows.
///
///     var list = try OwnList(path: "own.txt")
///     try list.add(OwnList.Rule("+33 6 12 ## ## ##", .block, label: "survey"))
///     try list.add(OwnList.Rule("+33612345678", .allow))
///     try list.write(to: "own.txt")
///
/// A number that is allowed is neither blocked nor labelled, even if another rule blocks it. Extensions leave allowed
/// numbers out of the published list if ``ExtensionFiles/ownList`` names the file; blocked ones come from an extension
/// of their own, which loads ``ExtensionFiles/init(blocking:record:)``.
public struct OwnList: Equatable, Sendable {
  /// The maximum number of rules. Users type a few dozen, and extensions have little memory.
  public static let rulesMax = 5_000
  /// The maximum size of the text in bytes: 50 for each rule.
  public static let bytesMax = 256 << 10
  /// The name of the file in the folder of a `DirectoryUpdater`.
  public static let fileName = "own-list.txt"

  /// What a rule does with its numbers.
  public enum Action: String, Sendable, CaseIterable {
    /// Calls are blocked.
    case block
    /// Calls are neither blocked nor labelled.
    case allow
  }

  /// A number or a pattern.
  public struct Rule: Equatable, Sendable {
    /// The international number with its plus sign, such as `+33612345678`; in a pattern, `#` stands for each of the last
    /// digits.
    public let pattern: String
    /// What the rule does with the numbers.
    public let action: Action
    /// The user's name for it; empty if there is none.
    public let label: String
    /// The first and the last number.
    public let numbers: ClosedRange<UInt64>

    /// Reads a number or a pattern as typed, in international form: with or without a plus sign, spaces, hyphens,
    /// parentheses, full stops and slashes.
    ///
    /// - Throws: ``OwnListError/notANumber(_:)``.
    public init(_ typed: String, _ action: Action, label: String = "") throws(OwnListError) {
      var digits = ""
      var wildcards = 0
      for character in typed.unicodeScalars {
        switch character {
        case "0"..."9" where wildcards == 0: digits.unicodeScalars.append(character)
        case "#" where !digits.isEmpty: wildcards += 1
        case "+" where digits.isEmpty: continue
        case " ", "-", "(", ")", ".", "/", "\u{A0}": continue
        default: throw .notANumber(typed)
        }
      }
      // No calling code begins with 0; a number has at most 15 digits.
      guard let prefix = UInt64(digits), digits.utf8.first != UInt8(ascii: "0"),
        digits.utf8.count + wildcards <= Self.digitsMax
      else { throw .notANumber(typed) }
      let count = (0..<wildcards).reduce(UInt64(1)) { power, _ in power * 10 }
      numbers = prefix * count...prefix * count + count - 1
      pattern = "+" + digits + String(repeating: "#", count: wildcards)
      self.action = action
      // A label in one field of one line.
      self.label = String(label.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }

    private static let digitsMax = 15
  }

  /// The rules, in the order in which they were added.
  public private(set) var rules: [Rule] = []

  /// Creates an empty list.
  public init() {}

  /// Adds a rule. It replaces one for the same number or pattern.
  ///
  /// - Throws: ``OwnListError/tooManyRules(limit:)``.
  public mutating func add(_ rule: Rule) throws(OwnListError) {
    rules.removeAll { $0.numbers == rule.numbers }
    guard rules.count < Self.rulesMax else { throw .tooManyRules(limit: Self.rulesMax) }
    rules.append(rule)
  }

  /// Removes the rule for a number or pattern.
  public mutating func remove(_ pattern: String) { rules.removeAll { $0.pattern == pattern } }

  /// The rule that applies to a number: one that allows it takes precedence over one that blocks it. Nil if there is
  /// none.
  public func rule(for number: UInt64) -> Rule? {
    let matching = rules.filter { $0.numbers.contains(number) }
    return matching.first { $0.action == .allow } ?? matching.first
  }

  var allowed: NumberRanges { NumberRanges(rules.filter { $0.action == .allow }.map(\.numbers)) }

  var blocked: NumberRanges {
    NumberRanges(rules.filter { $0.action == .block }.map(\.numbers)).subtracting(allowed)
  }
}

/// Why an own list, or a line of it, can't be used.
public enum OwnListError: Error, Equatable, Sendable {
  /// The text is not an international number or pattern.
  case notANumber(String)
  /// A line of a text, counted from 1, is not a rule.
  case invalidLine(Int, String)
  /// There are more rules than ``OwnList/rulesMax``.
  case tooManyRules(limit: Int)
  /// The text is larger than ``OwnList/bytesMax``, or not UTF-8.
  case notAList
  /// The file can't be read or written; the value is the `errno`.
  case file(Int32)
}

// MARK: - The text: import and export

extension OwnList {
  /// The list as text, to export it: a line for each rule, `block` or `allow`, the pattern, and the label if there is
  /// one, separated by tabs.
  public var text: String {
    rules.map { rule in
      "\(rule.action.rawValue)\t\(rule.pattern)" + (rule.label.isEmpty ? "" : "\t\(rule.label)") + "\n"
    }.joined()
  }

  /// Reads a list. A line without `block` or `allow` is a number to block, with a label after a tab; lines that begin
  /// with `#` are comments. Later rules replace earlier ones for the same numbers.
  public init(text: String) throws(OwnListError) {
    guard text.utf8.count <= Self.bytesMax else { throw .notAList }
    let mark: Character = "\u{FEFF}"
    // Adding them one by one would compare each with all.
    var places: [ClosedRange<UInt64>: Int] = [:]
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.first == mark ? line.dropFirst() : line
      if line.first == "#" || line.allSatisfy(\.isWhitespace) { continue }
      guard let rule = try? Self.rule(line) else { throw .invalidLine(index + 1, String(line)) }
      if let place = places[rule.numbers] {
        rules[place] = rule
      } else {
        guard rules.count < Self.rulesMax else { throw .tooManyRules(limit: Self.rulesMax) }
        places[rule.numbers] = rules.count
        rules.append(rule)
      }
    }
  }

  private static func rule(_ line: Substring) throws(OwnListError) -> Rule {
    var fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    let action = Action(rawValue: fields[0])
    if action != nil { fields.removeFirst() }
    return try Rule(
      fields.first ?? "", action ?? .block, label: fields.dropFirst().joined(separator: " "))
  }

  /// Reads the list at a path; an empty one if there is no file.
  ///
  /// - Throws: ``OwnListError``; a file that is there and may not be read is an error, not an empty list.
  public init(path: String) throws(OwnListError) {
    let bytes: ContiguousArray<UInt8>
    do throws(CallDirectoryError) {
      bytes = try RecordFile(path: path).contents(atMost: Self.bytesMax + 1)
    } catch {
      throw .file(error.deniedFile?.code ?? 0)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.count <= Self.bytesMax, text.utf8.elementsEqual(bytes) else { throw .notAList }
    try self.init(text: text)
  }

  /// Replaces the file at a path, atomically. Then reload the extensions: ``ExtensionFiles/progress()`` shows which have
  /// something to load.
  public func write(to path: String) throws(OwnListError) {
    let text = text
    guard text.utf8.count <= Self.bytesMax else { throw .notAList }
    let code = RecordFile(path: path).replace(ContiguousArray(text.utf8))
    if code != 0 { throw .file(code) }
  }
}

// MARK: - Ranges of numbers

/// Ascending ranges with gaps between them.
struct NumberRanges: Equatable, Sendable {
  private(set) var ranges: ContiguousArray<ClosedRange<UInt64>> = []

  /// Joins ranges that overlap or touch.
  init(_ ranges: [ClosedRange<UInt64>] = []) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = self.ranges.last, range.lowerBound <= last.upperBound + 1 {
        self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        self.ranges.append(range)
      }
    }
  }

  var count: UInt64 { ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound + 1 } }

  /// The index of the first range that ends at a number or after it.
  func index(from number: UInt64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func contains(_ number: UInt64) -> Bool {
    let index = index(from: number)
    return index < ranges.count && ranges[index].contains(number)
  }

  /// The ranges without the numbers of others.
  func subtracting(_ others: NumberRanges) -> NumberRanges {
    var rest: [ClosedRange<UInt64>] = []
    for range in ranges {
      var next = range.lowerBound
      for other in others.ranges[others.index(from: next)...].prefix(while: {
        $0.lowerBound <= range.upperBound
      }) {
        if other.lowerBound > next { rest.append(next...other.lowerBound - 1) }
        next = max(next, other.upperBound + 1)
      }
      if next <= range.upperBound { rest.append(next...range.upperBound) }
    }
    return NumberRanges(rest)
  }

  /// The ranges that share numbers with another one.
  func overlapping(_ numbers: ClosedRange<UInt64>) -> NumberRanges {
    NumberRanges(ranges.filter { $0.overlaps(numbers) })
  }

  /// SHA-256 over the bounds of the ranges.
  var hash: [UInt8] {
    var hasher = SHA256Hasher()
    for range in ranges { hasher.update("\(range.lowerBound) \(range.upperBound)\n") }
    return hasher.digest
  }

  /// A number that identifies the ranges; 0 without any.
  var tag: UInt64 {
    ranges.isEmpty ? 0 : max(1, hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }
}
