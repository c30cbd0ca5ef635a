// The two kinds of records in a store, and the limits that readers and writers share.
//
// Not for: the layout of the bytes (StoreLayout).

/// What a phone does with a number.
public enum StoreKind: UInt8, Sendable, CaseIterable {
  /// Calls from the number are blocked.
  case blocking = 0
  /// Calls from the number show a label.
  case identification = 1
}

/// The limits of a store. A file that exceeds one of them is not a valid store.
public enum StoreLimits {
  /// The smallest number.
  @inlinable public static var numberMin: UInt64 { 1 }
  /// The largest number: 15 digits, the maximum of ITU-T E.164.
  @inlinable public static var numberMax: UInt64 { 999_999_999_999_999 }
  /// The maximum number of records in a block: the size of CallKit's batches.
  @inlinable public static var blockRecordsMax: Int { 10_000 }
  /// The maximum length of a label in bytes. A phone shows a few dozen characters; this limit is far above that.
  @inlinable public static var labelBytesMax: Int { 32 * 1024 }
  /// The maximum number of labels in the store's table. Most lists have a few dozen. A list in which every record has a
  /// distinct label gains nothing from a table; its labels are in the blocks.
  @inlinable public static var tableLabelsMax: Int { 4096 }
  /// The maximum total size of the table's labels in bytes, so that a writer can hold them.
  @inlinable public static var tableBytesMax: Int { 256 * 1024 }
  /// The maximum number of label codes that blocks share. A writer makes a new one when there are eight times as many
  /// blocks of a kind, and a reader holds a table for each.
  @inlinable public static var codesMax: Int { 8 }
  /// The maximum total size of the shared codes in bytes: four for each possible symbol.
  @inlinable public static var codesBytesMax: Int { 128 * 1024 }
  /// The maximum total size of a block's own labels in bytes: four labels of the maximum length.
  @inlinable public static var blockLabelBytesMax: Int { 128 * 1024 }
  /// The maximum number of blocks: 327 million records when blocks are full. It limits the index that a writer holds to
  /// 1.5 MiB.
  @inlinable public static var blocksMax: Int { 32_768 }
}
