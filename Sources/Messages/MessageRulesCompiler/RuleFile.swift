// What a rule file consists of, and the writer of compiled rules.

import CallStoreFormat
import Hashing
package import MessageRules
package import Records

package struct FoldingOptions: Equatable, Sendable {
  var width = true
  var letterCase = true
  /// Other compatibility forms: ligatures, circled and styled letters, units in one character.
  var compatibility = true
  package var marks = true
  /// Spaces and punctuation between East Asian characters, and the differences between kinds of spaces.
  var spacing = true
  /// Digits of other scripts and forms, and letters that look like digits among digits.
  package var digits = true
}

package struct RuleText: Equatable, Sendable {
  package var text: String
  package var mark: Mark
}

package struct NumberRange: Equatable, Sendable {
  package var first: UInt64
  package var last: UInt64
}

/// The condition for a rule to match a message.
package indirect enum RuleCondition: Sendable {
  case all([RuleCondition])
  case any([RuleCondition])
  case not(RuleCondition)
  case keywords(MessageTest.Keywords, [RuleText])
  case pattern(MessageField, RuleText, Pattern)
  case number([RuleText], [NumberRange])
  case senderCountry([String])
  case store(String)
  case receiverCountry([String])
  case link
  /// The text contains a link to one of the domains.
  case domain([String])
  case script([TextScript])
  case language([MessageLanguage])
}

package struct Rule: Sendable {
  /// Its name; its number, from 1, if the file does not name it.
  package var name: String
  /// The condition; nil if the rule matches every message.
  var condition: RuleCondition?
  package var action: MessageAction
  package var subAction: MessageSubAction
  package var mark: Mark
}

package struct RuleFile: Sendable {
  /// The maximum size of a rule file in bytes: half a million keywords.
  package static let bytesMax = 32 << 20

  /// The region of senders without a country code, as two capital letters.
  package var region: String?
  package var folding = FoldingOptions()
  package var rules: [Rule] = []
}

struct RulesWriter {
  private var sections: [[UInt8]] = Array(repeating: [], count: RulesSection.allCases.count - 1)
  private var knownTexts: [String: (start: UInt32, length: UInt32)] = [:]

  var version = RulesLayout.version
  var symbolCount = 1
  var keywordSymbolCount = 0
  var zeroSymbol: UInt16 = 0
  var oneSymbol: UInt16 = 0
  var region: UInt16 = 0

  /// Adds the fold table of an alphabet, and the header fields that describe it.
  mutating func append(_ table: SymbolTable) {
    symbolCount = table.symbolCount
    keywordSymbolCount = table.keywordSymbolCount
    zeroSymbol = table.zeroSymbol
    oneSymbol = table.oneSymbol
    append(contentsOf: table.pages, to: .pages)
    append(contentsOf: table.blocks, to: .blocks)
    append(contentsOf: table.expansionStarts, to: .expansionStarts)
    append(contentsOf: table.expansions, to: .expansions)
  }

  /// The number of records that a section has so far.
  func count(of section: RulesSection) -> Int {
    sections[section.rawValue].count / RulesLayout.stride(section)
  }

  mutating func append<Value: FixedWidthInteger>(_ value: Value, to section: RulesSection) {
    Self.append(value, to: &sections[section.rawValue])
  }

  mutating func append<Value: FixedWidthInteger>(contentsOf values: [Value], to section: RulesSection) {
    sections[section.rawValue].reserveCapacity(
      sections[section.rawValue].count + values.count * Value.bitWidth / 8)
    for value in values { Self.append(value, to: &sections[section.rawValue]) }
  }

  /// Adds a text's position and length, and the text itself if it is new.
  mutating func append(text: String, to section: RulesSection) {
    let place: (start: UInt32, length: UInt32)
    if let known = knownTexts[text] {
      place = known
    } else {
      let start = sections[RulesSection.texts.rawValue].count
      sections[RulesSection.texts.rawValue] += Array(text.utf8)
      place = (UInt32(start), UInt32(text.utf8.count))
      knownTexts[text] = place
    }
    append(place.start, to: section)
    append(place.length, to: section)
  }

  /// Adds a text after its length, and returns its offset; a long text is truncated.
  mutating func offset(ofShortText text: String) -> UInt32 {
    var bytes = Array(text.utf8)
    if bytes.count > Int(UInt16.max) { bytes = Array(String(text.prefix(4096)).utf8.prefix(Int(UInt16.max))) }
    let start = sections[RulesSection.texts.rawValue].count
    append(UInt16(bytes.count), to: .texts)
    sections[RulesSection.texts.rawValue] += bytes
    return UInt32(start)
  }

  private static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
    var rest = value
    for _ in 0..<Value.bitWidth / 8 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      if Value.bitWidth > 8 { rest >>= 8 }
    }
  }

  mutating func keepFoldTable() {
    let kept: [RulesSection] = [.pages, .blocks, .expansionStarts, .expansions]
    for section in RulesSection.allCases where section != .header && !kept.contains(section) {
      sections[section.rawValue] = []
    }
    for section in [RulesSection.numberSets, .countrySets, .domainSets] { append(UInt32(0), to: section) }
    append(contentsOf: Array(repeating: KeywordNode.free.word, count: keywordSymbolCount + 1), to: .nodes)
    append(contentsOf: Array(repeating: UInt32.max, count: keywordSymbolCount + 1), to: .nodeKeywords)
  }

  func file() -> [UInt8] {
    var file = [UInt8](repeating: 0, count: RulesLayout.headerBytes)
    for section in sections {
      file += section
      while file.count % 8 != 0 { file.append(0) }
    }
    Self.put(RulesLayout.magic, &file, at: 0)
    Self.put(version, &file, at: RulesLayout.versionAt)
    Self.put(UInt64(file.count), &file, at: RulesLayout.lengthAt)
    Self.put(UInt32(symbolCount), &file, at: RulesLayout.symbolCountAt)
    Self.put(UInt32(keywordSymbolCount), &file, at: RulesLayout.keywordSymbolCountAt)
    Self.put(UInt32(region), &file, at: RulesLayout.regionAt)
    Self.put(UInt32(zeroSymbol), &file, at: RulesLayout.zeroSymbolAt)
    Self.put(UInt32(oneSymbol), &file, at: RulesLayout.oneSymbolAt)
    var offset = RulesLayout.headerBytes
    for (index, section) in sections.enumerated() {
      Self.put(UInt32(offset), &file, at: RulesLayout.directoryAt + 8 * index)
      Self.put(UInt32(section.count), &file, at: RulesLayout.directoryAt + 8 * index + 4)
      offset = (offset + section.count + 7) & ~7
    }
    let content = ContiguousArray(file[RulesLayout.lengthAt...])
    Self.put(CRC32C.checksum(content.span), &file, at: RulesLayout.checksumAt)
    return file
  }

  private static func put<Value: FixedWidthInteger>(_ value: Value, _ file: inout [UInt8], at: Int) {
    for index in 0..<Value.bitWidth / 8 {
      file[at + index] = UInt8(truncatingIfNeeded: value >> Value(8 * index))
    }
  }
}
