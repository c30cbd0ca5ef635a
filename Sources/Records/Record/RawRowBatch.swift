// The batches of raw rows that parse passes to normalize, in columns.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import BasicContainers

/// Up to 4096 raw rows in columns: the number's text as found in the input, and the index of the record fields. Filled
/// and emptied like a ``RecordBatch``.
///
/// A row is identified by its ordinal: the first row of a stream is row 1. That is also its line in the text form, so
/// stages report the same row whether they are piped or run in one process.
public struct RawRowBatch: ~Copyable, Sendable {
  public static let rowsMax = RecordBatch.recordsMax
  /// The largest size of a number text in bytes. Phone numbers are far shorter, even with punctuation and words.
  public static let textBytesMax = 1024
  /// The most bytes of number text in a batch; 4096 texts of 11 to 20 bytes fit, which are the most common.
  public static let textsBytesMax = 128 * 1024

  public static let memoryBytes =
    rowsMax * (4 + 4) + textsBytesMax + RecordFieldsTable.memoryBytes

  @usableFromInline var texts: RigidArray<UInt8>
  @usableFromInline var textEnds: RigidArray<UInt32>
  /// The index of each row's record fields in ``fieldsTable``.
  public var fieldsIndices: RigidArray<UInt32>
  public var fieldsTable: RecordFieldsTable
  /// The ordinal of the batch's first row in its stream.
  public var firstOrdinal: UInt64

  public init() {
    texts = RigidArray(capacity: Self.textsBytesMax)
    textEnds = RigidArray(capacity: Self.rowsMax)
    fieldsIndices = RigidArray(capacity: Self.rowsMax)
    fieldsTable = RecordFieldsTable()
    firstOrdinal = 1
  }

  @inlinable public var count: Int { textEnds.count }
  /// Whether there are no rows.
  @inlinable public var isEmpty: Bool { textEnds.isEmpty }

  /// Whether a row fits whose text has `bytes` bytes and whose record fields are in the table.
  @inlinable
  public func hasCapacity(forText bytes: Int) -> Bool {
    textEnds.count < Self.rowsMax && texts.count + bytes <= Self.textsBytesMax
  }

  /// Whether the label of the record fields at an index equals another one, which needs no escapes.
  @inlinable
  public borrowing func hasLabel(_ label: Span<UInt8>, at fieldsIndex: Int) -> Bool {
    fieldsTable.hasLabel(label, at: fieldsIndex)
  }

  /// Adds a row whose record fields are in the table already.
  ///
  /// - Precondition: `hasCapacity(forText: text.count)`, and `fieldsIndex` was returned by `intern`.
  @inlinable
  public mutating func append(text: Span<UInt8>, fieldsIndex: Int) {
    texts.append(copying: text)
    textEnds.append(UInt32(truncatingIfNeeded: texts.count))
    fieldsIndices.append(UInt32(truncatingIfNeeded: fieldsIndex))
  }

  /// Adds a row; returns false when it does not fit.
  ///
  /// - Precondition: `text` has at most ``textBytesMax`` bytes.
  @inlinable
  public mutating func append(text: Span<UInt8>, recordFields: Span<UInt8>) -> Bool {
    guard hasCapacity(forText: text.count), let index = fieldsTable.intern(recordFields) else { return false }
    append(text: text, fieldsIndex: index)
    return true
  }

  /// Calls `fill` to add many rows with short texts at once. It may also intern record fields.
  @inlinable
  public mutating func appendRows(_ fill: (inout RawRowCapacity, inout RecordFieldsTable) -> Void) {
    Self.append(to: &texts, &textEnds, &fieldsIndices, &fieldsTable, fill)
  }

  @inlinable
  static func append(
    to texts: inout RigidArray<UInt8>, _ textEnds: inout RigidArray<UInt32>,
    _ fieldsIndices: inout RigidArray<UInt32>, _ fieldsTable: inout RecordFieldsTable,
    _ fill: (inout RawRowCapacity, inout RecordFieldsTable) -> Void
  ) {
    let textBytes = texts.count
    let rowsFree = textEnds.freeCapacity
    texts.append(addingCount: texts.freeCapacity) { textOutput in
      unsafe textOutput.withUnsafeMutableBufferPointer { textBuffer, textCount in
        textEnds.append(addingCount: rowsFree) { endOutput in
          unsafe endOutput.withUnsafeMutableBufferPointer { endBuffer, endCount in
            fieldsIndices.append(addingCount: rowsFree) { indexOutput in
              unsafe indexOutput.withUnsafeMutableBufferPointer { indexBuffer, indexCount in
                var capacity = unsafe RawRowCapacity(
                  textBuffer, endBuffer, indexBuffer, textBytesBefore: textBytes)
                fill(&capacity, &fieldsTable)
                (textCount, endCount, indexCount) = (capacity.textBytes, capacity.rows, capacity.rows)
              }
            }
          }
        }
      }
    }
  }

  /// Adds the texts of `count` rows, one after another, whose record fields the caller adds; returns false if they don't
  /// fit, or if the lengths are not those of the texts.
  public mutating func appendTexts(_ texts: Span<UInt8>, count: Int, length: (Int) -> UInt16) -> Bool {
    guard texts.count <= self.texts.freeCapacity, count <= textEnds.freeCapacity else { return false }
    let start = UInt32(truncatingIfNeeded: self.texts.count)
    var end = start
    var longest: UInt16 = 0
    textEnds.append(addingCount: count) { output in
      for row in 0..<count {
        let bytes = length(row)
        longest = max(longest, bytes)
        // At most 4,096 times 65,535.
        end &+= UInt32(bytes)
        output.append(end)
      }
    }
    guard Int(longest) <= Self.textBytesMax, Int(end &- start) == texts.count else {
      textEnds.removeLast(count)
      return false
    }
    self.texts.append(copying: texts)
    return true
  }

  /// The number text of the row at `index`, without escapes.
  @inlinable
  public subscript(textAt index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let start = index == 0 ? 0 : Int(textEnds[index - 1])
      return texts.span.extracting(start..<Int(textEnds[index]))
    }
  }

  /// The number texts of all rows, one after another.
  @inlinable
  public var allTexts: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { texts.span }
  }

  /// The end of each row's text in ``allTexts``, which is the start of the next one.
  @inlinable
  public var allTextEnds: Span<UInt32> {
    @_lifetime(borrow self)
    borrowing get { textEnds.span }
  }

  /// The record fields of the row at `index`.
  @inlinable
  public subscript(fieldsAt index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { fieldsTable[Int(fieldsIndices[index])] }
  }

  /// Removes all rows and keeps the memory. The ordinals of later rows continue.
  public mutating func removeAll() {
    firstOrdinal += UInt64(count)
    texts.removeAll()
    textEnds.removeAll()
    fieldsIndices.removeAll()
    fieldsTable.removeAll()
  }
}

/// The free capacity after a batch's last row. It exists only within ``RawRowBatch/appendRows(_:)``.
@safe
public struct RawRowCapacity: ~Copyable {
  /// The longest text that can be added here, in bytes: two words.
  public static let textBytesMax = 16

  // Each points to the free capacity of a column, which `appendRows` keeps alive and accesses exclusively.
  // `hasCapacity` is checked for each row before anything is written.
  @usableFromInline let texts: UnsafeMutableRawPointer
  @usableFromInline let ends: UnsafeMutablePointer<UInt32>
  @usableFromInline let indices: UnsafeMutablePointer<UInt32>
  @usableFromInline let rowsMax: Int
  @usableFromInline let textBytesBefore: Int
  @usableFromInline var textBytes = 0
  @usableFromInline var rowsAdded = 0

  @inlinable
  init(
    _ texts: UnsafeMutableBufferPointer<UInt8>, _ ends: UnsafeMutableBufferPointer<UInt32>,
    _ indices: UnsafeMutableBufferPointer<UInt32>, textBytesBefore: Int
  ) {
    // A full column may have no address; nothing is written there.
    unsafe self.texts =
      UnsafeMutableRawPointer(texts.baseAddress) ?? UnsafeMutableRawPointer(bitPattern: 1)!
    unsafe self.ends = ends.baseAddress ?? UnsafeMutablePointer(bitPattern: 4)!
    unsafe self.indices = indices.baseAddress ?? UnsafeMutablePointer(bitPattern: 4)!
    // Every row may have the longest text, so that counting rows is enough.
    rowsMax = min(ends.count, indices.count, texts.count / Self.textBytesMax)
    self.textBytesBefore = textBytesBefore
  }

  /// The number of rows added so far.
  @inlinable public var rows: Int { rowsAdded }

  /// Whether another row fits.
  @inlinable
  public var hasCapacity: Bool { rowsAdded < rowsMax }

  /// Adds a row whose text is the first `count` bytes of two words, the first byte lowest.
  ///
  /// - Precondition: ``hasCapacity``, `count` is at most ``textBytesMax``, and `fieldsIndex` was returned by `intern`.
  @inlinable @inline(__always)
  public mutating func append(_ front: UInt64, _ back: UInt64, count: Int, fieldsIndex: Int) {
    precondition(hasCapacity && count >= 0 && count <= Self.textBytesMax, "no capacity for a row")
    // Both words fit. The bytes after the text are overwritten by the next text, or never read.
    unsafe texts.storeBytes(of: front.littleEndian, toByteOffset: textBytes, as: UInt64.self)
    unsafe texts.storeBytes(of: back.littleEndian, toByteOffset: textBytes &+ 8, as: UInt64.self)
    textBytes &+= count
    unsafe ends[rowsAdded] = UInt32(truncatingIfNeeded: textBytesBefore &+ textBytes)
    unsafe indices[rowsAdded] = UInt32(truncatingIfNeeded: fieldsIndex)
    rowsAdded &+= 1
  }
}
