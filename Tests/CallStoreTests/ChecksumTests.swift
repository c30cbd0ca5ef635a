// The checksum against its definition, one bit at a time.

import CallStoreFormat
import Hashing
import TestSupport
import Testing

@Suite("Checksum")
struct ChecksumTests {
  /// CRC-32C as RFC 3720 defines it: a shift register, one bit at a time.
  private static func bitwise(_ bytes: [UInt8]) -> UInt32 {
    var register = ~UInt32(0)
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register & 1 == 1 ? (register >> 1) ^ 0x82F6_3B78 : register >> 1 }
    }
    return ~register
  }

  @Test("at every length, the checksum equals that of the bitwise definition")
  func lengths() {
    var random = SplitMix64(test: "checksum")
    for count in 0...130 {
      let bytes = random.bytes(count)
      let given = CRC32C.checksum(ContiguousArray(bytes).span)
      #expect(given == Self.bitwise(bytes), "seed \(TestSeed.value): \(bytes)")
    }
  }

  @Test("the instruction and the tables agree at every alignment and length")
  func instructionAndTables() {
    // Without the instruction this compares the tables with themselves; `lengths` compares those with the definition.
    var random = SplitMix64(test: "checksum places")
    let bytes = ContiguousArray(random.bytes(5_000))
    for _ in 0..<2_000 {
      let one = Int.random(in: 0...bytes.count, using: &random)
      let other = Int.random(in: 0...min(bytes.count, one + 300), using: &random)
      let range = min(one, other)..<max(one, other)
      let some = unsafe bytes.span.bytes.extracting(range)
      #expect(
        CRC32C.checksum(some) == CRC32C.checksumByTables(some), "seed \(TestSeed.value): \(range)")
    }
  }

  @Test("the tables agree with the definition, too")
  func tables() {
    var random = SplitMix64(test: "checksum tables")
    for count in 0...130 {
      let bytes = random.bytes(count)
      let span = ContiguousArray(bytes)
      let given = unsafe CRC32C.checksumByTables(span.span.bytes)
      #expect(given == Self.bitwise(bytes), "seed \(TestSeed.value): \(bytes)")
    }
  }
}
