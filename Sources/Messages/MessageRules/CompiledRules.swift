// Compiled rules, mapped and checked, and access to their sections.

import CallStoreFormat
import Hashing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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

  /// The SHA-256 of the compiled rules, 32 bytes, for checking their signature. Nothing is copied.
  ///
  /// - Complexity: O(bytes).
  public var sha256: [UInt8] {
    var hasher = SHA256Hasher()
    hasher.update(storage.span)
    return hasher.digest
  }

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

/// Why compiled rules can't be used.
public enum CompiledRulesError: Error, Equatable, Sendable {
  /// The file can't be opened, with the errno.
  case cannotOpen(errno: Int32)
  /// The file can't be mapped, with the errno.
  case cannotMap(errno: Int32)
  /// The file does not start with the signature of compiled rules.
  case notRules
  /// The format has a version that this reader does not support.
  case unsupportedVersion(UInt32)
  /// The file is shorter or longer than its header states.
  case truncated(bytes: Int)
  /// The checksum is wrong.
  case checksum
  /// The checksum is correct, but the content of the given section is inconsistent.
  case damaged(RulesSection)
}

/// The sections of a compiled file, in their order.
public enum RulesSection: Int, Sendable, CaseIterable {
  /// The header and the directory of sections.
  case header = -1
  /// The index of the block for each run of 128 characters.
  case pages = 0
  /// The folding of each character.
  case blocks
  /// The start of the folding of each character that is folded into several.
  case expansionStarts
  /// The foldings of characters that are folded into several.
  case expansions
  /// The sets of keyword prefixes.
  case keywordPrefixes
  /// The automaton's nodes.
  case nodes
  /// The longest keyword that ends in a node.
  case nodeKeywords
  /// The keywords.
  case keywords
  /// The groups that the keywords belong to.
  case keywordGroups
  /// The groups.
  case groups
  /// The tests.
  case tests
  /// The rules.
  case rules
  /// The start of each set of number ranges.
  case numberSets
  /// Number ranges.
  case numbers
  /// The start of each set of countries.
  case countrySets
  /// Countries.
  case countries
  /// The start of each set of domains.
  case domainSets
  /// Domains.
  case domains
  /// The paths of the stores that senders are looked up in.
  case stores
  /// Regular expressions.
  case patterns
  /// The steps of regular expressions.
  case patternSteps
  /// The classes of symbols that steps refer to.
  case classes
  /// Texts.
  case texts
}

/// Bytes that stay at the same address, a multiple of 8, until they are destroyed.
@safe
struct RuleBytes: ~Copyable, @unchecked Sendable {
  // Sendable: the bytes are written before any other thread can access them, and never afterwards.
  private let start: UnsafeMutableRawPointer
  private let count: Int
  private let isMapped: Bool

  init(path: String) throws(CompiledRulesError) {
    let mapped = unsafe try Self.map(path)
    unsafe start = mapped.start
    count = unsafe mapped.count
    isMapped = true
  }

  /// Copies bytes.
  init(copying bytes: Span<UInt8>) {
    let size = max(bytes.count, 8)
    unsafe start = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    count = bytes.count
    isMapped = false
    for index in 0..<bytes.count {
      unsafe start.storeBytes(of: bytes[index], toByteOffset: index, as: UInt8.self)
    }
  }

  deinit {
    if isMapped {
      unsafe munmap(start, count)
    } else {
      unsafe start.deallocate()
    }
  }

  /// The bytes.
  var span: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      let bytes = unsafe RawSpan(_unsafeStart: start, byteCount: count)
      return unsafe _overrideLifetime(bytes, borrowing: self)
    }
  }

  /// A pointer into the bytes, for loops over data that was checked when the file was opened. It is valid as long as
  /// this value exists.
  func pointer(at offset: Int) -> UnsafeRawPointer { unsafe UnsafeRawPointer(start + offset) }

  private static func map(
    _ path: String
  ) throws(CompiledRulesError) -> (start: UnsafeMutableRawPointer, count: Int) {
    var file: Int32
    // Only regular files are accepted; without O_NONBLOCK, opening a pipe would wait until another process opens its
    // other end.
    repeat {
      file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } while file < 0 && errno == EINTR
    guard file >= 0 else { throw .cannotOpen(errno: errno) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .cannotOpen(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .cannotMap(errno: EINVAL) }
    let count = Int(status.st_size)
    guard count >= RulesLayout.headerBytes, count <= MessageRulesLimits.fileBytesMax else { throw .notRules }
    let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { throw .cannotMap(errno: errno) }
    return unsafe (start, count)
  }
}
