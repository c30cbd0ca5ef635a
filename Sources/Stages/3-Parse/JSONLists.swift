// A document of JSON with lists in it: which of them have the rows, by the start of the input.
//
// A number of the object around them is that of the list's owner, although its field has the name of those in the list. Objects
// on lines of their own are rows, whatever lists they have.

import Records

struct JSONLists {
  /// Whether the objects in a list of the document have the number.
  private(set) var haveRows = false
  /// Whether lists are left out by their names: another one has rows, or may have.
  private(set) var haveOthers = false

  /// The brackets around a list of others, and whether lists with each kind of name have rows.
  private var otherDepth = 0
  private var hasRows = false
  private var hasOtherRows = false

  init() {}

  /// Examines a document whose rows are objects with a number at this path.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>, of path: String) {
    let number = JSONPaths.keys(ContiguousArray(path.utf8)).first.map { String(decoding: $0, as: UTF8.self) }
    var open: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case JSONMachine.object, JSONMachine.array: open.append(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        // Another value follows: the objects are on lines of their own.
        if open.isEmpty, bytes.skippingSpace(from: index) < bytes.count { return }
      case UInt8(ascii: "\""):
        guard let key = try? JSONToken.string(bytes, from: index) else { return }
        index = key.next
        let colon = bytes.skippingSpace(from: index)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { continue }
        if open.contains(JSONMachine.array) {
          if Self.text(bytes, key) == number { noteRow() }
        } else {
          noteKey(bytes, key, depth: open.count)
        }
      default: break
      }
    }
    haveRows = hasRows || hasOtherRows
    // Rows may follow the start. If it has only those of others, they are what the list is.
    haveOthers = hasRows || !hasOtherRows
  }

  /// Examines a document whose rows are pairs, or texts in arrays.
  ///
  /// - Complexity: O(bytes).
  init(ofPairs bytes: Span<UInt8>) {
    var open: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case JSONMachine.object, JSONMachine.array: open.append(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        if open.count < otherDepth { otherDepth = 0 }
      case UInt8(ascii: "\""):
        guard let text = try? JSONToken.string(bytes, from: index) else { return }
        index = text.next
        let colon = bytes.skippingSpace(from: index)
        let isKey = colon < bytes.count && bytes[colon] == UInt8(ascii: ":")
        if TableCell(bytes, from: text.start, to: text.end).rank ?? .time > .time {
          if isKey, open.count <= otherDepth { otherDepth = 0 }
          noteRow()
        } else if isKey {
          noteKey(bytes, text, depth: open.count)
        }
      case 0x30...0x39 where open.last == JSONMachine.array:
        let end = bytes.skippingDigits(from: index, to: bytes.count)
        if TableCell(bytes, from: index - 1, to: end).rank ?? .time > .time { noteRow() }
        index = end
      default: break
      }
    }
    haveOthers = hasRows || !hasOtherRows
  }

  private mutating func noteRow() {
    if otherDepth > 0 { hasOtherRows = true } else { hasRows = true }
  }

  /// Notes a key that may be the name of a list; `depth` is the number of brackets around it.
  private mutating func noteKey(_ bytes: Span<UInt8>, _ key: JSONValue, depth: Int) {
    if otherDepth == 0 || depth <= otherDepth { otherDepth = Self.isOfOthers(bytes, key) ? depth : 0 }
  }

  static func isOfOthers(_ bytes: Span<UInt8>, _ key: JSONValue) -> Bool {
    text(bytes, key).map(CommonFieldNames.isOfOthers) ?? false
  }

  static func text(_ bytes: Span<UInt8>, _ key: JSONValue) -> String? {
    JSONToken.text(bytes, from: key.start, to: key.end).map { String(decoding: $0, as: UTF8.self) }
  }
}
