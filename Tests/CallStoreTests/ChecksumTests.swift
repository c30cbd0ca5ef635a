// The checksum against its definition, a bit after the other.

import CallStoreFormat
import TestSupport
import Testing

@Suite("Checksum")
struct ChecksumTests {
  /// CRC-32C as RFC 3720 has it: a shift register, a bit at a time.
  private static func bitwise(_ bytes: [UInt8]) -> UInt32 {
    var register = ~UInt32(0)
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register & 1 == 1 ? (register >> 1) ^ 0x82F6_3B78 : register >> 1 }
    }
    return ~register
  }

  @Test("bytes of every length have the checksum that they have a bit at a time")
  func lengths() {
    var random = SplitMix64(test: "checksum")
    for count in 0...130 {
      let bytes = random.bytes(count)
      let given = CRC32C.checksum(ContiguousArray(bytes).span)
      #expect(given == Self.bitwise(bytes), "seed \(TestSeed.value): \(bytes)")
    }
  }
}
