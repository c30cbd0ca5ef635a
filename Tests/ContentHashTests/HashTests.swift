// SHA-256 against published test vectors, by the processor's instructions and without, and hexadecimal digits
// both ways.

import Hashing
import Testing

@Suite struct ContentHashTests {
  static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test func publishedVectors() {
    #expect(SHA256Hasher.hex(of: "") == Self.empty)
    #expect(SHA256Hasher.hex(of: "abc") == Self.abc)
    #expect(
      SHA256Hasher.hex(of: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }

  @Test func piecesHashLikeTheWhole() {
    var hasher = SHA256Hasher()
    #expect(hasher.hex == Self.empty)
    hasher.update("a")
    _ = hasher.hex
    hasher.update(Array("bc".utf8).span)
    #expect(hasher.hex == Self.abc)
    #expect(hasher.digest == Hexadecimal.sha256(Self.abc))
    #expect(hasher.byteCount == 3)
  }

  @Test func digits() {
    #expect(Hexadecimal.text([]).isEmpty)
    #expect(Hexadecimal.text([0, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
    #expect(Hexadecimal.sha256(Self.abc).map { Hexadecimal.text($0) } == Self.abc)
  }

  @Test(arguments: [
    "", "ab", abc.uppercased(), abc + "0", String(abc.dropLast()) + "g", abc.dropLast() + "é",
  ])
  func otherTextsAreNotDigests(_ text: String) {
    #expect(Hexadecimal.sha256(text) == nil)
  }

  @Test func pastedDigestsAreLowercased() {
    #expect(Hexadecimal.normalizedSHA256(Self.abc.uppercased()) == Self.abc)
    #expect(Hexadecimal.normalizedSHA256(Self.abc) == Self.abc)
    #expect(Hexadecimal.normalizedSHA256(String(Self.abc.dropLast())) == nil)
    #expect(Hexadecimal.normalizedSHA256(String(Self.abc.dropLast()) + "g") == nil)
  }
}

@Suite("SHA-256")
struct SHA256Tests {
  /// A message in hexadecimal digits, or a byte that is repeated; and its hash.
  struct Vector: Sendable, CustomTestStringConvertible {
    var message: [UInt8]
    var digest: String
    var testDescription: String { "\(message.count) bytes" }

    init(_ digits: String, _ digest: String) {
      message = Hexadecimal.bytes(digits, count: digits.utf8.count / 2) ?? []
      self.digest = digest
    }

    init(repeating byte: UInt8, count: Int, _ digest: String) {
      message = [UInt8](repeating: byte, count: count)
      self.digest = digest
    }
  }

  /// SHA256ShortMsg.rsp and SHA256LongMsg.rsp of NIST's Cryptographic Algorithm Validation Program, and FIPS 180-2.
  static let published = [
    Vector("d3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
    Vector("b4190e", "dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2"),
    Vector(
      "3ebfb06db8c38d5ba037f1363e118550aad94606e26835a01af05078533cc25f2f39573c04b632f62f68c294ab31f2a3"
        + "e2a1a0d8c2be51",
      "6595a2ef537a69ba8583dfbf7f5bec0ab1f93ce4c8ee1916eff44a93af5749c4"),
    Vector(
      "2d52447d1244d2ebc28650e7b05654bad35b3a68eedc7f8515306b496d75f3e73385dd1b002625024b81a02f2fd6dffb"
        + "6e6d561cb7d0bd7a",
      "cfb88d6faf2de3a69d36195acec2e255e2af2b7d933997f348e09f6ce5758360"),
    Vector(
      "e2f76e97606a872e317439f1a03fcd92e632e5bd4e7cbc4e97f1afc19a16fde92d77cbe546416b51640cddb92af99653"
        + "4dfd81edb17c4424cf1ac4d75aceeb",
      "18041bd4665083001fba8c5411d2d748e8abbfdcdfd9218cb02b68a78e7d4c23"),
    Vector(
      "5a86b737eaea8ee976a0a24da63e7ed7eefad18a101c1211e2b3650c5187c2a8a650547208251f6d4237e661c7bf4c77"
        + "f335390394c37fa1a9f9be836ac28509",
      "42e61e174fbb3897d6dd6cef3dd2802fe67b331953b06114a65c772859dfc1aa"),
    Vector(
      "451101250ec6f26652249d59dc974b7361d571a8101cdfd36aba3b5854d3ae086b5fdd4597721b66e3c0dc5d8c606d96"
        + "57d0e323283a5217d1f53f2f284f57b85c8a61ac8924711f895c5ed90ef17745ed2d728abd22a5f7a13479a462d71b56"
        + "c19a74a40b655c58edfe0a188ad2cf46cbf30524f65d423c837dd1ff2bf462ac4198007345bb44dbb7b1c861298cdf61"
        + "982a833afc728fae1eda2f87aa2c9480858bec",
      "3c593aa539fdcdae516cdf2f15000f6634185c88f505b39775fb9ab137a10aa2"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 1_000_000,
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  /// Lengths around the ends of blocks and of their padding, computed with Python's hashlib: `b"a" * count`.
  static let lengths = [
    Vector(
      repeating: UInt8(ascii: "a"), count: 0,
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 55,
      "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 56,
      "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 57,
      "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 63,
      "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 64,
      "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 65,
      "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 119,
      "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 120,
      "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 121,
      "e9615320128cc7a3d6078e9af05603188e5ccbf0d07d8b735d3df5e8e0c1281f"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 127,
      "c57e9278af78fa3cab38667bef4ce29d783787a2f731d4e12200270f0c32320a"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 128,
      "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"),
    Vector(
      repeating: UInt8(ascii: "a"), count: 129,
      "c12cb024a2e5551cca0e08fce8f1c5e314555cc3fef6329ee994a3db752166ae"),
  ]

  private static func digest(_ message: [UInt8], piece: Int, usesInstructions: Bool) -> String {
    var hash = PlainSHA256(usesInstructions: usesInstructions)
    for start in stride(from: 0, to: message.count, by: piece) {
      unsafe message[start..<min(start + piece, message.count)].withUnsafeBytes {
        unsafe hash.update(bufferPointer: $0)
      }
    }
    return Hexadecimal.text(hash.finalize())
  }

  @Test("the published hashes, whatever the pieces", arguments: published + lengths)
  func vector(_ vector: Vector) {
    for piece in [1, 3, 63, 64, 65, 1_000, vector.message.count + 1] {
      // Without optimization, a million calls take seconds.
      if vector.message.count / piece > 10_000 { continue }
      for usesInstructions in [true, false] {
        let digest = Self.digest(vector.message, piece: piece, usesInstructions: usesInstructions)
        #expect(digest == vector.digest, "in pieces of \(piece), by instructions: \(usesInstructions)")
      }
    }
    var hasher = SHA256Hasher()
    hasher.update(vector.message.span)
    #expect(hasher.hex == vector.digest)
  }

  @Test("a copy continues on its own, and a hash can be continued after it was read")
  func copies() {
    for usesInstructions in [true, false] {
      var hash = PlainSHA256(usesInstructions: usesInstructions)
      unsafe Array("a".utf8).withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
      let copy = hash
      _ = hash.finalize()
      unsafe Array("bc".utf8).withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
      #expect(Hexadecimal.text(hash.finalize()) == ContentHashTests.abc)
      #expect(Hexadecimal.text(copy.finalize()) == Self.digest([0x61], piece: 1, usesInstructions: true))
    }
  }
}
