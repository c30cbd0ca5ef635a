// Keywords, the hash that chooses their shard, and identities.

import BasicContainers
import Hashing
import Records
import StoreWriting
import SystemIO
import TestSupport
import Testing

@Suite("Keywords and identities")
struct KeywordTests {
  /// Numbers of every length: the smallest, the largest, and random ones.
  private static func numbers() -> [UInt64] {
    var random = SplitMix64(test: "numbers")
    var power: UInt64 = 1
    return (1...15).flatMap { _ -> [UInt64] in
      defer { power *= 10 }
      return [power, 10 * power - 1]
        + (0..<200).map { _ in UInt64.random(in: power..<10 * power, using: &random) }
    }
  }

  private static func number(_ keyword: [UInt8]) -> UInt64? { Keyword.number(keyword.span) }

  private static func identity(_ value: [UInt8]) -> CallIdentity? { CallIdentity(value.span) }

  @Test("a keyword is a plus sign and the digits, for every length", .seeded)
  func keywords() {
    for number in Self.numbers() {
      let keyword = Keyword(number)
      #expect(keyword.bytes == Array("+\(number)".utf8))
      #expect(keyword.count == keyword.bytes.count)
      #expect(Self.number(keyword.bytes) == number)
    }
  }

  @Test(
    "other texts are not keywords",
    arguments: ["", "+", "1", "+0", "+01", "+1a", "+1 ", " +1", "++1", "+-1", "+1234567890123456", "+１"])
  func noKeywords(text: String) {
    #expect(Self.number(Array(text.utf8)) == nil)
  }

  @Test("the hash of a short message is the beginning of its SHA-256, for every length", .seeded)
  func hashes() {
    var random = SplitMix64(test: "hashes")
    for count in 0...ShortMessage.bytesMax {
      for _ in 0..<50 {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        var words: [UInt64] = [0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 8] |= UInt64(byte) << (8 * (index % 8)) }
        let message = ShortMessage(low: words[0], high: words[1], count: count)
        #expect(message.bytes == bytes)
        var hasher = SHA256Hasher()
        hasher.update(bytes.span)
        var expected: UInt64 = 0
        for (index, byte) in hasher.digest.prefix(8).enumerated() { expected |= UInt64(byte) << (8 * index) }
        #expect(message.hash == expected && message.portableHash == expected, "\(bytes)")
      }
    }
  }

  /// Computed with Python: int.from_bytes(hashlib.sha256(b"+14085551212").digest()[:8], "little").
  @Test("the hash of the test identity's number is the one that another program computes")
  func knownHash() {
    #expect(Keyword(CallIdentity.test.number).hash == 0xe7dc_1540_c0ed_9d47)
  }

  @Test("the shard is the hash modulo the number of shards, by doubleMod too", .seeded)
  func shards() {
    for number in Self.numbers() {
      let hash = Keyword(number).hash
      for shards in [1, 2, 512, 65_536] {
        let index = ShardFunction(shards: shards).index(hash)
        #expect(index == Int(hash % UInt64(shards)))
        for other in [shards, 2 * shards, 65_536] where other >= shards {
          #expect(index == Int(hash % UInt64(other) % UInt64(shards)))
        }
      }
    }
    #expect((0...131_072).filter(ShardFunction.isAllowed) == (0...16).map { 1 << $0 })
  }

  @Test("the row of the test identity has the bytes that Apple's program writes")
  func golden() {
    var row = UniqueArray<UInt8>(minimumCapacity: 0)
    let (number, identity) = CallIdentity.test
    KeywordRow.append(
      Keyword(number), valueField: KeywordRow.field(value: identity.value).span, to: &row)
    var bytes: [UInt8] = []
    bytes.append(copying: row.span)
    #expect(
      Hexadecimal.text(bytes) == "0a220a0c2b313430383535353132313212120a104a6f686e6e79204170706c6573656564")
  }

  @Test("an identity that is written is read again")
  func identities() {
    for name in ["", "a", "房产中介", String(repeating: "x", count: 300), "tab\tline\nend", "\0"] {
      for category in CallIdentity.Category.allCases {
        for minutes in [0, 1, 127, 128, 1440, UInt32.max] {
          let identity = CallIdentity(name: name, cacheMinutes: minutes, category: category)
          #expect(Self.identity(identity.value) == identity)
        }
      }
    }
  }

  @Test("icons and unknown fields are skipped; other bytes are no identity")
  func hostileIdentities() {
    let name = CallIdentity(name: "n", category: .business).value
    // An icon, then an unknown number.
    let icon: [UInt8] = [0x12, 4, 0x08, 1, 0x12, 0, 0x78, 0x96, 0x01]
    #expect(Self.identity(icon + name) == CallIdentity(name: "n", category: .business))
    for bytes in [[0x0A, 1, 0xFF], [0x0A, 2, 0x41], [0x0A], [0x20], [0x0D, 1], [0x18, 0x80]] as [[UInt8]] {
      #expect(Self.identity(bytes) == nil, "\(bytes)")
    }
    for end in 0..<icon.count { _ = Self.identity(Array(icon[..<end])) }
  }
}
