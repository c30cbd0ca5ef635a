// Finds a key that occurs twice in an object of a manifest: JSON readers silently use either of the two values.
//
// Not for: whether the text is JSON, which the decoder has checked before.

/// Finds the first duplicate key of a JSON text.
struct DuplicateKeyScanner {
  /// An object or array that is open.
  private enum Container {
    case object(keys: Set<String>, key: String)
    case array(index: Int)
  }

  private var open: [Container] = []

  /// The path of the first key that occurs twice, such as `shards[2].from`; nil if none does. The text is valid JSON.
  ///
  /// - Complexity: O(bytes).
  mutating func firstDuplicate(in bytes: [UInt8]) -> String? {
    open = []
    var isKeyNext = false
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case UInt8(ascii: "{"):
        open.append(.object(keys: [], key: ""))
        isKeyNext = true
      case UInt8(ascii: "["):
        open.append(.array(index: 0))
        isKeyNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        isKeyNext = false
      case UInt8(ascii: ","): isKeyNext = isKeyAfterComma()
      case UInt8(ascii: "\""):
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
          at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(at, bytes.count)
        at += 1
        if isKeyNext, !insert(Self.text(bytes[start..<end])) { return path }
        isKeyNext = false
      default: break
      }
    }
    return nil
  }

  /// Counts an array's element. Returns whether a key comes after the comma.
  private mutating func isKeyAfterComma() -> Bool {
    switch open.last {
    case .object: return true
    case .array(let index):
      open[open.count - 1] = .array(index: index + 1)
      return false
    case nil: return false
    }
  }

  /// Inserts a key into the innermost object. Returns whether it is new.
  private mutating func insert(_ key: String) -> Bool {
    guard case .object(var keys, _)? = open.popLast() else { return true }
    let isNew = keys.insert(key).inserted
    open.append(.object(keys: keys, key: key))
    return isNew
  }

  private var path: String {
    open.reduce(into: "") { text, container in
      switch container {
      case .object(_, let key): text += (text.isEmpty ? "" : ".") + key
      case .array(let index): text += "[\(index)]"
      }
    }
  }

  /// A key without its escapes: two spellings of a key are the same key.
  private static func text(_ raw: ArraySlice<UInt8>) -> String {
    if raw.contains(UInt8(ascii: "\\")) {
      let quoted = Array("[\"".utf8) + raw + Array("\"]".utf8)
      if let decoded = try? ManifestJSON.decode([String].self, from: quoted), let key = decoded.first {
        return key
      }
    }
    return String(decoding: raw, as: UTF8.self)
  }
}
