// The data slices of YetAnotherCallBlocker and Should I Answer: lists of numbers with votes, or with names. All integers
// are little-endian.
//
//     slice     magic (4) · 1 byte · version (4) · 2 letters · 4 bytes · count (4) · items · "CP" · count (4) ·
//               numbers that are removed (8 each) · end mark (6)
//     item      number (8) · positive votes (1) · negative votes (1) · neutral votes (1) · 1 byte · category (1)
//     names     magic (4) · version (4) · count (4) · items · "CP" · 0 (4) · end mark (6)
//     item      number (8) · length (4) · name in UTF-8
//
// Numbers are international, ascending and distinct: applications search them by bisection.
//
// Source: the applications' code, which is public as github.com/Vinetos/Tranquille, a fork with its history (commit
// be725803, sia/model/database/CommunityDatabaseDataSlice.java, FeaturedDatabaseDataSlice.java,
// sia/model/NumberCategory.java).

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public enum SliceFormat {
  public enum Contents: Sendable {
    /// Votes and a category for each number.
    case votes
    case names
  }

  /// The magic of slices with votes that both applications read; `YABF` is only read by YetAnotherCallBlocker.
  public static let magic: StaticString = "MTZF"
  /// The end mark that both applications read.
  public static let endMark: StaticString = "MTZEND"
  /// What separates the items from the removed numbers.
  public static let divider: StaticString = "CP"
  private static let magics = ["YABF", "MTZF", "MTZD"]
  private static let nameMagics = ["YABX", "MTZX"]
  private static let endMarks = ["YABEND", "MTZEND"]

  /// The number of bytes before the first item, with its count.
  public static func headerBytes(_ contents: Contents) -> Int { contents == .votes ? 19 : 12 }
  /// The number of bytes of an item; without the name.
  public static func itemBytes(_ contents: Contents) -> Int { contents == .votes ? 13 : 12 }

  /// The contents of a slice, by its first four bytes; nil if they are not the magic of a slice.
  public static func contents(_ start: Span<UInt8>) -> Contents? {
    guard start.count >= 4 else { return nil }
    if magics.contains(where: { equals(start.extracting(0..<4), $0) }) { return .votes }
    return nameMagics.contains { equals(start.extracting(0..<4), $0) } ? .names : nil
  }

  public static func isDivider(_ bytes: Span<UInt8>) -> Bool { equals(bytes, "CP") }

  public static func isEndMark(_ bytes: Span<UInt8>) -> Bool { endMarks.contains { equals(bytes, $0) } }

  private static func equals(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    guard bytes.count == text.utf8.count else { return false }
    for (index, letter) in text.utf8.enumerated() where bytes[index] & ~0x20 != letter { return false }
    return true
  }

  // MARK: Categories

  /// The names of the categories; those of the numbers 19 to 99 are not defined.
  private static let categories: [UInt8: String] = [
    1: "telemarketer", 2: "debt collector", 3: "silent call", 4: "nuisance call", 5: "unsolicited call",
    6: "call center", 7: "fax machine", 8: "non-profit", 9: "political", 10: "scam", 11: "prank", 12: "sms",
    13: "survey", 14: "other", 15: "finance service", 16: "company", 17: "service", 18: "robocall",
    100: "safe personal", 101: "safe company", 102: "safe non-profit",
  ]

  /// The prefix of the name of a category that is not defined.
  private static let unnamed = "category "

  /// The name of a category; empty for 0, which stands for none.
  public static func categoryName(_ category: UInt8) -> String {
    category == 0 ? "" : categories[category] ?? unnamed + String(category)
  }

  /// The category with a name, in any case; nil if there is none.
  public static func category(named name: String) -> UInt8? {
    if name.isEmpty { return 0 }
    let plain = name.lowercased()
    if let found = categories.first(where: { $0.value == plain }) { return found.key }
    guard plain.hasPrefix(unnamed), let number = UInt8(plain.dropFirst(unnamed.count)) else { return nil }
    return categoryName(number) == plain ? number : nil
  }

  // MARK: Integers

  /// Appends the lowest `count` bytes of an integer.
  public static func append(_ value: UInt64, count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }

  /// The integer of `count` bytes at `start`, at most 8.
  public static func integer(_ bytes: Span<UInt8>, at start: Int, count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(bytes[start + index]) << UInt64(8 * index) }
    return value
  }
}
