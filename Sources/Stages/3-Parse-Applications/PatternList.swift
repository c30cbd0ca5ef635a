// The lists of two call blockers, which are arrays of JSON objects whose fields have fixed names:
//
//     {"version": "…", "patterns": [{"name": "…", "action": "block", "pattern": "33162######"}, …]}   Saracroche
//     {"numbers": [{"phone": "+49…", "votes": 12, "rating": "C_PING"}, …]}                            PhoneBlock
//
// Saracroche's pattern is the number (normalize turns it into a range) and its name the label. PhoneBlock's phone is
// the number, its rating the label, its votes the score. Fields that the user chooses take precedence. With `auto`,
// choosing the number's field by name makes both formats plain JSON, in which only the chosen fields are read.
//
// Source: cbouvat/saracroche-ios/docs/french-list-arcep-operators.json; haumacher/phoneblock, api.proto (Blocklist,
// BlockListEntry).
//
// Not for: reading JSON (JSONReader).

import ParseStage

extension FormatDescription {
  static let saracroche = FormatDescription(
    format: .saracroche,
    matches: { PatternList.has("patterns", of: "pattern", and: "action", $0) },
    makeReader: { setting in
      PatternList.reader(setting) { options in
        options.numberField = options.numberField ?? .name("pattern")
        options.labelField = options.labelField ?? .name("name")
      }
    })

  static let phoneBlock = FormatDescription(
    format: .phoneblock,
    matches: { PatternList.has("numbers", of: "phone", and: "votes", $0) },
    makeReader: { setting in
      PatternList.reader(setting) { options in
        options.numberField = options.numberField ?? .name("phone")
        options.labelField = options.labelField ?? .name("rating")
        options.scoreField = options.scoreField ?? .name("votes")
      }
    })
}

enum PatternList {
  /// Whether an input starts with an object that contains an array of objects with two given keys.
  static func has(
    _ list: StaticString, of first: StaticString, and second: StaticString, _ start: Span<UInt8>
  )
    -> Bool
  {
    let opening = start.skippingSpace()
    guard opening < start.count, start[opening] == UInt8(ascii: "{"), let key = start.firstKey(list) else {
      return false
    }
    let colon = start.skippingSpace(from: key + list.utf8CodeUnitCount + 2)
    let bracket = start.skippingSpace(from: colon + 1)
    let brace = start.skippingSpace(from: bracket + 1)
    guard brace < start.count, start[bracket] == UInt8(ascii: "["), start[brace] == UInt8(ascii: "{") else {
      return false
    }
    return start.firstKey(first, from: brace) != nil && start.firstKey(second, from: brace) != nil
  }

  /// Makes a JSON reader with the fields of such a list.
  static func reader(_ setting: ReaderConfiguration, _ preset: (inout ParseOptions) -> Void)
    -> any FormatReader
  {
    var options = setting.options
    if options.format != .auto || !options.rowsAreObjects || options.numberField == nil { preset(&options) }
    return JSONReader(options)
  }
}

extension Span where Element == UInt8 {
  /// The index of the first key `key` of a JSON object, including its quotes and followed by a colon, from `start` on;
  /// nil if there is none.
  func firstKey(_ key: StaticString, from start: Int = 0) -> Int? {
    let length = key.utf8CodeUnitCount
    var index = start
    while index + length + 2 <= count {
      if self[index] == UInt8(ascii: "\""), self[index + length + 1] == UInt8(ascii: "\""),
        extracting(index + 1..<index + 1 + length).equals(key)
      {
        var next = index + length + 2
        while next < count, self[next].isASCIISpace { next += 1 }
        if next < count, self[next] == UInt8(ascii: ":") { return index }
      }
      index += 1
    }
    return nil
  }
}
