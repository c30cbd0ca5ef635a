// Compiled files that were changed: they are refused, or give some answer, without a crash.

import Foundation
import Hashing
import MessageRules
import TestSupport
import Testing

@testable import CallStoreFormat

@Suite("Hostile compiled files")
struct HostileFileTests {
  private static let rules = """
    region: CN
    fold: { width: false, case: false, compatibility: false, marks: false, spacing: false }
    rules:
      - { name: a, action: junk, when: { body: { contains: [ab, abc, b, 澳门], link: [x.example] } } }
      - { name: b, action: allow, when: { sender: { prefix: "+86", number: "+8613*", country: CN, store: s } } }
      - { name: c, action: junk, when: { any: [ { body: { matches: '(a|b)+c{2}', script: han } }, { receiver: { country: FR } } ] } }
    """

  /// Classifies some messages with a changed file, if it is accepted.
  private static func ask(_ bytes: ContiguousArray<UInt8>) -> Bool {
    guard let rules = try? CompiledRules(bytes: bytes.span) else { return false }
    _ = rules.storePaths
    _ = rules.subActions
    var classifier = MessageClassifier(rules, isInStore: { _, _ in true })
    for text in ["xabcabcc http://x.example/ab", "澳 门ⓐⓑ㈱ 1Ο", ""] {
      let body = ContiguousArray(text.utf8)
      let sender = ContiguousArray("+8613800138000".utf8)
      _ = classifier.classify(sender: sender.span, body: body.span, receiver: "FR")
      _ = classifier.explain(sender: sender.span, body: body.span, receiver: "CN")
    }
    return true
  }

  /// The bytes with a correct checksum.
  private static func signed(_ bytes: ContiguousArray<UInt8>) -> ContiguousArray<UInt8> {
    var bytes = bytes
    let content = ContiguousArray(bytes[16...])
    let checksum = CRC32C.checksum(content.span)
    for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
    return bytes
  }

  @Test("a flipped bit is detected, wherever it is")
  func flipped() throws {
    let valid = try compiled(Self.rules)
    #expect(Self.ask(valid))
    var generator = SplitMix64(test: "flips")
    for _ in 0..<400 {
      var bytes = valid
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
        1 << UInt8.random(in: 0..<8, using: &generator)
      #expect(!Self.ask(bytes))
    }
    for index in 0..<256 {
      var bytes = valid
      bytes[index] ^= 0x10
      #expect(!Self.ask(bytes))
    }
  }

  @Test("a flipped bit with a matching checksum does no harm")
  func signedFlips() throws {
    let valid = try compiled(Self.rules)
    let rules = try CompiledRules(bytes: valid.span)
    // The header, all small sections, and some of the large ones.
    var places: [Int] = Array(16..<256)
    var generator = SplitMix64(test: "signed flips")
    var start = 256
    for section in RulesSection.allCases where section != .header {
      let count = rules.bytes(of: section).byteCount
      let all = start..<start + count
      places += count <= 1500 ? Array(all) : (0..<60).map { _ in Int.random(in: all, using: &generator) }
      start = (start + count + 7) & ~7
    }
    #expect(start == valid.count)
    var taken = 0
    for place in places {
      // Two bits of each byte: all eight need minutes in a debug build. CDPIPE_EVERY_BIT=1 flips them all.
      let step = ProcessInfo.processInfo.environment["CDPIPE_EVERY_BIT"] == nil ? 4 : 1
      for bit in stride(from: place % step, to: 8, by: step) {
        var bytes = valid
        bytes[place] ^= 1 << UInt8(bit)
        if Self.ask(Self.signed(bytes)) { taken += 1 }
      }
    }
    // Some changes result in other valid rules; most make the file invalid.
    #expect(taken > 0)
  }

  @Test("a truncated file is refused at every length, also with a matching checksum")
  func truncated() throws {
    let valid = try compiled(Self.rules)
    for length in Array(0..<300) + Array(stride(from: 300, to: valid.count, by: 977)) {
      var bytes = ContiguousArray(valid.prefix(length))
      #expect(!Self.ask(bytes))
      if length >= 256 {
        for index in 0..<8 { bytes[16 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
        #expect(!Self.ask(Self.signed(bytes)))
      }
    }
  }

  @Test("a search in an automaton with a cycle ends")
  func circles() throws {
    var bytes = try compiled(keywordRules(["abab", "bab", "c"]))
    let rules = try CompiledRules(bytes: bytes.span)
    var start = 256
    for section in RulesSection.allCases where section != .header {
      let count = rules.bytes(of: section).byteCount
      if section == .nodes {
        for at in stride(from: start, to: start + count, by: 8) {
          // Every node refers back to itself on a mismatch.
          let place = UInt64((at - start) / 8)
          var word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
          word = word & ~(0x1F_FFFF << 42) | place << 42
          for index in 0..<8 { bytes[at + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index)) }
        }
      }
      start = (start + count + 7) & ~7
    }
    let changed = try CompiledRules(bytes: Self.signed(bytes).span)
    let classifier = Asker(changed)
    _ = classifier.classify(sender: "", body: String(repeating: "abaab", count: 2000))
  }
}
