// Property lists in Apple's binary form: visits the objects in the order of the XML form, and makes the same rows.
//
// An object may be referred to from many places, so that a small file can stand for an endless list, or contain itself.
// So the depth, the number of visited objects and the size of their texts are limited.
//
// Not for: the bytes of objects (BinaryPropertyList), or which of them make rows (PropertyListRows).

import Records
import SystemIO

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
    var next: UInt64 {
      isDictionary ? visited / 2 + (visited & 1 == 1 ? count / 2 : 0) : visited
    }
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

  /// Adds bytes.
  mutating func append(_ bytes: Span<UInt8>) throws(Failure) {
    try spool.append(bytes)
  }

  /// Reads the list.
  ///
  /// - Complexity: O(bytes): at most one visit per byte.
  mutating func read(
    into machine: inout PropertyListRows, _ rows: inout RowWriter
  ) throws(Failure) {
    var list = try opened(rows.input)
    let place = { RecordPosition() }
    try machine.start(.list, at: place, &rows)
    try visit(list.top, referredAt: 0, isKey: false, &list, &machine, &rows)
    while let frame = stack.last {
      if frame.visited == frame.count {
        stack.removeLast()
        try machine.end(frame.element, &rows)
        continue
      }
      stack[stack.count - 1].visited += 1
      let reference: (object: UInt64, byte: UInt64)
      do throws(BinaryPropertyListError) {
        reference = try list.reference(frame.next, from: frame.references)
      } catch {
        throw try failure(error, &rows)
      }
      try visit(reference.object, referredAt: reference.byte, isKey: frame.isAtKey, &list, &machine, &rows)
    }
    try machine.end(.list, &rows)
  }

  private func opened(_ input: String) throws(Failure) -> BinaryPropertyList {
    do throws(BinaryPropertyListError) {
      return try BinaryPropertyList(
        spool.file.descriptor, size: UInt64(spool.file.size), calls: context.calls)
    } catch {
      throw failure(error, input)
    }
  }

  /// Passes an object to the rows; an array or dictionary becomes the innermost one.
  private mutating func visit(
    _ index: UInt64, referredAt byte: UInt64, isKey: Bool, _ list: inout BinaryPropertyList,
    _ machine: inout PropertyListRows, _ rows: inout RowWriter
  ) throws(Failure) {
    visits += 1
    let offset: UInt64
    let object: BinaryPropertyList.Object
    do throws(BinaryPropertyListError) {
      guard visits <= UInt64(spool.file.size) else { throw .bomb }
      offset = try list.offset(of: index, referredAt: byte)
      object = try list.object(at: offset)
    } catch {
      throw try failure(error, &rows)
    }
    let place = { RecordPosition(line: 1, byte: offset) }
    switch object {
    case .array(let references, let count):
      try push(Frame(isDictionary: false, references: references, count: count), isKey, offset, &rows)
      try machine.start(.array, at: place, &rows)
    case .dictionary(let references, let count):
      try push(Frame(isDictionary: true, references: references, count: 2 * count), isKey, offset, &rows)
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
      do throws(BinaryPropertyListError) {
        try addText(of: object, &list, &machine)
      } catch {
        throw try failure(error, &rows)
      }
      try machine.end(isKey ? .key : .text, &rows)
    }
  }

  private mutating func push(
    _ frame: Frame, _ isKey: Bool, _ offset: UInt64, _ rows: inout RowWriter
  ) throws(Failure) {
    if isKey { throw try failure(.badObject(byte: offset), &rows) }
    guard stack.count < XMLLimits.depthMax else {
      throw try failure(.tooDeep(limit: XMLLimits.depthMax), &rows)
    }
    stack.append(frame)
  }

  // MARK: Texts

  private mutating func addText(
    of object: BinaryPropertyList.Object, _ list: inout BinaryPropertyList, _ machine: inout PropertyListRows
  ) throws(BinaryPropertyListError) {
    switch object {
    case .integer(let value): machine.add(ContiguousArray(String(value).utf8).span)
    case .real(let value): machine.add(ContiguousArray("\(value)".utf8).span)
    case .flag(let value): machine.add(ContiguousArray((value ? "true" : "false").utf8).span)
    case .date(let seconds): machine.add(ContiguousArray(Self.text(ofDate: seconds).utf8).span)
    case .ascii(let range):
      try count(range)
      var rest = range
      while !rest.isEmpty {
        let bytes = try list.bytes(rest)
        machine.add(bytes.span)
        rest = rest.lowerBound + UInt64(bytes.count)..<rest.upperBound
      }
    case .utf16(let range):
      try count(range)
      try addWideText(range, &list, &machine)
    case .null, .data, .identifier, .array, .dictionary: break
    }
  }

  /// Converts big-endian UTF-16 in pieces. Half of a surrogate pair becomes a byte that is not UTF-8, so that a row with it
  /// is rejected.
  private func addWideText(
    _ range: Range<UInt64>, _ list: inout BinaryPropertyList, _ machine: inout PropertyListRows
  ) throws(BinaryPropertyListError) {
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
      machine.add(text.span)
    }
    if high != nil { machine.add(([0xFF] as ContiguousArray<UInt8>).span) }
  }

  private mutating func count(_ range: Range<UInt64>) throws(BinaryPropertyListError) {
    textBytes += range.upperBound - range.lowerBound
    guard textBytes <= max(Self.textBytesFree, Self.textRatioMax * UInt64(spool.file.size)) else {
      throw .bomb
    }
  }

  /// A date as the XML form has it: `2026-11-23T18:15:00Z`. Empty if it is 2000 years or more from 2001.
  private static func text(ofDate seconds: Double) -> String {
    guard abs(seconds) < 63_000_000_000, let whole = Int(exactly: seconds.rounded(.down)) else { return "" }
    let unix = whole + 978_307_200
    let days = (unix >= 0 ? unix : unix - 86_399) / 86_400
    let second = unix - days * 86_400
    // Days in the calendar of 400 years that starts in March (H. Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let day = shifted - era * 146_097
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let calendarMonth = month < 10 ? month + 3 : month - 9
    let date = [
      padded(year + era * 400 + (calendarMonth <= 2 ? 1 : 0), 4), padded(calendarMonth, 2),
      padded(dayOfYear - (153 * month + 2) / 5 + 1, 2),
    ]
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
    return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
  }

  // MARK: Failures

  /// Passes on the rows before an error, which are valid, and makes the error.
  private func failure(
    _ error: BinaryPropertyListError, _ rows: inout RowWriter
  ) throws(Failure) -> Failure {
    try rows.flush()
    return failure(error, rows.input)
  }

  private func failure(_ error: BinaryPropertyListError, _ input: String) -> Failure {
    guard case .unreadable(let code) = error else { return .binaryPropertyList(error, input: input) }
    return Failure(context.stage, SystemError(.readSpill, spool.file.directory, code))
  }
}
