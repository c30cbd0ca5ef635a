// The objects of a property list in Apple's binary form, read from a file one at a time: their types, sizes and places.
// Every offset and count is checked before it is used.
//
// Not for: the order in which objects are visited, and rows (BinaryPropertyListReader).
//
// Source: the format's description in CFBinaryPList.c of Apple's Core Foundation (github.com/opensource-apple/CF).

import Records
import SystemIO
import SystemPackage

/// Why an object can't be read, before it is known which input it is from.
enum BinaryPropertyListError: Error {
  case unreadable(Errno)
  /// It ends too early, or its last 32 bytes contradict its size.
  case badTrailer
  /// The object at this byte is damaged, or refers to an object that is not in the list.
  case badObject(byte: UInt64)
  /// Objects nested deeper than the limit, or inside themselves.
  case tooDeep(limit: Int)
  /// Objects that are used repeatedly make it far larger than the file.
  case bomb
  /// It is shorter than the input, which may contain other lists.
  case otherData
}

extension Failure {
  static func binaryPropertyList(_ error: BinaryPropertyListError, input: String) -> Failure {
    let text =
      switch error {
      case .unreadable(let code): "can't be read: \(code)"
      case .badTrailer: "is truncated or damaged: its last 32 bytes do not describe it"
      case .badObject(let byte): "is damaged at byte \(byte)"
      case .tooDeep(let limit): "is nested deeper than \(limit) levels, or contains itself"
      case .bomb: "repeats its parts until they are far larger than the file"
      case .otherData: "has other data before or after it, such as another list"
      }
    return parse("binary-property-list", "\(InputName.quoted(input)) is a binary property list that \(text)")
  }
}

/// The objects of a binary property list in a file.
struct BinaryPropertyList: ~Copyable {
  /// An object. Ranges are those of bytes in the file.
  enum Object {
    case null
    case flag(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since the start of 2001.
    case date(Double)
    case data
    case ascii(Range<UInt64>)
    case utf16(Range<UInt64>)
    case identifier
    /// The offset of the first reference, and how many there are.
    case array(references: UInt64, count: UInt64)
    /// The offset of the first reference to a key, and how many there are; the references to the values follow.
    case dictionary(references: UInt64, count: UInt64)
  }

  /// The first bytes of every list that this reads.
  private static let headerBytes: UInt64 = 8
  private static let trailerBytes: UInt64 = 32
  private static let windowBytes = 32 * 1024
  private static let readAheadBytes = 4 * 1024

  /// The index of the outermost object.
  let top: UInt64
  private let objectCount: UInt64
  private let offsetBytes: Int
  private let referenceBytes: Int
  private let tableOffset: UInt64
  // The offsets, the references and the objects are in different places.
  private var offsets: FileWindow
  private var references: FileWindow
  private var objects: FileWindow

  /// Opens the list in a file, which must stay open.
  init(_ file: FileDescriptor, size: UInt64, calls: any SystemCalls) throws(BinaryPropertyListError) {
    func window() -> FileWindow {
      FileWindow(
        file, size: size, capacity: Self.windowBytes, readAhead: Self.readAheadBytes, calls: calls)
    }
    var trailer = window()
    guard size > Self.headerBytes + Self.trailerBytes else { throw .badTrailer }
    let end = size - Self.trailerBytes
    try Self.load(&trailer, end, Int(Self.trailerBytes), or: .badTrailer)
    let widths = (offset: Int(trailer.byte(end + 6)), reference: Int(trailer.byte(end + 7)))
    let count = Self.bigEndian(trailer, end + 8, 8)
    let first = Self.bigEndian(trailer, end + 16, 8)
    let table = Self.bigEndian(trailer, end + 24, 8)
    let (tableBytes, overflows) = count.multipliedReportingOverflow(by: UInt64(widths.offset))
    guard 1...8 ~= widths.offset, 1...8 ~= widths.reference, !overflows, first < count,
      table > Self.headerBytes, table < end, tableBytes <= end - table
    else { throw .badTrailer }
    // The table is directly before the trailer. In lists one after another, its offset is relative to the last one.
    guard tableBytes == end - table else { throw .otherData }
    // Everything that can fail comes before the first property is set.
    offsetBytes = widths.offset
    referenceBytes = widths.reference
    objectCount = count
    top = first
    tableOffset = table
    offsets = window()
    references = window()
    objects = window()
  }

  // MARK: Objects

  /// The offset of an object. Throws if the object is not in the list; `byte` is the place of the reference.
  mutating func offset(of index: UInt64, referredAt byte: UInt64) throws(BinaryPropertyListError) -> UInt64 {
    guard index < objectCount else { throw .badObject(byte: byte) }
    let place = tableOffset + index * UInt64(offsetBytes)
    try Self.load(&offsets, place, offsetBytes, or: .badObject(byte: place))
    let offset = Self.bigEndian(offsets, place, offsetBytes)
    guard offset >= Self.headerBytes, offset < tableOffset else { throw .badObject(byte: place) }
    return offset
  }

  /// The reference at an offset, among those of an array or dictionary.
  mutating func reference(
    _ index: UInt64, from first: UInt64
  ) throws(BinaryPropertyListError) -> (object: UInt64, byte: UInt64) {
    let place = first + index * UInt64(referenceBytes)
    try Self.load(&references, place, referenceBytes, or: .badObject(byte: place))
    return (Self.bigEndian(references, place, referenceBytes), place)
  }

  /// The object at an offset.
  mutating func object(at offset: UInt64) throws(BinaryPropertyListError) -> Object {
    let damaged = BinaryPropertyListError.badObject(byte: offset)
    try Self.load(&objects, offset, 1, or: damaged)
    let marker = objects.byte(offset)
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0:
      switch low {
      case 0: return .null
      case 8, 9: return .flag(low == 9)
      default: throw damaged
      }
    case 0x1: return .integer(try integer(offset, low, damaged))
    case 0x2 where low == 2:
      return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try body(offset, 4, damaged)))))
    case 0x2 where low == 3: return .real(Double(bitPattern: try body(offset, 8, damaged)))
    case 0x3 where low == 3: return .date(Double(bitPattern: try body(offset, 8, damaged)))
    case 0x4:
      _ = try range(offset, low, width: 1, damaged)
      return .data
    case 0x5: return .ascii(try range(offset, low, width: 1, damaged))
    case 0x6: return .utf16(try range(offset, low, width: 2, damaged))
    case 0x8: return .identifier
    case 0xA, 0xC:
      let range = try self.range(offset, low, width: referenceBytes, damaged)
      return .array(
        references: range.lowerBound,
        count: (range.upperBound - range.lowerBound) / UInt64(referenceBytes))
    case 0xD:
      let range = try self.range(offset, low, width: 2 * referenceBytes, damaged)
      return .dictionary(
        references: range.lowerBound,
        count: (range.upperBound - range.lowerBound) / UInt64(2 * referenceBytes))
    default: throw damaged
    }
  }

  /// The first bytes of a range, at most as many as a window holds.
  mutating func bytes(_ range: Range<UInt64>) throws(BinaryPropertyListError) -> [UInt8] {
    let count = Int(min(range.upperBound - range.lowerBound, UInt64(Self.windowBytes)))
    try Self.load(&objects, range.lowerBound, count, or: .badObject(byte: range.lowerBound))
    return objects.bytes(range.lowerBound, count)
  }

  // MARK: Numbers and sizes

  /// An integer of 2^power bytes: unsigned with up to four, signed with eight; of sixteen, the last eight are used.
  private mutating func integer(
    _ offset: UInt64, _ power: Int, _ damaged: BinaryPropertyListError
  ) throws(BinaryPropertyListError) -> Int64 {
    guard power <= 4 else { throw damaged }
    let value = try power == 4 ? body(offset + 8, 8, damaged) : body(offset, 1 << power, damaged)
    return Int64(bitPattern: value)
  }

  /// The integer of `count` bytes after an object's marker.
  private mutating func body(
    _ offset: UInt64, _ count: Int, _ damaged: BinaryPropertyListError
  ) throws(BinaryPropertyListError) -> UInt64 {
    guard offset + 1 + UInt64(count) <= tableOffset else { throw damaged }
    try Self.load(&objects, offset + 1, count, or: damaged)
    return Self.bigEndian(objects, offset + 1, count)
  }

  /// The range of an object's elements, each `width` bytes long. The low half of the marker is their number, or 15 before
  /// an integer object with their number.
  private mutating func range(
    _ offset: UInt64, _ low: Int, width: Int, _ damaged: BinaryPropertyListError
  ) throws(BinaryPropertyListError) -> Range<UInt64> {
    var start = offset + 1
    var count = UInt64(low)
    if low == 0x0F {
      try Self.load(&objects, start, 1, or: damaged)
      let marker = objects.byte(start)
      let power = Int(marker & 0x0F)
      guard marker >> 4 == 1, power <= 3 else { throw damaged }
      count = try body(start, 1 << power, damaged)
      start += 1 + UInt64(1 << power)
    }
    let (size, overflows) = count.multipliedReportingOverflow(by: UInt64(width))
    guard !overflows, start <= tableOffset, size <= tableOffset - start else { throw damaged }
    return start..<start + size
  }

  private static func load(
    _ window: inout FileWindow, _ offset: UInt64, _ count: Int, or reason: BinaryPropertyListError
  ) throws(BinaryPropertyListError) {
    do throws(Errno) {
      if try window.load(offset, count) { return }
    } catch {
      throw .unreadable(error)
    }
    throw reason
  }

  /// A big-endian integer of loaded bytes.
  private static func bigEndian(_ window: borrowing FileWindow, _ offset: UInt64, _ count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<UInt64(count) { value = value << 8 | UInt64(window.byte(offset + index)) }
    return value
  }
}
