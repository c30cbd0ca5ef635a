// Which manifests are trusted: each reason to refuse one, replaced keys, and many altered files.

import CallManifest
import Hashing
import TestSupport
import Testing

/// A publisher with one key or several.
private struct Signer {
  var keys: [Ed25519.PrivateKey]

  /// Makes a publisher with a random key.
  init() throws { keys = [try Ed25519.PrivateKey()] }

  init(keys: [Ed25519.PrivateKey]) { self.keys = keys }

  /// The public keys.
  var trusted: [ManifestKey] { keys.compactMap { ManifestKey(bytes: $0.publicKey) } }

  /// A signature file for a manifest.
  func file(_ manifest: [UInt8], serial: Int64 = 100, expires: Int64 = 2_000) throws -> [UInt8] {
    var hasher = SHA256Hasher()
    hasher.update(manifest.span)
    return try file(.init(serial: serial, expires: expires, manifestHash: hasher.digest))
  }

  func file(_ statement: SignatureFile.Statement) throws -> [UInt8] {
    let signatures = try zip(keys, trusted).map { key, trusted in
      SignatureFile.KeySignature(
        keyID: trusted.id, signature: try #require(key.signature(of: statement.bytes)))
    }
    return SignatureFile(statement: statement, signatures: signatures).bytes
  }
}

@Suite("Signatures of manifests", .seeded)
struct SignatureTests {
  private static let manifest = Manifest(shards: ManifestTests.shards, maxEntries: 10).json

  /// The reason why a manifest is refused; nil if it is accepted.
  private static func error(
    _ signature: [UInt8]?, _ keys: [ManifestKey], manifest: [UInt8] = manifest, lastAccepted: Int64? = nil,
    now: Int64 = 1_000
  ) -> ManifestSignatureError? {
    do throws(ManifestSignatureError) {
      _ = try SignedManifest(
        manifest: manifest, signature: signature, keys: keys, lastAccepted: lastAccepted, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test("a signed manifest is accepted, with its serial number, expiry and key")
  func accepted() throws {
    let signer = try Signer()
    let signed = try SignedManifest(
      manifest: Self.manifest, signature: try signer.file(Self.manifest), keys: signer.trusted,
      lastAccepted: 100, now: 2_000)
    #expect(signed.manifest == (try Manifest(bytes: Self.manifest)))
    #expect(signed.signature.serial == 100 && signed.signature.expires == 2_000)
    #expect([signed.signature.key] == signer.trusted)
    #expect(signed.signature.covers(Self.manifest) && !signed.signature.covers([]))
  }

  @Test("each reason to refuse a manifest has an error of its own")
  func reasons() throws {
    let (signer, other) = (try Signer(), try Signer())
    let file = try signer.file(Self.manifest)
    let keys = signer.trusted
    #expect(Self.error(nil, keys) == .unsigned)
    #expect(Self.error([], keys) == .unsigned)
    #expect(Self.error(Array("<html>".utf8), keys) == .damaged)
    #expect(Self.error(Array(file.dropLast()), keys) == .damaged)
    #expect(Self.error(file, other.trusted) == .wrongKey(signedBy: keys.map(\.id)))
    #expect(Self.error(file, []) == .wrongKey(signedBy: keys.map(\.id)))
    #expect(Self.error(file, keys, manifest: Self.manifest + [0x20]) == .altered)
    #expect(Self.error(file, keys, lastAccepted: 101) == .olderThanAccepted(serial: 100, accepted: 101))
    #expect(Self.error(file, keys, now: 2_001) == .expired(at: 2_000))
    #expect(Self.error(file, keys, lastAccepted: 100, now: 2_000) == nil)
    let text = Array("{}".utf8)
    #expect(Self.error(try signer.file(text), keys, manifest: text) == .manifest(.notAManifest))
    var newer = String(decoding: file, as: UTF8.self)
    newer.replace("signature 1\n", with: "signature 2\n")
    #expect(Self.error(Array(newer.utf8), keys) == .unsupportedVersion(2))
  }

  /// An attacker can put any key's identifier into the file.
  @Test("a signature by another key under a trusted key's identifier is altered")
  func falseIdentifier() throws {
    let (signer, other) = (try Signer(), try Signer())
    var file = try SignatureFile(try other.file(Self.manifest))
    file.signatures[0].keyID = signer.trusted[0].id
    #expect(Self.error(file.bytes, signer.trusted) == .altered)
  }

  @Test("an altered serial number, expiry or hash is refused")
  func alteredStatement() throws {
    let signer = try Signer()
    let file = try SignatureFile(try signer.file(Self.manifest))
    var altered = [file, file, file]
    altered[0].statement.serial += 1
    altered[1].statement.expires += 1
    altered[2].statement.manifestHash[31] ^= 1
    for file in altered { #expect(Self.error(file.bytes, signer.trusted) == .altered) }
  }

  @Test("a key signs nothing else: the signature of other bytes is not that of a manifest")
  func otherPurpose() throws {
    let signer = try Signer()
    var file = try SignatureFile(try signer.file(Self.manifest))
    for bytes in [Self.manifest, file.statement.manifestHash, Array(file.statement.bytes.dropFirst())] {
      file.signatures[0].signature = try #require(signer.keys[0].signature(of: bytes))
      #expect(Self.error(file.bytes, signer.trusted) == .altered)
    }
  }

  @Test(
    "replacing a key: old and new apps accept what both keys signed, and new ones what the new key signed")
  func rotation() throws {
    let (old, new) = (try Signer(), try Signer())
    let both = Signer(keys: old.keys + new.keys)
    let file = try both.file(Self.manifest)
    #expect(Self.error(file, old.trusted) == nil)
    #expect(Self.error(file, new.trusted) == nil)
    #expect(Self.error(file, both.trusted) == nil)
    let later = try new.file(Self.manifest)
    #expect(Self.error(later, both.trusted) == nil)
    #expect(Self.error(later, old.trusted) == .wrongKey(signedBy: new.trusted.map(\.id)))
    // One damaged signature does not make the other invalid.
    var damaged = try SignatureFile(file)
    damaged.signatures[0].signature[0] ^= 1
    #expect(Self.error(damaged.bytes, both.trusted) == nil)
    #expect(Self.error(damaged.bytes, old.trusted) == .altered)
  }

  @Test("a file has one form for each content")
  func form() throws {
    let signer = Signer(keys: [try Ed25519.PrivateKey(), try Ed25519.PrivateKey()])
    let file = try signer.file(Self.manifest)
    let text = String(decoding: file, as: UTF8.self)
    #expect(try SignatureFile(file).bytes == file)
    let lines = text.split(separator: "\n").map(String.init)
    var forms = [
      text.replacing("serial 100", with: "serial 0100"), text.replacing("serial 100", with: "serial +100"),
      text.replacing("serial 100", with: "serial  100"), text.replacing("serial 100", with: "serial 0"),
      text.replacing("serial 100", with: "serial -1"), text.replacing("serial 100", with: "serial 100 "),
      text.replacing("serial 100", with: "serial 1000000000000000000"),
      text.replacing("serial 100", with: "serial 99999999999999999999999"),
      text.replacing("\n", with: "\r\n"), text.replacing("sha256", with: "sha512"), text + "\n", "\n" + text,
      text.replacing("ed25519", with: "ed448"), text.uppercased(), "\u{FEFF}" + text,
      lines[0..<4].joined(separator: "\n") + "\n", text + lines[4] + "\n", text + lines[0] + "\n",
      text + String(repeating: "x", count: ManifestSignature.bytesMax), text.replacing("100", with: "١٠٠"),
    ]
    forms.append(lines.reversed().joined(separator: "\n") + "\n")
    for form in forms {
      #expect(form != text)
      #expect(throws: ManifestSignatureError.damaged, "\(form)") { try SignatureFile(Array(form.utf8)) }
    }
    let nine = Signer(keys: try (0..<9).map { _ in try Ed25519.PrivateKey() })
    #expect(throws: ManifestSignatureError.damaged) { try SignatureFile(try nine.file(Self.manifest)) }
    let eight = Signer(keys: try (0..<8).map { _ in try Ed25519.PrivateKey() })
    #expect(Self.error(try eight.file(Self.manifest), eight.trusted.suffix(1)) == nil)
  }

  @Test("the text form of a public key")
  func keys() throws {
    let key = try #require(try Signer().trusted.first)
    #expect(ManifestKey(key.description) == key)
    #expect(key.description.count == 72 && key.id.count == 16)
    let digits = key.description.dropFirst(ManifestKey.prefix.count)
    for text in [
      "", "ed25519:", String(digits), "ed25519:\(digits)0", "ed25519:\(digits.dropLast())",
      "ED25519:\(digits)", "ed25519: \(digits)", key.description + "\n", "ed25519:\(digits.dropLast())G",
    ] {
      #expect(ManifestKey(text) == nil, "\(text)")
    }
  }

  /// The bytes after a random change, which may be none.
  private static func altered(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0...(random.chance(oneIn: 4) ? random.below(8) : 0) {
      let at = random.below(bytes.count)
      switch random.below(8) {
      case 0: bytes[at] ^= 1 << UInt8(random.below(8))
      case 1: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes[at] = random.bytes(1, in: UInt8(ascii: "0")...UInt8(ascii: "9"))[0]
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
      case 4: bytes.remove(at: at)
      case 5: bytes.swapAt(at, random.below(bytes.count))
      case 6: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(80)))
      default: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 1 + random.below(80))], at: at)
      }
      if bytes.isEmpty { break }
    }
    return bytes
  }

  @Test("no altered manifest or signature is accepted", .timeLimit(.minutes(10)))
  func altered() throws {
    var random = SplitMix64(test: "altered signatures")
    let (signer, other) = (try Signer(), try Signer())
    let file = try signer.file(Self.manifest)
    let others = try other.file(Self.manifest)
    var counts: [String: Int] = [:]
    for round in 0..<TestEffort.cases(short: 20_000, long: 200_000) {
      let (manifest, signature) =
        switch random.below(4) {
        case 0: (Self.altered(Self.manifest, &random), file)
        case 1: (Self.altered(Self.manifest, &random), Self.altered(file, &random))
        // The lines of another key, with the identifier of this one in half of them.
        case 2: (Self.manifest, Self.altered(random.chance(oneIn: 2) ? file : others, &random))
        default: (Self.manifest, Self.altered(file, &random))
        }
      if manifest == Self.manifest, signature == file { continue }
      let error = Self.error(signature, signer.trusted, manifest: manifest)
      #expect(error != nil, "round \(round): \(signature) for \(manifest)")
      counts[error.map { String("\($0)".prefix { $0 != "(" }) } ?? "none", default: 0] += 1
    }
    for name in ["altered", "damaged", "wrongKey"] { #expect(counts[name, default: 0] > 100, "\(counts)") }
  }
}
