// Tables of names, and the group of each: the names of columns and fields in all languages.

/// Names in groups, the group with the highest precedence first. Tables are made in every run, most of them of names in
/// languages that its lists don't have: a table is the bytes of its names and a hash table of their positions.
struct RankedNames: Sendable {
  private struct Slot {
    var start: UInt16 = 0
    /// 0 for an empty slot.
    var count: UInt8 = 0
    var rank: UInt8 = 0
  }

  private var names: [UInt8] = []
  /// Twice as many as names, or more; a power of two.
  private var slots: [Slot] = []

  /// Words that only say whose name or number it is: `call_block_number` is a number.
  private static let qualifiers = NameParts(
    """
    call block spam contact from remote other incoming inbound cid party blacklisted original main primary user
    """)

  private static let digitsMax = 2

  /// `groups` are names as ``CommonFieldNames/plain(_:)`` returns them, with spaces between them; each is in one group.
  init(_ groups: [String]) {
    var added: [Slot] = []
    for (rank, group) in groups.enumerated() {
      var start = names.count
      names.append(contentsOf: group.utf8)
      names.append(UInt8(ascii: " "))
      for index in start..<names.count where names[index] <= UInt8(ascii: " ") {
        if index > start {
          added.append(Slot(start: UInt16(start), count: UInt8(index - start), rank: UInt8(rank)))
        }
        start = index + 1
      }
    }
    slots = Array(repeating: Slot(), count: 1 << (Int.bitWidth - added.count.leadingZeroBitCount + 1))
    for name in added {
      let bytes = bytes(name)
      let slot = slot(bytes)
      #if DEBUG
        let text = String(decoding: bytes, as: UTF8.self)
        precondition(slots[slot].count == 0 && CommonFieldNames.plain(text) == text, text)
      #endif
      slots[slot] = name
    }
  }

  /// The group of a name as ``CommonFieldNames/plain(_:)`` returns it. Digits that distinguish fields of the same kind,
  /// and words that say whose field it is, don't matter.
  func rank(_ plain: String) -> Int? {
    if let rank = find(plain.utf8) { return rank }
    let letters = plain.utf8.filter { $0 &- 0x30 >= 10 }
    // A text with more digits is a number, not a name.
    if letters.count + Self.digitsMax < plain.utf8.count { return nil }
    if let rank = find(letters) { return rank }
    var rest = letters[...]
    while let count = Self.qualifiers.beginning(of: rest), rest.count > count {
      rest = rest.dropFirst(count)
      if let rank = find(rest) { return rank }
    }
    return nil
  }

  /// Whether a name is exactly one of these.
  func contains(_ plain: String) -> Bool { find(plain.utf8) != nil }
  func contains(_ plain: ArraySlice<UInt8>) -> Bool { find(plain) != nil }

  private func find(_ name: some Collection<UInt8>) -> Int? {
    if name.isEmpty { return nil }
    let slot = slots[slot(name)]
    return slot.count > 0 ? Int(slot.rank) : nil
  }

  /// The slot of a name: empty if it is not in the table.
  private func slot(_ name: some Collection<UInt8>) -> Int {
    // FNV-1a.
    var hash: UInt32 = 0x811C_9DC5
    for byte in name { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    var index = Int(hash ^ hash >> 15) & (slots.count - 1)
    while slots[index].count > 0, !bytes(slots[index]).elementsEqual(name) {
      index = (index + 1) & (slots.count - 1)
    }
    return index
  }

  private func bytes(_ name: Slot) -> ArraySlice<UInt8> {
    names[Int(name.start)..<Int(name.start) + Int(name.count)]
  }
}

/// Parts of names: what words begin with, or what names contain.
struct NameParts: Sendable {
  private let parts: [[UInt8]]
  /// The parts that begin with each byte.
  private var byFirst: [[[UInt8]]] = Array(repeating: [], count: 256)
  /// A bit for each ``key(_:_:)`` of the first four characters of the parts, and for each part of three.
  private var beginnings: [UInt64] = Array(repeating: 0, count: keys / 64)
  private var shortParts: [UInt64] = Array(repeating: 0, count: keys / 64)

  /// `text` has the parts with spaces between them.
  init(_ text: String) {
    parts = text.utf8.split { $0 <= UInt8(ascii: " ") }.map(Array.init)
    for part in parts {
      byFirst[Int(part[0])].append(part)
      let characters = String(decoding: part, as: UTF8.self).unicodeScalars
      let key = characters.prefix(Self.keyedMax).reduce(0) { Self.key($0, $1.value) }
      if characters.count < Self.keyedMax {
        shortParts[Self.bit(key, Self.shortMask).word] |= Self.bit(key, Self.shortMask).mask
      } else {
        beginnings[Self.bit(key, .max).word] |= Self.bit(key, .max).mask
      }
    }
  }

  private static let keys = 1 << 16
  private static let keyedMax = 4
  /// The part of a key that three characters have.
  private static let shortMask = 0x7FFF

  /// The key of the last four characters, of which `scalar` is the last one.
  @inline(__always)
  private static func key(_ last: Int, _ scalar: UInt32) -> Int { (last << 5 | Int(scalar & 31)) & 0xF_FFFF }

  /// The place of a key, or of a part of it, in a table of bits.
  @inline(__always)
  private static func bit(_ key: Int, _ mask: Int) -> (word: Int, mask: UInt64) {
    let key = key & mask
    let place = (key ^ key >> 7) & (keys - 1)
    return (place / 64, 1 << UInt64(place % 64))
  }

  /// Whether a text may contain one of these parts, of three characters or more, when it is plain: a quick check, with false
  /// positives only.
  ///
  /// - Complexity: O(bytes).
  func mayBeIn(_ text: Span<UInt8>) -> Bool {
    var (key, index) = (0, 0)
    func isBeginning(_ scalar: UInt32) -> Bool {
      key = Self.key(key, scalar)
      let (long, short) = (Self.bit(key, .max), Self.bit(key, Self.shortMask))
      return beginnings[long.word] & long.mask != 0 || shortParts[short.word] & short.mask != 0
    }
    while index < text.count {
      let byte = text[index]
      if byte < 0x80 {
        index += 1
        if byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26, isBeginning(UInt32(byte | 0x20)) { return true }
        continue
      }
      guard let (scalar, length) = NumberText.scalar(text, at: index, end: text.count) else { return true }
      index += length
      switch scalar.value {
      // Cyrillic but its accented letter, and East Asian characters, are common, and the last ones are plain.
      case 0x419, 0x439: if isBeginning(0x438) { return true }
      case 0x410..<0x430: if isBeginning(scalar.value + 0x20) { return true }
      case 0x430..<0x450, 0x3041..<0x3097, 0x30A1..<0x30FB, 0x4E00..<0xA000, 0xAC00..<0xD7A4:
        if isBeginning(scalar.value) { return true }
      // Parts of Korean syllables.
      case 0x1100..<0x1200: return true
      default:
        for plain in CommonFieldNames.plain(String(scalar)).unicodeScalars where isBeginning(plain.value) {
          return true
        }
      }
    }
    return false
  }

  /// Whether a word begins with one of these.
  func begin(_ word: String) -> Bool { beginning(of: word.utf8) != nil }

  /// The size of the first one of these that a word begins with.
  func beginning(of word: some Collection<UInt8>) -> Int? {
    word.first.flatMap { first in byFirst[Int(first)].first { word.starts(with: $0) }?.count }
  }

  /// Whether a name ends in one of these.
  func end(_ name: String) -> Bool {
    let name = Array(name.utf8)
    return parts.contains { name.count >= $0.count && name.suffix($0.count) == $0[...] }
  }

  /// Whether a name is one of these.
  func contain(_ name: String) -> Bool {
    name.utf8.first.map { byFirst[Int($0)].contains { name.utf8.elementsEqual($0) } } ?? false
  }

  /// Whether a name contains one of these.
  func areIn(_ name: String) -> Bool {
    let name = Array(name.utf8)
    return name.indices.contains { index in
      byFirst[Int(name[index])].contains { name[index...].starts(with: $0) }
    }
  }
}
