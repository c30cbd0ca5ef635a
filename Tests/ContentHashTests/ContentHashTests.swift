// SHA-256 against published test vectors (FIPS 180-2), and hexadecimal digits both ways.

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
