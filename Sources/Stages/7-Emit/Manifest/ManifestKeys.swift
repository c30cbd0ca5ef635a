// A key that stands twice in an object of a manifest: of two values a reader of JSON takes either, without a word.
//
// Not for: whether the text is JSON, which the decoder has seen before.

import FoundationEssentials

/// Looks for a key that stands twice in its object.
struct ManifestKeys {
  /// An object or an array that is open.
  private enum Level {
    case object(keys: Set<String>, key: String)
    case array(index: Int)
  }

  private var levels: [Level] = []

  /// The way to the first key that stands twice, such as `shards[2].from`; nil if none does. The text is JSON.
  ///
  /// - Complexity: O(bytes).
  mutating func repeated(in bytes: [UInt8]) -> String? {
    levels = []
    var isKeyDue = false
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case UInt8(ascii: "{"):
        levels.append(.object(keys: [], key: ""))
        isKeyDue = true
      case UInt8(ascii: "["):
        levels.append(.array(index: 0))
        isKeyDue = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = levels.popLast()
        isKeyDue = false
      case UInt8(ascii: ","): isKeyDue = goOn()
      case UInt8(ascii: "\""):
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
          at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(at, bytes.count)
        at += 1
        if isKeyDue, !add(Self.text(bytes[start..<end])) { return way }
        isKeyDue = false
      default: break
      }
    }
    return nil
  }

  /// Behind a comma; says whether a key comes next.
  private mutating func goOn() -> Bool {
    switch levels.last {
    case .object: return true
    case .array(let index):
      levels[levels.count - 1] = .array(index: index + 1)
      return false
    case nil: return false
    }
  }

  /// Adds a key to the object at hand; says whether it is new.
  private mutating func add(_ key: String) -> Bool {
    guard case .object(var keys, _)? = levels.popLast() else { return true }
    let isNew = keys.insert(key).inserted
    levels.append(.object(keys: keys, key: key))
    return isNew
  }

  private var way: String {
    levels.reduce(into: "") { text, level in
      switch level {
      case .object(_, let key): text += (text.isEmpty ? "" : ".") + key
      case .array(let index): text += "[\(index)]"
      }
    }
  }

  /// A key as it is meant: escapes are another spelling of it.
  private static func text(_ raw: ArraySlice<UInt8>) -> String {
    if raw.contains(UInt8(ascii: "\\")) {
      let quoted = Data(Array("[\"".utf8) + raw + Array("\"]".utf8))
      if let decoded = try? JSONDecoder().decode([String].self, from: quoted), let key = decoded.first {
        return key
      }
    }
    return String(decoding: raw, as: UTF8.self)
  }
}
