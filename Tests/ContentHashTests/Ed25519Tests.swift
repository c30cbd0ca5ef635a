// Ed25519 against the test vectors of RFC 8032, section 7.1.

import Hashing
import Testing

@Suite("Ed25519")
struct Ed25519Tests {
  struct Vector: Sendable {
    var seed: String
    var publicKey: String
    var message: [UInt8]
    var signature: String
  }

  static let vectors = [
    Vector(
      seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: [],
      signature:
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        + "d25bf5f0595bbe24655141438e7a100b"),
    Vector(
      seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: [0x72],
      signature:
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        + "387b2eaeb4302aeeb00d291612bb0c00"),
    Vector(
      seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: [0xAF, 0x82],
      signature:
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        + "4a7c15e9716ed28dc027beceea1ec40a"),
  ]

  @Test("keys and signatures of the vectors", arguments: vectors)
  func vector(_ vector: Vector) throws {
    let seed = try #require(Hexadecimal.bytes(vector.seed, count: 32))
    let key = try #require(try Ed25519.PrivateKey(seed: seed))
    let expected = try #require(Hexadecimal.bytes(vector.signature, count: 64))
    #expect(key.seed == seed)
    #expect(Hexadecimal.text(key.publicKey) == vector.publicKey)
    #expect(try Ed25519.isValid(expected, of: vector.message, by: key.publicKey))
    let signature = try #require(key.signature(of: vector.message))
    #expect(try Ed25519.isValid(signature, of: vector.message, by: key.publicKey))
    // CryptoKit adds random bytes to what it signs with.
    #if os(Linux)
      #expect(signature == expected)
    #endif
  }

  @Test("another message, another key and a signature of another length are invalid", arguments: vectors)
  func invalid(_ vector: Vector) throws {
    let key = try #require(Hexadecimal.bytes(vector.publicKey, count: 32))
    let signature = try #require(Hexadecimal.bytes(vector.signature, count: 64))
    #expect(try !Ed25519.isValid(signature, of: vector.message + [0], by: key))
    #expect(try !Ed25519.isValid(signature, of: vector.message, by: try Ed25519.PrivateKey().publicKey))
    #expect(try !Ed25519.isValid(Array(signature.dropLast()), of: vector.message, by: key))
    #expect(try !Ed25519.isValid(signature + [0], of: vector.message, by: key))
    #expect(try !Ed25519.isValid([], of: vector.message, by: key))
    #expect(try !Ed25519.isValid(signature, of: vector.message, by: []))
  }

  /// A second form of a signature would be an altered file that is accepted.
  @Test("a signature whose scalar is not reduced is invalid", arguments: vectors)
  func malleability(_ vector: Vector) throws {
    let key = try #require(Hexadecimal.bytes(vector.publicKey, count: 32))
    var signature = try #require(Hexadecimal.bytes(vector.signature, count: 64))
    let order = try #require(
      Hexadecimal.bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010", count: 32))
    var carry = 0
    for index in order.indices {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      signature[32 + index] = UInt8(truncatingIfNeeded: sum)
      carry = sum >> 8
    }
    #expect(carry == 0)
    #expect(try !Ed25519.isValid(signature, of: vector.message, by: key))
  }

  @Test("random keys differ, and a seed of another length makes none")
  func keys() throws {
    #expect(try Ed25519.PrivateKey().seed != Ed25519.PrivateKey().seed)
    for count in [31, 33] {
      let key = try Ed25519.PrivateKey(seed: [UInt8](repeating: 1, count: count))
      #expect(key == nil)
    }
  }

  #if os(Linux)
    @Test(
      "a missing library is named, with the package that has it", arguments: ["libnone.so.1", "libc.so.6"])
    func missingLibrary(name: String) {
      guard case .unavailable(library: name, package: "libssl3", _)? = Ed25519.problem(opening: name) else {
        Issue.record("it can be used")
        return
      }
    }
  #endif
}
