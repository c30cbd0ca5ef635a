// Property lists in Apple's binary form: visits the objects in the order of the XML form, and makes the same rows.
//
// An object may be referred to from many places, so that a small file can stand for an endless list, or contain itself.
// So the depth, the number of visited objects and the size of their texts are limited.

import Records
import SystemIO
import SystemPackage

/// Reads a binary property list, which is spooled to a temporary file because its table is at its end.
struct BinaryPropertyListReader: ~Copyable {
  /// An array or dictionary that is being visited.
  private struct Frame {
    var isDictionary: Bool
    var references: UInt64
    /// The number of references, and of those that were visited.
    var count: UInt64
    var visited: UInt64 = 0

    var element: PropertyListRows.Element { isDictionary ? .dictionary : .array }

    /// The index of the next reference: a key is followed by its value.
    var next: UInt64 { isDictionary ? visited / 2 + (visited & 1 == 1 ? count / 2 : 0) : visited }
    /// Whether the next reference is a key.
    var isAtKey: Bool { isDictionary && visited & 1 == 0 }
  }

  /// The size of texts up to which they are not compared with the size of the file, in bytes, and the maximum ratio. A
  /// list whose entries share long labels has a ratio of ten.
  private static let textBytesFree: UInt64 = 64 << 20
  private static let textRatioMax: UInt64 = 200

  private let context: StageContext
  private var spool: InputSpool
  private var stack: [Frame] = []
  private var visits: UInt64 = 0
  private var textBytes: UInt64 = 0

  /// Makes a reader without any bytes.
  init(_ context: StageContext) throws(Failure) {
    self.context = context
    spool = try InputSpool(context)
  }

  mutating func append(_ bytes: Span<UInt8>) throws(Failure) { try spool.append(bytes) }

  /// Reads the list.
  ///
  /// - Complexity: O(bytes): at most one visit per byte.
  mutating func read(into machine: PropertyListRows, _ rows: inout RowWriter) throws(Failure) {
    let source = BinaryPropertyList.Source(
      file: spool.file.descriptor, size: UInt64(spool.file.size), directory: spool.file.directory,
      input: rows.input, context: context)
    var list = try BinaryPropertyList(source)
    let place = { RecordPosition() }
    try machine.start(.list, at: place, &rows)
    try visit(list.top, referredAt: 0, isKey: false, &list, machine, &rows)
    while let frame = stack.last {
      if frame.visited == frame.count {
        stack.removeLast()
        try machine.end(frame.element, &rows)
        continue
      }
      stack[stack.count - 1].visited += 1
      let reference = try list.reference(frame.next, from: frame.references)
      try visit(reference.object, referredAt: reference.byte, isKey: frame.isAtKey, &list, machine, &rows)
    }
    try machine.end(.list, &rows)
  }

  /// Passes an object to the rows; an array or dictionary becomes the innermost one.
  private mutating func visit(
    _ index: UInt64, referredAt byte: UInt64, isKey: Bool, _ list: inout BinaryPropertyList,
    _ machine: PropertyListRows, _ rows: inout RowWriter
  ) throws(Failure) {
    visits += 1
    guard visits <= list.source.size else { throw list.source.bomb }
    let offset = try list.offset(of: index, referredAt: byte)
    let object = try list.object(at: offset)
    let place = { RecordPosition(line: 1, byte: offset) }
    switch object {
    case .array(let references, let count):
      try push(Frame(isDictionary: false, references: references, count: count), isKey, offset, list.source)
      try machine.start(.array, at: place, &rows)
    case .dictionary(let references, let count):
      try push(
        Frame(isDictionary: true, references: references, count: 2 * count), isKey, offset, list.source)
      try machine.start(.dictionary, at: place, &rows)
    case .flag(let value) where !isKey:
      try machine.start(.flag(value), at: place, &rows)
      try machine.end(.flag(value), &rows)
    case .data where !isKey:
      // Not a text: a field can't be read from it, as from an array.
      try machine.start(.array, at: place, &rows)
      try machine.end(.array, &rows)
    case .identifier where !isKey:
      // In XML it is a dictionary.
      try machine.start(.dictionary, at: place, &rows)
      try machine.end(.dictionary, &rows)
    default:
      try machine.start(isKey ? .key : .text, at: place, &rows)
      try addText(of: object, &list, machine)
      try machine.end(isKey ? .key : .text, &rows)
    }
  }

  private mutating func push(
    _ frame: Frame, _ isKey: Bool, _ offset: UInt64, _ source: BinaryPropertyList.Source
  ) throws(Failure) {
    if isKey { throw source.damaged(at: offset) }
    guard stack.count < XMLLimits.depthMax else {
      throw source.failure("is nested deeper than \(XMLLimits.depthMax) levels, or contains itself")
    }
    stack.append(frame)
  }

  // MARK: Texts

  private mutating func addText(
    of object: BinaryPropertyList.Object, _ list: inout BinaryPropertyList, _ machine: PropertyListRows
  ) throws(Failure) {
    switch object {
    case .integer(let value): machine.text(ContiguousArray(String(value).utf8).span)
    case .real(let value): machine.text(ContiguousArray("\(value)".utf8).span)
    case .flag(let value): machine.text(ContiguousArray((value ? "true" : "false").utf8).span)
    case .date(let seconds): machine.text(ContiguousArray(Self.text(ofDate: seconds).utf8).span)
    case .ascii(let range):
      try count(range, list.source)
      var rest = range
      while !rest.isEmpty {
        let bytes = try list.bytes(rest)
        machine.text(bytes.span)
        rest = rest.lowerBound + UInt64(bytes.count)..<rest.upperBound
      }
    case .utf16(let range):
      try count(range, list.source)
      try addWideText(range, &list, machine)
    case .null, .data, .identifier, .array, .dictionary: break
    }
  }

  /// Converts big-endian UTF-16 in pieces. Half of a surrogate pair becomes a byte that is not UTF-8, so that a row with it
  /// is rejected.
  private func addWideText(
    _ range: Range<UInt64>, _ list: inout BinaryPropertyList, _ machine: PropertyListRows
  ) throws(Failure) {
    var rest = range
    var high: UInt16?
    var text: ContiguousArray<UInt8> = []
    while !rest.isEmpty {
      // Windows have an even size, so no code unit is cut.
      let bytes = try list.bytes(rest)
      rest = rest.lowerBound + UInt64(bytes.count)..<rest.upperBound
      text.removeAll(keepingCapacity: true)
      for index in stride(from: 0, to: bytes.count - 1, by: 2) {
        let unit = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        if let first = high.take() {
          let value = 0x10000 + ((UInt32(first) & 0x3FF) << 10) + (UInt32(unit) & 0x3FF)
          if UTF16.isTrailSurrogate(unit), let scalar = Unicode.Scalar(value) {
            text.append(contentsOf: Character(scalar).utf8)
            continue
          }
          text.append(0xFF)
        }
        if UTF16.isLeadSurrogate(unit) {
          high = unit
        } else if let scalar = Unicode.Scalar(unit) {
          text.append(contentsOf: Character(scalar).utf8)
        } else {
          text.append(0xFF)
        }
      }
      machine.text(text.span)
    }
    if high != nil { machine.text(([0xFF] as ContiguousArray<UInt8>).span) }
  }

  private mutating func count(
    _ range: Range<UInt64>, _ source: BinaryPropertyList.Source
  ) throws(Failure) {
    textBytes += range.upperBound - range.lowerBound
    guard textBytes <= max(Self.textBytesFree, Self.textRatioMax * source.size) else { throw source.bomb }
  }

  /// A date as the XML form has it: `2026-11-23T18:15:00Z`. Empty if it is 2000 years or more from 2001.
  private static func text(ofDate seconds: Double) -> String {
    guard abs(seconds) < 63_000_000_000, let whole = Int(exactly: seconds.rounded(.down)) else { return "" }
    return WallClock.text(ofWhole: Int64(whole) + 978_307_200)
  }
}

// The objects of a property list in Apple's binary form, read from a file one at a time: their types, sizes and places.
// Every offset and count is checked before it is used.
//
// Source: the format's description in CFBinaryPList.c of Apple's Core Foundation (github.com/opensource-apple/CF).

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

  /// The file, which must stay open, and what messages need.
  struct Source {
    let file: FileDescriptor
    let size: UInt64
    let directory: String
    let input: String
    let context: StageContext

    func failure(_ text: String) -> Failure {
      .parse("binary-property-list", "\(InputName.quoted(input)) is a binary property list that \(text)")
    }

    /// The object at this byte is damaged, or refers to an object that is not in the list.
    func damaged(at byte: UInt64) -> Failure { failure("is damaged at byte \(byte)") }

    /// Objects that are used repeatedly make it far larger than the file.
    var bomb: Failure { failure("repeats its parts until they are far larger than the file") }

    var badTrailer: Failure { failure("is truncated or damaged: its last 32 bytes do not describe it") }

    fileprivate func window() -> FileWindow {
      FileWindow(
        file, size: size, capacity: BinaryPropertyList.windowBytes,
        readAhead: BinaryPropertyList.readAheadBytes, calls: context.calls)
    }

    /// Loads bytes; false if they are beyond the end of the file.
    fileprivate func load(
      _ window: inout FileWindow, _ offset: UInt64, _ count: Int
    ) throws(Failure) -> Bool {
      do throws(Errno) {
        return try window.load(offset, count)
      } catch {
        throw Failure(context.stage, SystemError(.readSpill, directory, error))
      }
    }
  }

  /// The first bytes of every list that this reads.
  private static let headerBytes: UInt64 = 8
  private static let trailerBytes: UInt64 = 32
  fileprivate static let windowBytes = 32 * 1024
  fileprivate static let readAheadBytes = 4 * 1024

  let source: Source
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

  /// Opens the list in a file.
  init(_ source: Source) throws(Failure) {
    var trailer = source.window()
    guard source.size > Self.headerBytes + Self.trailerBytes else { throw source.badTrailer }
    let end = source.size - Self.trailerBytes
    guard try source.load(&trailer, end, Int(Self.trailerBytes)) else { throw source.badTrailer }
    let widths = (offset: Int(trailer.byte(end + 6)), reference: Int(trailer.byte(end + 7)))
    let count = Self.bigEndian(trailer, end + 8, 8)
    let first = Self.bigEndian(trailer, end + 16, 8)
    let table = Self.bigEndian(trailer, end + 24, 8)
    let (tableBytes, overflows) = count.multipliedReportingOverflow(by: UInt64(widths.offset))
    guard 1...8 ~= widths.offset, 1...8 ~= widths.reference, !overflows, first < count,
      table > Self.headerBytes, table < end, tableBytes <= end - table
    else { throw source.badTrailer }
    // The table is directly before the trailer. In lists one after another, its offset is relative to the last one.
    guard tableBytes == end - table else {
      throw source.failure("has other data before or after it, such as another list")
    }
    // Everything that can fail comes before the first property is set.
    self.source = source
    offsetBytes = widths.offset
    referenceBytes = widths.reference
    objectCount = count
    top = first
    tableOffset = table
    offsets = source.window()
    references = source.window()
    objects = source.window()
  }

  // MARK: Objects

  /// The offset of an object. Throws if the object is not in the list; `byte` is the place of the reference.
  mutating func offset(of index: UInt64, referredAt byte: UInt64) throws(Failure) -> UInt64 {
    guard index < objectCount else { throw source.damaged(at: byte) }
    let place = tableOffset + index * UInt64(offsetBytes)
    guard try source.load(&offsets, place, offsetBytes) else { throw source.damaged(at: place) }
    let offset = Self.bigEndian(offsets, place, offsetBytes)
    guard offset >= Self.headerBytes, offset < tableOffset else { throw source.damaged(at: place) }
    return offset
  }

  /// The reference at an offset, among those of an array or dictionary.
  mutating func reference(
    _ index: UInt64, from first: UInt64
  ) throws(Failure) -> (object: UInt64, byte: UInt64) {
    let place = first + index * UInt64(referenceBytes)
    guard try source.load(&references, place, referenceBytes) else { throw source.damaged(at: place) }
    return (Self.bigEndian(references, place, referenceBytes), place)
  }

  mutating func object(at offset: UInt64) throws(Failure) -> Object {
    guard try source.load(&objects, offset, 1) else { throw source.damaged(at: offset) }
    let marker = objects.byte(offset)
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0:
      switch low {
      case 0: return .null
      case 8, 9: return .flag(low == 9)
      default: throw source.damaged(at: offset)
      }
    case 0x1: return .integer(try integer(offset, low))
    case 0x2 where low == 2:
      return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try body(offset, 4, of: offset)))))
    case 0x2 where low == 3: return .real(Double(bitPattern: try body(offset, 8, of: offset)))
    case 0x3 where low == 3: return .date(Double(bitPattern: try body(offset, 8, of: offset)))
    case 0x4:
      _ = try range(offset, low, width: 1)
      return .data
    case 0x5: return .ascii(try range(offset, low, width: 1))
    case 0x6: return .utf16(try range(offset, low, width: 2))
    case 0x8: return .identifier
    case 0xA, 0xC:
      let range = try self.range(offset, low, width: referenceBytes)
      return .array(
        references: range.lowerBound, count: (range.upperBound - range.lowerBound) / UInt64(referenceBytes))
    case 0xD:
      let range = try self.range(offset, low, width: 2 * referenceBytes)
      return .dictionary(
        references: range.lowerBound,
        count: (range.upperBound - range.lowerBound) / UInt64(2 * referenceBytes))
    default: throw source.damaged(at: offset)
    }
  }

  /// The first bytes of a range, at most as many as a window holds.
  mutating func bytes(_ range: Range<UInt64>) throws(Failure) -> [UInt8] {
    let count = Int(min(range.upperBound - range.lowerBound, UInt64(Self.windowBytes)))
    guard try source.load(&objects, range.lowerBound, count) else {
      throw source.damaged(at: range.lowerBound)
    }
    return objects.bytes(range.lowerBound, count)
  }

  // MARK: Numbers and sizes

  /// An integer of 2^power bytes: unsigned with up to four, signed with eight; of sixteen, the last eight are used.
  private mutating func integer(_ offset: UInt64, _ power: Int) throws(Failure) -> Int64 {
    guard power <= 4 else { throw source.damaged(at: offset) }
    let value = try power == 4 ? body(offset + 8, 8, of: offset) : body(offset, 1 << power, of: offset)
    return Int64(bitPattern: value)
  }

  /// The integer of `count` bytes after a marker, of the object at another offset.
  private mutating func body(
    _ offset: UInt64, _ count: Int, of object: UInt64
  ) throws(Failure) -> UInt64 {
    guard offset + 1 + UInt64(count) <= tableOffset, try source.load(&objects, offset + 1, count) else {
      throw source.damaged(at: object)
    }
    return Self.bigEndian(objects, offset + 1, count)
  }

  /// The range of an object's elements, each `width` bytes long. The low half of the marker is their number, or 15 before
  /// an integer object with their number.
  private mutating func range(
    _ offset: UInt64, _ low: Int, width: Int
  ) throws(Failure) -> Range<UInt64> {
    var start = offset + 1
    var count = UInt64(low)
    if low == 0x0F {
      guard try source.load(&objects, start, 1) else { throw source.damaged(at: offset) }
      let marker = objects.byte(start)
      let power = Int(marker & 0x0F)
      guard marker >> 4 == 1, power <= 3 else { throw source.damaged(at: offset) }
      count = try body(start, 1 << power, of: offset)
      start += 1 + UInt64(1 << power)
    }
    let (size, overflows) = count.multipliedReportingOverflow(by: UInt64(width))
    guard !overflows, start <= tableOffset, size <= tableOffset - start else {
      throw source.damaged(at: offset)
    }
    return start..<start + size
  }

  private static func bigEndian(_ window: borrowing FileWindow, _ offset: UInt64, _ count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<UInt64(count) { value = value << 8 | UInt64(window.byte(offset + index)) }
    return value
  }
}
