// The paths of the fields in a row: `phone`, `contact.phone`, `phones.1`, `2`.
//
// The parts of a path are separated by dots. In an object a part is a key; in an array a part that is a number is a
// position, and the first is 1, as columns are counted everywhere in `parse`. A key may contain dots: at every level,
// the rest of the path is tried as one key before its first part is, so `a.b` finds {"a.b": …} before {"a": {"b": …}}.
// `\.` is a dot inside a key, `\\` a backslash.
//
// Not for: walking through a row (JSONObjects).

/// The fields that are searched for in a container, and the part of its path with which each one continues.
struct JSONFieldParts {
  /// For number, label, source, score and last number: the index of the part, or -1.
  private(set) var parts = SIMD8<Int8>(repeating: -1)
  /// Whether no field is searched for.
  private(set) var isEmpty = true

  subscript(field: Int) -> Int8 {
    get { parts[field] }
    set {
      parts[field] = newValue
      if newValue >= 0 { isEmpty = false }
    }
  }
}

/// The fields that a key or a position matches.
struct JSONMatch {
  /// The fields that have this value.
  var hits = JSONFieldParts()
  /// The fields that are inside this value.
  var inside = JSONFieldParts()
}

/// The paths of the fields, stored for fast comparison.
struct JSONPaths {
  /// The number of fields of a row.
  static let fieldCount = 5
  /// The maximum number of parts. Each is a nested call; rows are three or four levels deep. The rest of a longer path
  /// is one key.
  static let partsMax = 32
  /// The maximum number of digits of a position: no record has more elements.
  static let positionDigitsMax = 9

  /// One part: its key, and the rest of the path from there on as one key, as ranges in ``bytes``.
  private struct PathPart {
    var keyStart: Int
    var keyEnd: Int
    var restStart: Int
    var restEnd: Int
    /// The position in an array, from 1; 0 if the part is not a position.
    var position: Int
    /// Whether it is the last part.
    var isLast: Bool
  }

  private var bytes: ContiguousArray<UInt8> = []
  private var parts: ContiguousArray<PathPart> = []
  /// The index of each field's first part.
  private var starts = SIMD8<Int>()
  /// All fields that have a path, each at its first part.
  private(set) var all = JSONFieldParts()
  /// Whether the number's path starts with a position, so that an array can be a row.
  private(set) var rowsMayBeArrays = false
  /// The number's position in an array that is a row; 0 when it is deeper, or not in an array.
  private(set) var numberPosition = 0
  /// One bit for the length of each key that is searched for: most other keys of a row differ in their length. The last
  /// bit is for all longer keys.
  private var lengths: UInt64 = 0

  /// Parses the paths as the user wrote them, in the order number, label, source, score, last number.
  init(_ paths: [ContiguousArray<UInt8>?]) {
    for (field, path) in paths.prefix(Self.fieldCount).enumerated() {
      guard let path else { continue }
      starts[field] = parts.count
      all[field] = 0
      add(Self.keys(path))
      let first = parts[starts[field]]
      if field == 0, first.position > 0 {
        rowsMayBeArrays = true
        if first.isLast { numberPosition = first.position }
      }
    }
  }

  private mutating func add(_ keys: [ContiguousArray<UInt8>]) {
    // The keys with dots between them: the rest of the path is then the text from a key on.
    var ranges: [Range<Int>] = []
    for key in keys {
      if !ranges.isEmpty { bytes.append(UInt8(ascii: ".")) }
      ranges.append(bytes.count..<bytes.count + key.count)
      bytes.append(contentsOf: key)
    }
    for (index, range) in ranges.enumerated() {
      parts.append(
        PathPart(
          keyStart: range.lowerBound, keyEnd: range.upperBound, restStart: range.lowerBound,
          restEnd: bytes.count, position: Self.position(keys[index]), isLast: index == ranges.count - 1))
      lengths |= Self.lengthBit(range.count) | Self.lengthBit(bytes.count - range.lowerBound)
    }
  }

  /// The parts of a path.
  static func keys(_ path: ContiguousArray<UInt8>) -> [ContiguousArray<UInt8>] {
    var keys: [ContiguousArray<UInt8>] = [[]]
    var index = 0
    while index < path.count {
      let byte = path[index]
      index += 1
      if byte == UInt8(ascii: "\\"), index < path.count,
        path[index] == UInt8(ascii: ".") || path[index] == UInt8(ascii: "\\")
      {
        keys[keys.count - 1].append(path[index])
        index += 1
      } else if byte == UInt8(ascii: "."), keys.count < partsMax {
        keys.append([])
      } else {
        keys[keys.count - 1].append(byte)
      }
    }
    return keys
  }

  /// The position that a part stands for; 0 if it is not one.
  private static func position(_ key: ContiguousArray<UInt8>) -> Int {
    guard !key.isEmpty, key.count <= positionDigitsMax, key[0] != UInt8(ascii: "0") else { return 0 }
    var position = 0
    for byte in key {
      guard byte &- 0x30 < 10 else { return 0 }
      position = position * 10 + Int(byte &- 0x30)
    }
    return position
  }

  private static func lengthBit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

  /// Whether a key of this length can match.
  @inline(__always)
  func mayMatch(length: Int) -> Bool { lengths & Self.lengthBit(length) != 0 }

  /// Matches the key from `start` to `end`, with its escapes decoded, against the fields that are searched for.
  func match(_ text: Span<UInt8>, from start: Int, to end: Int, _ search: JSONFieldParts) -> JSONMatch {
    var match = JSONMatch()
    for field in 0..<Self.fieldCount where search[field] >= 0 {
      let index = starts[field] + Int(search[field])
      let part = parts[index]
      if isEqual(text, start, end, part.restStart, part.restEnd) {
        match.hits[field] = search[field]
      } else if !part.isLast, isEqual(text, start, end, part.keyStart, part.keyEnd) {
        match.inside[field] = search[field] + 1
      }
    }
    return match
  }

  /// Matches an array's element at `position` against the fields that are searched for.
  func match(position: Int, _ search: JSONFieldParts) -> JSONMatch {
    var match = JSONMatch()
    for field in 0..<Self.fieldCount where search[field] >= 0 {
      let part = parts[starts[field] + Int(search[field])]
      guard part.position == position else { continue }
      if part.isLast {
        match.hits[field] = search[field]
      } else {
        match.inside[field] = search[field] + 1
      }
    }
    return match
  }

  @inline(__always)
  private func isEqual(_ text: Span<UInt8>, _ start: Int, _ end: Int, _ from: Int, _ to: Int) -> Bool {
    guard end - start == to - from else { return false }
    for offset in 0..<end - start where text[start + offset] != bytes[from + offset] { return false }
    return true
  }
}
