// The two kinds of records in a store, and the limits that a reader and a writer hold each other to.
//
// Not for: where the bytes stand (StoreLayout).

/// What a phone does with a number.
public enum StoreKind: UInt8, Sendable, CaseIterable {
  /// Calls from the number are refused.
  case blocking = 0
  /// Calls from the number show a label.
  case identification = 1
}

/// The limits of a store. A file beyond one of them is no store.
public enum StoreLimits {
  /// The smallest number.
  @inlinable public static var numberMin: UInt64 { 1 }
  /// The largest number: 15 digits, the most that ITU-T E.164 allows.
  @inlinable public static var numberMax: UInt64 { 999_999_999_999_999 }
  /// The most records in a block: as many as CallKit's own batch holds.
  @inlinable public static var blockRecordsMax: Int { 10_000 }
  /// The longest label in bytes. A phone shows some dozens of characters; this leaves room for any mistake.
  @inlinable public static var labelBytesMax: Int { 32 * 1024 }
  /// The most labels in the table of the whole store. Lists have some dozens; a list in which every record
  /// has its own gains nothing from a table, and its labels stand in the blocks.
  @inlinable public static var tableLabelsMax: Int { 4096 }
  /// The most bytes that the table's labels take together, so that a writer can hold them.
  @inlinable public static var tableBytesMax: Int { 256 * 1024 }
  /// The most label codes that blocks share: a writer makes a new one when it has seen eight times as many blocks of a
  /// kind, and a reader holds a table for each.
  @inlinable public static var codesMax: Int { 8 }
  /// The most bytes of the shared codes together; four for each symbol there can be.
  @inlinable public static var codesBytesMax: Int { 128 * 1024 }
  /// The most bytes that a block's own labels take together; four labels of the longest kind.
  @inlinable public static var blockLabelBytesMax: Int { 128 * 1024 }
  /// The most blocks: 327 million records when blocks are full. It bounds the index that a writer holds to 1.5 MiB.
  @inlinable public static var blocksMax: Int { 32_768 }
}
