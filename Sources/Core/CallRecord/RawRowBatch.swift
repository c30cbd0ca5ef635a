// Raw rows on their way from parse to normalize, some thousands at a time, in columns.

public import BasicContainers

/// Some thousands of raw rows in columns: the number's text as it stood in the input, and the index of the
/// annotation. Filled and emptied like a ``RecordBatch``.
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
    rowsMax * (4 + 4) + textsBytesMax + AnnotationTable.memoryBytes

  @usableFromInline var texts: RigidArray<UInt8>
  @usableFromInline var textEnds: RigidArray<UInt32>
  /// The index of each row's annotation in ``annotations``.
  public var annotationIndices: RigidArray<UInt32>
  /// The annotations.
  public var annotations: AnnotationTable
  /// The ordinal of the batch's first row in its stream.
  public var firstOrdinal: UInt64

  /// Makes an empty batch.
  public init() {
    texts = RigidArray(capacity: Self.textsBytesMax)
    textEnds = RigidArray(capacity: Self.rowsMax)
    annotationIndices = RigidArray(capacity: Self.rowsMax)
    annotations = AnnotationTable()
    firstOrdinal = 1
  }

  /// The number of rows.
  @inlinable public var count: Int { textEnds.count }
  /// Whether there is no row.
  @inlinable public var isEmpty: Bool { textEnds.isEmpty }

  /// Whether a row with a text of `bytes` bytes and a known annotation fits.
  @inlinable
  public func hasRoom(forText bytes: Int) -> Bool {
    textEnds.count < Self.rowsMax && texts.count + bytes <= Self.textsBytesMax
  }

  /// Adds a row whose annotation stands in the table already.
  ///
  /// - Precondition: `hasRoom(forText: text.count)`, and the index is one that `intern` gave.
  @inlinable
  public mutating func append(text: Span<UInt8>, annotationIndex: Int) {
    texts.append(copying: text)
    textEnds.append(UInt32(truncatingIfNeeded: texts.count))
    annotationIndices.append(UInt32(truncatingIfNeeded: annotationIndex))
  }

  /// Adds a row, or returns false when the batch has no room for it.
  ///
  /// - Precondition: `text` has at most ``textBytesMax`` bytes.
  @inlinable
  public mutating func append(text: Span<UInt8>, annotation: Span<UInt8>) -> Bool {
    guard hasRoom(forText: text.count), let index = annotations.intern(annotation) else { return false }
    append(text: text, annotationIndex: index)
    return true
  }

  /// Lets `fill` add rows with short texts, many at a time, while it may also name annotations.
  @inlinable
  public mutating func appendRows(_ fill: (inout RawRowRoom, inout AnnotationTable) -> Void) {
    Self.append(to: &texts, &textEnds, &annotationIndices, &annotations, fill)
  }

  @inlinable
  static func append(
    to texts: inout RigidArray<UInt8>, _ textEnds: inout RigidArray<UInt32>,
    _ annotationIndices: inout RigidArray<UInt32>, _ annotations: inout AnnotationTable,
    _ fill: (inout RawRowRoom, inout AnnotationTable) -> Void
  ) {
    let textBytes = texts.count
    let rowsMost = textEnds.freeCapacity
    texts.append(addingCount: texts.freeCapacity) { textOutput in
      unsafe textOutput.withUnsafeMutableBufferPointer { textBuffer, textCount in
        textEnds.append(addingCount: rowsMost) { endOutput in
          unsafe endOutput.withUnsafeMutableBufferPointer { endBuffer, endCount in
            annotationIndices.append(addingCount: rowsMost) { indexOutput in
              unsafe indexOutput.withUnsafeMutableBufferPointer { indexBuffer, indexCount in
                var room = unsafe RawRowRoom(
                  textBuffer, endBuffer, indexBuffer, textBytesBefore: textBytes)
                fill(&room, &annotations)
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

  /// The annotation of the row at `index`.
  @inlinable
  public subscript(annotationAt index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { annotations[Int(annotationIndices[index])] }
  }

  /// Empties the batch, keeps its memory, and lets the next row follow the last one's ordinal.
  public mutating func removeAll() {
    firstOrdinal += UInt64(count)
    texts.removeAll()
    textEnds.removeAll()
    annotationIndices.removeAll()
    annotations.removeAll()
  }
}
