// Decides whether objects are rows if no fields were chosen: they are if the first object has a field with a common
// name for numbers. If a key is itself a number, pairs are rows. If the first object has the fields that `emit` writes,
// all of them are read.
//
// Not for: reading rows (JSONObjects, JSONPairs), the names (CommonFieldNames).

import Records

/// The fields of a row, found by their common names.
struct JSONCommonFields {
  /// The kind of an input's rows, judged by its start.
  enum RowShape {
    /// More bytes are needed to decide.
    case cut
    case pairs
    case objects(JSONCommonFields)
  }

  var number: String
  var label: String?
  /// Whether the object has the fields of `emit`, in their order: then the others are read, too.
  var isEmitted = false

  /// Whether fields must be searched for: no field that is read from the input was chosen.
  static func areNeeded(_ options: ParseOptions) -> Bool {
    options.numberField == nil && !options.rowsAreObjects
  }

  /// Returns the options with these fields chosen.
  func chosen(_ options: ParseOptions) -> ParseOptions {
    var options = options
    options.numberField = .name(number)
    if isEmitted {
      options.chooseEmitted()
    } else if options.labelField == nil, let label {
      options.labelField = .name(label)
    }
    return options
  }

  /// An open bracket, and the common names found in it.
  private struct OpenBracket {
    var isObject: Bool
    var number: String?
    var label: String?
    /// The label's name among those that are used if there are no others, and their precedence.
    var otherLabel: (name: String, precedence: Int)?
    /// The number of the fields of `emit` up to the last one that was found; nil if there are others.
    var emitted: Int? = 0
    /// The name of a list of numbers: with a label, the object is a row, though one that can't be used.
    var numbers: String?
    /// Short names, which are used if there are no others.
    var shortNumber: String?
    var shortLabel: String?
    /// The key of the object that is open inside this one, and the path of the first label in such an object.
    var innerKey: String?
    var innerLabel: String?

    var fields: JSONCommonFields? {
      (number ?? (label == nil ? nil : numbers) ?? shortNumber).map {
        JSONCommonFields(
          number: $0, label: label ?? innerLabel ?? otherLabel?.name ?? shortLabel,
          isEmitted: emitted ?? 0 > 0)
      }
    }

    /// Compares the next field with those of `emit`: the number is the first, labels and sources are strings, the others
    /// are integers.
    mutating func compareWithEmitted(_ name: String, isString: Bool, isInteger: Bool) {
      guard let count = emitted else { return }
      emitted = EmittedFields.inJSON.firstIndex(of: name).flatMap { index in
        let isText = name == "label" || name == "source"
        guard isText ? isString : isInteger, index >= count, count > 0 || index == 0 else { return nil }
        return index + 1
      }
    }

    /// Adds what was found in an object inside this one.
    mutating func add(_ inner: OpenBracket) {
      guard let key = innerKey.take(), innerLabel == nil, inner.fields == nil,
        let label = inner.label.map(JSONCommonFields.pathPart) ?? inner.innerLabel
      else { return }
      innerLabel = JSONCommonFields.pathPart(key) + "." + label
    }
  }

  /// A name as a part of a path.
  private static func pathPart(_ name: String) -> String {
    var part = ""
    for scalar in name.unicodeScalars {
      if scalar == "." || scalar == "\\" { part.append("\\") }
      part.unicodeScalars.append(scalar)
    }
    return part
  }

  /// The maximum size of a key that is examined, in bytes; common names are shorter.
  private static let keyBytesMax = 64
  /// A key with at least this many digits is a number.
  private static let digitsMin = 3
  /// A value with at least this many digits is a number.
  private static let valueDigitsMin = 5

  /// Examines the window up to the end of the first object that is not inside another object.
  ///
  /// The result depends only on the input's first `bytesMax` bytes (at most ``ParseLimits/startBytesMax``), not on the
  /// window.
  ///
  /// - Complexity: O(bytes).
  static func examine(_ window: Span<UInt8>, isEnd: Bool, bytesMax: Int) -> RowShape {
    let limit = min(bytesMax, ParseLimits.startBytesMax)
    let isWhole = isEnd || window.count >= limit
    let bytes = window.extracting(first: limit)
    var open: [OpenBracket] = []
    var found: JSONCommonFields?
    func end() -> RowShape {
      if !isWhole { return .cut }
      return (open.lazy.compactMap(\.fields).first ?? found).map { .objects($0) } ?? .pairs
    }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.count >= ParseLimits.wrapperDepthMax { return .pairs }
        open.append(OpenBracket(isObject: byte == UInt8(ascii: "{")))
      case UInt8(ascii: "]"):
        _ = open.popLast()
      case UInt8(ascii: "}"):
        let closed = open.popLast()
        found = closed?.fields ?? found
        if let closed, let last = open.indices.last { open[last].add(closed) }
        if open.last?.isObject == true { continue }
        // An object in a list that is a value of the row, after its number.
        if found == nil, open.contains(where: { $0.number != nil }) { continue }
        return found.map { .objects($0) } ?? .pairs
      case UInt8(ascii: "\""):
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != Byte.lineFeed {
          index += bytes[index] == Byte.backslash ? 2 : 1
        }
        let keyEnd = index
        index = bytes.skippingSpace(from: index + 1)
        guard index < bytes.count else { return end() }
        guard bytes[keyEnd] == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: ":") else { continue }
        index = bytes.skippingSpace(from: index + 1)
        let contents = NumberText.contents(bytes, from: start, to: keyEnd)
        if contents.isNumber(digitsMin: digitsMin) { return .pairs }
        guard index < bytes.count else { return end() }
        guard let value = value(bytes, index) else { return end() }
        if keyEnd - start <= keyBytesMax {
          note(
            bytes, start..<keyEnd, value, isNumber: isNumber(bytes, index),
            isString: bytes[index] == UInt8(ascii: "\""), isInteger: isInteger(bytes, index), &open)
        } else if let last = open.indices.last {
          open[last].emitted = nil
        }
      default:
        break
      }
    }
    return end()
  }

  /// The kinds of values that are distinguished here.
  private enum ValueKind { case object, list, word, other }

  /// The kind of the value that begins at `start`; nil if the window ends inside it.
  private static func value(_ bytes: Span<UInt8>, _ start: Int) -> ValueKind? {
    switch bytes[start] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["):
      let first = bytes.skippingSpace(from: start + 1)
      guard first < bytes.count else { return nil }
      // Objects in a list may be rows, and so may nested lists.
      return bytes[first] == UInt8(ascii: "\"") || bytes[first] &- 0x30 < 10 ? .list : .object
    case UInt8(ascii: "\""): break
    default: return .other
    }
    var isEmpty = true
    var index = start + 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == Byte.lineFeed { return isEmpty ? .other : .word }
      // Digits of other scripts are not distinguished from letters here.
      if byte &- 0x30 < 10 || byte >= 0x80 { return .other }
      if byte > 0x20 { isEmpty = false }
      index += byte == Byte.backslash ? 2 : 1
    }
    return nil
  }

  /// Whether the value that begins at `start` is a number or a string with enough digits for a phone number.
  private static func isNumber(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    let isString = bytes[start] == UInt8(ascii: "\"")
    let first = isString ? start + 1 : start
    var end = first
    while end < bytes.count, NumberText.isCharacter(bytes[end]) { end += 1 }
    if isString, end < bytes.count, bytes[end] != UInt8(ascii: "\"") { return false }
    return NumberText.contents(bytes, from: first, to: end).isNumber(digitsMin: valueDigitsMin)
  }

  /// Whether the value that begins at `start` is an integer.
  private static func isInteger(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    let first = bytes[start] == UInt8(ascii: "-") ? start + 1 : start
    var end = first
    while end < bytes.count, bytes[end] &- 0x30 < 10 { end += 1 }
    guard end > first, end < bytes.count else { return false }
    return bytes[end] <= 0x20 || bytes[end] == UInt8(ascii: ",") || bytes[end] == UInt8(ascii: "}")
  }

  /// Stores a key that is a common name, with the object that contains it.
  private static func note(
    _ bytes: Span<UInt8>, _ key: Range<Int>, _ value: ValueKind, isNumber: Bool, isString: Bool,
    isInteger: Bool, _ open: inout [OpenBracket]
  ) {
    guard let last = open.indices.last, open[last].isObject else { return }
    var text: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try JSONToken.decode(bytes, from: key.lowerBound, to: key.upperBound, into: &text)
    } catch {
      return
    }
    let name = String(decoding: text, as: UTF8.self)
    open[last].compareWithEmitted(name, isString: isString, isInteger: isInteger)
    if value == .object {
      open[last].innerKey = name
      return
    }
    let plain = CommonFieldNames.plain(name)
    if open[last].number == nil, CommonFieldNames.number.contains(plain) {
      // `{"number": "label"}` may be the heading of a list of pairs.
      if value == .word { return }
      if value == .list {
        open[last].numbers = name
      } else {
        open[last].number = name
      }
    } else if open[last].label == nil, value != .list, CommonFieldNames.label.contains(plain) {
      open[last].label = name
    } else if value != .list,
      let precedence = CommonFieldNames.otherLabels.firstIndex(where: { $0.contains(plain) })
    {
      if precedence < open[last].otherLabel?.precedence ?? .max { open[last].otherLabel = (name, precedence) }
    } else if open[last].shortNumber == nil, isNumber, CommonFieldNames.shortNumber.contains(plain) {
      open[last].shortNumber = name
    } else if open[last].shortLabel == nil, value != .list, CommonFieldNames.shortLabel.contains(plain) {
      open[last].shortLabel = name
    }
  }
}
