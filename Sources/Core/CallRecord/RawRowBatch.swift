// Raw rows on their way from parse to normalize, some thousands at a time, in columns.

public import BasicContainers

/// Some thousands of raw rows in columns: the number's text as it stood in the input, and the index of the
/// record fields. Filled and emptied like a ``RecordBatch``.
///
/// A row is known by its ordinal: the first row of a stream is row 1. That is also its line in the text form,
/// so a piped and a fused stage name a row alike.
@frozen
public struct RawRowBatch: ~Copyable, Sendable {
  /// The most rows in a batch.
  public static let rowsMax = RecordBatch.recordsMax
  /// The longest number text in bytes. A phone number with every decoration is far below it.
  public static let textBytesMax = 1024
  /// The most bytes of number text in a batch; 4096 texts of a usual 11 to 20 bytes fit.
  public static let textsBytesMax = 128 * 1024

  /// The memory that a batch takes, in bytes.
  public static let memoryBytes =
    rowsMax * (4 + 4) + textsBytesMax + RecordFieldsTable.memoryBytes

  @usableFromInline var texts: RigidArray<UInt8>
  @usableFromInline var textEnds: RigidArray<UInt32>
  /// The index of each row's record fields in ``record fields``.
  public var fieldsIndices: RigidArray<UInt32>
  /// The record fields.
  public var fieldsTable: RecordFieldsTable
  /// The ordinal of the batch's first row in its stream.
  public var firstOrdinal: UInt64

  /// Makes an empty batch.
  public init() {
    texts = RigidArray(capacity: Self.textsBytesMax)
    textEnds = RigidArray(capacity: Self.rowsMax)
    fieldsIndices = RigidArray(capacity: Self.rowsMax)
    fieldsTable = RecordFieldsTable()
    firstOrdinal = 1
  }

  /// The number of rows.
  @inlinable public var count: Int { textEnds.count }
  /// Whether there is no row.
  @inlinable public var isEmpty: Bool { textEnds.isEmpty }

  /// Whether a row with a text of `bytes` bytes and a known record fields fits.
  @inlinable
  public func hasCapacity(forText bytes: Int) -> Bool {
    textEnds.count < Self.rowsMax && texts.count + bytes <= Self.textsBytesMax
  }

  /// Adds a row whose record fields stands in the table already.
  ///
  /// - Precondition: `hasCapacity(forText: text.count)`, and the index is one that `intern` gave.
  @inlinable
  public mutating func append(text: Span<UInt8>, fieldsIndex: Int) {
    texts.append(copying: text)
    textEnds.append(UInt32(truncatingIfNeeded: texts.count))
    fieldsIndices.append(UInt32(truncatingIfNeeded: fieldsIndex))
  }

  /// Adds a row, or returns false when the batch has no room for it.
  ///
  /// - Precondition: `text` has at most ``textBytesMax`` bytes.
  @inlinable
  public mutating func append(text: Span<UInt8>, recordFields: Span<UInt8>) -> Bool {
    guard hasCapacity(forText: text.count), let index = fieldsTable.intern(recordFields) else { return false }
    append(text: text, fieldsIndex: index)
    return true
  }

  /// Lets `fill` add rows with short texts, many at a time, while it may also name record fields.
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
    let rowsMost = textEnds.freeCapacity
    texts.append(addingCount: texts.freeCapacity) { textOutput in
      unsafe textOutput.withUnsafeMutableBufferPointer { textBuffer, textCount in
        textEnds.append(addingCount: rowsMost) { endOutput in
          unsafe endOutput.withUnsafeMutableBufferPointer { endBuffer, endCount in
            fieldsIndices.append(addingCount: rowsMost) { indexOutput in
              unsafe indexOutput.withUnsafeMutableBufferPointer { indexBuffer, indexCount in
                var room = unsafe RawRowCapacity(
                  textBuffer, endBuffer, indexBuffer, textBytesBefore: textBytes)
                fill(&room, &fieldsTable)
                (textCount, endCount, indexCount) = (room.textBytes, room.rows, room.rows)
              }
            }
          }
        }
      }
    }
  }

  /// The number text of the row at `index`, not escaped.
  @inlinable
  public subscript(textAt index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let start = index == 0 ? 0 : Int(textEnds[index - 1])
      return texts.span.extracting(start..<Int(textEnds[index]))
    }
  }

  /// The number texts of all rows, one behind the other.
  @inlinable
  public var allTexts: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { texts.span }
  }

  /// Where each row's text ends in ``allTexts``; the next one begins there.
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

  /// Empties the batch, keeps its memory, and lets the next row follow the last one's ordinal.
  public mutating func removeAll() {
    firstOrdinal += UInt64(count)
    texts.removeAll()
    textEnds.removeAll()
    fieldsIndices.removeAll()
    fieldsTable.removeAll()
  }
}
