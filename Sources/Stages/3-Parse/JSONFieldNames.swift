// Lists the fields of the first row in JSON whose rows are objects, with the paths of nested fields: `contact.phone`.
// For previews and warnings.
//
// Not for: choosing fields (JSONCommonFields), reading them (JSONObjects), or which of them are not read (JSONLayout).

import Records

/// The fields of the first object that may be a row.
struct JSONFieldNames {
  /// The paths of the fields with plain values, in the order of the input; empty if keys are numbers.
  var all: [String] = []
  /// Those whose values contain letters.
  var texts: [String] = []
  /// Those of the object itself whose values are numbers; empty if it is a single object, which may be the head of a
  /// list.
  private(set) var numbers: [String] = []
  /// Those whose values look like phone numbers, with how likely they are, and their digits.
  var phones: [(path: String, rank: TableNumberRank, digits: [UInt8])] = []
  /// The paths of the arrays with several elements.
  private(set) var longArrays: [String] = []

  /// The maximum size of a listed key, in bytes; real keys are shorter.
  private static let keyBytesMax = 128
  /// Keys with at least this many digits are numbers: the rows are pairs.
  private static let digitsMin = 3
  /// Values with at least this many digits are numbers.
  private static let valueDigitsMin = 5

  /// An open bracket.
  private struct OpenBracket {
    var isObject: Bool
    /// The last key that was read, and the fields with values.
    var key: String?
    var fields = JSONFieldNames()
    /// The number of elements of an array that were read.
    var elements = 0
  }

  private init() {}

  /// Lists the fields in the first object of an array, or in the first object that is not inside another one.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>) {
    self = Self.list(bytes)
  }

  private static func list(_ bytes: Span<UInt8>) -> JSONFieldNames {
    var open: [OpenBracket] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.count >= ParseLimits.wrapperDepthMax { return JSONFieldNames() }
        open.append(OpenBracket(isObject: byte == UInt8(ascii: "{")))
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard var closed = open.popLast() else { return JSONFieldNames() }
        index += 1
        if closed.isObject, isRow(open) {
          if open.isEmpty, !isObject(bytes, at: index) { closed.fields.numbers = [] }
          return closed.fields
        }
        addInner(closed, &open)
      case UInt8(ascii: "\""):
        let start = index + 1
        index = stringEnd(bytes, from: start)
        let next = bytes.skippingSpace(from: index + 1)
        if next < bytes.count, bytes[next] == UInt8(ascii: ":"), open.last?.isObject == true {
          let contents = NumberText.contents(bytes, from: start, to: min(index, bytes.count))
          if contents.isNumber(digitsMin: digitsMin) { return JSONFieldNames() }
          open[open.count - 1].key = key(bytes, start, index)
          index = next + 1
        } else {
          addScalar(bytes, start..<min(index, bytes.count), isString: true, &open)
          index += 1
        }
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        let start = index
        while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
        addScalar(bytes, start..<index, isString: false, &open)
      default:
        index += 1
      }
    }
    // The first row is longer than the start of the input.
    return open.last { $0.isObject }?.fields ?? JSONFieldNames()
  }

  /// Whether the next value is an object: the objects are on lines of their own.
  private static func isObject(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    let next = bytes.skippingSpace(from: index)
    return next < bytes.count && bytes[next] == UInt8(ascii: "{")
  }

  /// Whether an object inside these brackets is a row: not a value of another object, nor of an object in an array.
  private static func isRow(_ around: [OpenBracket]) -> Bool {
    guard let last = around.last else { return true }
    if last.isObject { return false }
    let outer = around.dropLast()
    guard let holder = outer.last, holder.isObject else { return true }
    return !outer.dropLast().contains { !$0.isObject }
  }

  /// Adds the fields of an inner object or array to the bracket around it.
  private static func addInner(_ bracket: OpenBracket, _ open: inout [OpenBracket]) {
    guard let last = open.indices.last, let step = pathStep(&open[last]) else { return }
    let inner = bracket.fields
    if !bracket.isObject, bracket.elements > 1 { open[last].fields.longArrays.append(step) }
    open[last].fields.longArrays += inner.longArrays.map { step + "." + $0 }
    open[last].fields.phones += inner.phones.map { (step + "." + $0.path, $0.rank, $0.digits) }
    for path in inner.all where open[last].fields.all.count < InputLayout.fieldsMax {
      open[last].fields.all.append(step + "." + path)
      if inner.texts.contains(path) { open[last].fields.texts.append(step + "." + path) }
    }
  }

  /// Adds a field with a plain value.
  private static func addScalar(
    _ bytes: Span<UInt8>, _ value: Range<Int>, isString: Bool, _ open: inout [OpenBracket]
  ) {
    let contents = NumberText.contents(bytes, from: value.lowerBound, to: value.upperBound)
    guard let last = open.indices.last, let step = pathStep(&open[last]),
      open[last].fields.all.count < InputLayout.fieldsMax
    else { return }
    open[last].fields.all.append(step)
    // `true` and `null` are not texts.
    if isString, contents.letters > 0 { open[last].fields.texts.append(step) }
    if case .number(let rank) = TableCell(bytes, from: value.lowerBound, to: value.upperBound) {
      open[last].fields.phones.append((step, rank, value.map { bytes[$0] }.filter { $0 &- 0x30 < 10 }))
    }
    if contents.isNumber(digitsMin: valueDigitsMin) { open[last].fields.numbers.append(step) }
  }

  /// The step of a path to the current value of a bracket: a key, or a position; nil if it is not listed.
  private static func pathStep(_ bracket: inout OpenBracket) -> String? {
    if bracket.isObject { return bracket.key.take() }
    bracket.elements += 1
    return bracket.elements == 1 ? "1" : nil
  }

  private static func stringEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == Byte.backslash ? 2 : 1
    }
    return index
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte.isASCIISpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }

  /// The text of a key as a part of a path; nil if it is too long or invalid.
  private static func key(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String? {
    guard end <= bytes.count, end > start, end - start <= keyBytesMax else { return nil }
    var text: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try JSONToken.decode(bytes, from: start, to: end, into: &text)
    } catch {
      return nil
    }
    var part = ""
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if scalar == "." || scalar == "\\" { part.append("\\") }
      part.unicodeScalars.append(scalar)
    }
    // A selector that starts with this sign is a constant.
    return part.hasPrefix("=") ? nil : part
  }
}
