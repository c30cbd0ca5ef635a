// An area code of North America, and which part of its numbers belongs to which extension.

import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Why a text is not an area code that can be added.
nonisolated enum AreaCodeError: Error, Equatable, Sendable {
  /// The text contains something other than digits.
  case notDigits
  /// The first digit is 0 or 1.
  case badStart
  /// There are more than three digits.
  case tooLong
  /// The list has the code already.
  case listed
  /// The app has no extensions left for another code.
  case full(codes: Int)
}

/// An area code: 200 to 999. Its numbers are +1, the code, and seven digits.
nonisolated struct AreaCode: Hashable, Comparable, Sendable {
  /// The number of digits of a code.
  static let length = 3
  /// The number of digits after a code.
  static let lineDigits = 7

  /// The code as a number, 200 to 999.
  let number: Int

  /// The code as a text.
  var text: String { String(number) }

  /// Parses a code as it is being typed. Nil if digits are missing; spaces at the ends don't count.
  init?(typed text: String) throws(AreaCodeError) {
    let digits = text.trimmingCharacters(in: .whitespaces)
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw .notDigits
    }
    if digits.hasPrefix("0") || digits.hasPrefix("1") { throw .badStart }
    guard digits.utf8.count <= Self.length else { throw .tooLong }
    guard digits.utf8.count == Self.length, let number = Int(digits) else { return nil }
    self.number = number
  }

  static func < (one: AreaCode, other: AreaCode) -> Bool { one.number < other.number }
}

/// The part of an area code's numbers that belongs to an extension: a code has 10,000,000 numbers, and iOS accepts fewer
/// than 2,000,000 from an extension.
nonisolated struct CodePart: Equatable, Sendable {
  /// The number of extensions that share a code.
  static let count = 6

  /// The place of the code in the list, from 0.
  let slot: Int
  /// Which part of the code's numbers, from 0.
  let part: Int
  private let lineDigits: Int

  /// The part of an extension: the first six share the first code, and so on.
  ///
  /// - Parameter lineDigits: the number of digits after the code. Tests use fewer.
  init(of index: ExtensionIndex, lineDigits: Int = AreaCode.lineDigits) {
    slot = max(0, index.number - 1) / Self.count
    part = max(0, index.number - 1) % Self.count
    self.lineDigits = lineDigits
  }

  /// The numbers of a code that belong to the part, with the calling code 1.
  func numbers(of code: AreaCode) -> ClosedRange<UInt64> {
    let width = (0..<lineDigits).reduce(UInt64(1)) { width, _ in width * 10 }
    let start = (1_000 + UInt64(code.number)) * width
    let (first, next) = (UInt64(part) * width, UInt64(part + 1) * width)
    return start + first / UInt64(Self.count)...start + next / UInt64(Self.count) - 1
  }
}

/// The area codes to block. Each has a slot, which it keeps: when another one is removed, its extensions stay loaded.
nonisolated struct CodeList: Equatable, Sendable {
  /// The code in each slot; nil for an empty slot.
  private(set) var slots: [AreaCode?]

  /// Creates a list without codes.
  init(slots count: Int) {
    slots = Array(repeating: nil, count: count)
  }

  /// The codes, ascending.
  var codes: [AreaCode] { slots.compactMap { $0 }.sorted() }

  /// Checks a code as it is being typed. Nil if digits are missing.
  func check(_ text: String) throws(AreaCodeError) -> AreaCode? {
    guard let code = try AreaCode(typed: text) else { return nil }
    if slots.contains(code) { throw .listed }
    guard slots.contains(nil) else { throw .full(codes: slots.count) }
    return code
  }

  /// Adds a code that was typed completely. Returns whether it was complete.
  mutating func add(_ text: String) throws(AreaCodeError) -> Bool {
    guard let code = try check(text), let slot = slots.firstIndex(of: nil) else { return false }
    put(code, into: slot)
    return true
  }

  /// Puts a code into an empty slot.
  mutating func put(_ code: AreaCode, into slot: Int) { slots[slot] = code }

  /// Removes a code. Its slot is empty then.
  mutating func remove(_ code: AreaCode) {
    if let slot = slots.firstIndex(of: code) { slots[slot] = nil }
  }
}
