// Compiled rules, mapped and checked, and access to their sections.
//
// Not for: classifying messages (MessageClassifier), compiling (MessageRulesCompiler).

import CallStoreFormat

/// Compiled rules, ready to classify messages.
///
/// A file is mapped, not read: its pages belong to the system, and the process only allocates the buffers of
/// ``MessageClassifier``. Everything is checked when the file is opened; a malicious file is rejected or causes wrong
/// results, but nothing else.
///
///     let rules = try CompiledRules(path: "rules.cdrules")
///     var classifier = MessageClassifier(rules)
///     classifier.classify(sender: "+8617012345678", body: "澳 门 娱 乐", receiver: "CN").action  // .junk
public struct CompiledRules: ~Copyable, Sendable {
  let storage: RuleBytes
  private let directory: ContiguousArray<SectionRange>

  let header: RulesHeader
  /// The symbols of letters that are treated as 0 or 1 among digits.
  let zeroLookAlikes: ContiguousArray<UInt16>
  let oneLookAlikes: ContiguousArray<UInt16>
  let shortcuts: FoldShortcuts
  /// The number of bits in each set of keyword prefixes; 0 if there are none.
  let prefixBits: Int

  /// Whether bytes start with the signature of a compiled file.
  public static func hasSignature(_ bytes: Span<UInt8>) -> Bool {
    // Bytes have no padding and no invalid values.
    unsafe bytes.count >= 8 && bytes.bytes.u64(0) == RulesLayout.magic
  }

  /// Maps a compiled file.
  ///
  /// - Throws: an error if it can't be opened, or is not valid.
  /// - Complexity: O(bytes); every byte is read once.
  public init(path: String) throws(CompiledRulesError) {
    try self.init(checking: try RuleBytes(path: path))
  }

  /// Creates rules from the bytes of a compiled file, and keeps a copy.
  public init(bytes: Span<UInt8>) throws(CompiledRulesError) {
    try self.init(checking: RuleBytes(copying: bytes))
  }

  private init(checking storage: consuming RuleBytes) throws(CompiledRulesError) {
    let directory = try RulesCheck.directory(of: storage.span)
    try RulesCheck.check(storage.span, directory)
    header = RulesHeader(storage.span)
    zeroLookAlikes = Self.lookAlikes(LookAlikes.zeros, storage.span, directory)
    oneLookAlikes = Self.lookAlikes(LookAlikes.ones, storage.span, directory)
    shortcuts = FoldShortcuts(
      Self.section(.pages, storage.span, directory), Self.section(.blocks, storage.span, directory))
    prefixBits = directory[RulesSection.keywordPrefixes.rawValue].byteCount * 8 / KeywordPrefixes.setCount
    self.directory = directory
    self.storage = storage
  }

  private static func lookAlikes(
    _ scalars: [UInt32], _ bytes: RawSpan, _ directory: ContiguousArray<SectionRange>
  ) -> ContiguousArray<UInt16> {
    symbols(of: scalars, section(.pages, bytes, directory), section(.blocks, bytes, directory))
  }

  @_lifetime(copy bytes)
  private static func section(
    _ section: RulesSection, _ bytes: RawSpan, _ directory: ContiguousArray<SectionRange>
  ) -> RawSpan {
    let place = directory[section.rawValue]
    return bytes.extracting(place.offset..<place.offset + place.byteCount)
  }

  /// The bytes of a section.
  @_lifetime(borrow self)
  package borrowing func bytes(of section: RulesSection) -> RawSpan {
    let place = directory[section.rawValue]
    let span = storage.span.extracting(place.offset..<place.offset + place.byteCount)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// A pointer to a section, for the loops over every character.
  @inline(__always)
  borrowing func pointer(to section: RulesSection) -> UnsafeRawPointer {
    unsafe storage.pointer(at: directory[section.rawValue].offset)
  }

  /// The number of records in a section.
  package borrowing func count(of section: RulesSection) -> Int {
    directory[section.rawValue].byteCount / RulesLayout.stride(section)
  }

  // MARK: What is in them

  /// The number of rules.
  public var ruleCount: Int { count(of: .rules) }
  /// The number of keywords.
  public var keywordCount: Int { count(of: .keywords) }
  /// The number of regular expressions.
  public var patternCount: Int { count(of: .patterns) }
  /// The size of the compiled rules in bytes.
  public var byteCount: Int { storage.span.byteCount }

  /// The name of a rule.
  ///
  /// - Precondition: there is such a rule.
  public func name(ofRule index: Int) -> String {
    precondition(index >= 0 && index < ruleCount, "there is no such rule")
    return text(in: bytes(of: .rules), at: 24 * index)
  }

  /// The action and sub-action of a rule.
  ///
  /// - Precondition: there is such a rule.
  public func verdict(ofRule index: Int) -> MessageVerdict {
    precondition(index >= 0 && index < ruleCount, "there is no such rule")
    let rules = bytes(of: .rules)
    // Checked when the rules were opened: both types have a case for these values.
    return MessageVerdict(
      action: MessageAction(rawValue: UInt8(truncatingIfNeeded: rules.u32(24 * index + 8))) ?? .none,
      subAction: MessageSubAction(rawValue: UInt16(truncatingIfNeeded: rules.u32(24 * index + 12))) ?? .none,
      rule: index)
  }

  /// The sub-actions that rules use, without duplicates, in ascending order of their raw values: the ones that an
  /// extension declares when iOS asks for its capabilities.
  public var subActions: [MessageSubAction] {
    let used = Set((0..<ruleCount).map { verdict(ofRule: $0).subAction })
    return MessageSubAction.allCases.filter { $0 != .none && used.contains($0) }
  }

  /// The paths of the stores in which senders are looked up, as in the rule file. ``MessageClassifier`` refers to a
  /// store by its index here.
  public var storePaths: [String] {
    (0..<count(of: .stores)).map { text(in: bytes(of: .stores), at: 8 * $0) }
  }

  /// A text whose position and length are at `at` of a section.
  borrowing func text(in section: RawSpan, at: Int) -> String {
    let start = Int(section.u32(at))
    let length = Int(section.u32(at + 4))
    let bytes = bytes(of: .texts).extracting(start..<start + length)
    return unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

/// The position of a section.
struct SectionRange {
  var offset: Int
  var byteCount: Int
}

/// The content of a compiled file's header.
struct RulesHeader {
  /// The number of different symbols to which texts are folded; symbol 0 stands for all characters that no rule
  /// contains.
  var symbolCount: Int
  /// The number of symbols, from 1 on, that occur in keywords.
  var keywordSymbolCount: Int
  /// The symbols of the digits that look-alike letters are folded to.
  var zeroSymbol: UInt16
  var oneSymbol: UInt16
  /// The region of senders without a country code, as two packed letters; 0 for none.
  var regionLetters: UInt16

  init(_ bytes: RawSpan) {
    symbolCount = Int(bytes.u32(RulesLayout.symbolCountAt))
    keywordSymbolCount = Int(bytes.u32(RulesLayout.keywordSymbolCountAt))
    zeroSymbol = UInt16(bytes.u16(RulesLayout.zeroSymbolAt))
    oneSymbol = UInt16(bytes.u16(RulesLayout.oneSymbolAt))
    regionLetters = UInt16(bytes.u16(RulesLayout.regionAt))
  }
}
