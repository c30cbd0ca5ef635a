// A document of JSON that is one object with lists in it: which of them have the rows, by the start of the input.
//
// A number of the object itself is that of the list's owner, although its field has the name of those in the list. Objects
// on lines of their own are rows, whatever lists they have.

import Records

struct JSONLists {
  /// Whether the objects in a list of the document have the number.
  private(set) var haveRows = false
  /// Whether lists are left out by their names: another one has rows, or may have.
  private(set) var haveOthers = false

  init() {}

  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>, of path: String) {
    let number = JSONPaths.keys(ContiguousArray(path.utf8)).first.map { String(decoding: $0, as: UTF8.self) }
    var open: [UInt8] = []
    // The brackets around a list of others, and whether lists with each kind of name have rows.
    var otherDepth = 0
    var (hasRows, hasOtherRows) = (false, false)
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
          guard Self.text(bytes, key) == number else { continue }
          if otherDepth > 0 { hasOtherRows = true } else { hasRows = true }
        } else if otherDepth == 0 || open.count <= otherDepth {
          otherDepth = Self.isOfOthers(bytes, key) ? open.count : 0
        }
      default: break
      }
    }
    haveRows = hasRows || hasOtherRows
    // Rows may follow the start. If it has only those of others, they are what the list is.
    haveOthers = hasRows || !hasOtherRows
  }

  static func isOfOthers(_ bytes: Span<UInt8>, _ key: JSONValue) -> Bool {
    text(bytes, key).map(CommonFieldNames.isOfOthers) ?? false
  }

  private static func text(_ bytes: Span<UInt8>, _ key: JSONValue) -> String? {
    JSONToken.text(bytes, from: key.start, to: key.end).map { String(decoding: $0, as: UTF8.self) }
  }
}
