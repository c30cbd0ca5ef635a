// Signed versions: what a reader finds at each step, renewed signatures, replaced keys, rolling back, and key files.

import CallManifest
import Records
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import Runner

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension PublishFixture {
  /// Makes a key, and returns the path of its file and the public key.
  fileprivate func key(_ name: String) throws -> (path: String, key: ManifestKey) {
    let key = try SigningKey.make(at: "\(root)/\(name).key")
    return ("\(root)/\(name).key", key.publicKey)
  }

  fileprivate func options(_ keys: String..., days: Int64 = 14) -> PublishOptions {
    var options = self.options
    options.signingKeys = keys
    options.signatureSeconds = days * 86_400
    return options
  }

  /// The serial number of a version's signature by one of the keys; 0 if there is none.
  fileprivate func serial(of version: String, _ keys: [ManifestKey]) -> Int64 {
    let path = folder.version(version) + "/" + ManifestSignature.fileName
    let bytes = try? InputFile.bytes(of: path, limit: ManifestSignature.bytesMax)
    return (try? ManifestSignature(bytes: bytes, keys: keys, lastAccepted: nil, now: 0).serial) ?? 0
  }

  /// What a phone accepts: the published folder's two files as a server offers them.
  fileprivate func accepted(
    _ keys: ManifestKey..., lastAccepted: Int64? = nil, now: Int64
  ) throws(ManifestSignatureError) -> SignedManifest {
    let manifest = (try? InputFile.bytes(of: folder.manifest, limit: Manifest.bytesMax)) ?? []
    let signature = try? InputFile.bytes(of: folder.signature, limit: ManifestSignature.bytesMax)
    return try SignedManifest(
      manifest: manifest, signature: signature, keys: keys, lastAccepted: lastAccepted, now: now)
  }
}

/// A night without new results: the signature is renewed.
private func renew(_ options: PublishOptions, now: Int64) throws {
  let publisher = try Publisher(options, now: now)
  #expect(try publisher.problemOfCurrent() == nil)
  try publisher.renewSignature()
}

@Suite("Signed versions")
struct SigningTests {
  /// 2026-03-31.
  private static let start: Int64 = 1_774_931_400
  private static let day: Int64 = 86_400

  @Test("a version is signed, and at every step the manifest has its signature")
  func steps() throws {
    let place = try PublishFixture()
    let (path, key) = try place.key("a")
    try publish(numbers(10), place.options(path), now: Self.start)
    let first = try place.accepted(key, now: Self.start)
    #expect(first.signature.serial == Self.start)
    #expect(first.signature.expires == Self.start + 14 * Self.day)
    #expect(SymbolicLink.destination(of: place.folder.signature) == "current/manifest.json.sig")
    var seen: [String] = []
    let outcome = try publish(numbers(20), place.options(path), now: Self.start + 1) { step in
      do {
        let signed = try place.accepted(key, lastAccepted: Self.start, now: Self.start)
        if seen.last != signed.manifest.contentID { seen.append(signed.manifest.contentID) }
      } catch {
        Issue.record("at \(step): \(error)")
      }
    }
    #expect(outcome.isPublished)
    #expect(seen == [first.manifest.contentID, outcome.version])
    #expect(try ShardFolder(place.folder.directory).unlistedFiles().isEmpty)
    #expect(try place.current() != nil)
    #expect(try place.leftovers().isEmpty)
  }

  @Test("an unchanged night renews the signature and changes nothing else")
  func renewal() throws {
    let place = try PublishFixture()
    let (path, key) = try place.key("a")
    let options = place.options(path)
    let version = try publish(numbers(10), options, now: Self.start).version
    let manifest = try InputFile.bytes(of: place.folder.manifest, limit: Manifest.bytesMax)
    for night in 1...30 {
      let now = Self.start + Int64(night) * Self.day
      // Half of the nights have sources that changed without another result.
      if night % 2 == 0 {
        try renew(options, now: now)
      } else {
        #expect(try publish(numbers(10), options, now: now) == .unchanged(version: version))
      }
      let signed = try place.accepted(key, lastAccepted: now - Self.day, now: now)
      #expect(signed.signature.serial == now && signed.signature.expires == now + 14 * Self.day)
    }
    #expect(try InputFile.bytes(of: place.folder.manifest, limit: Manifest.bytesMax) == manifest)
    #expect(try place.versions() == [version])
    #expect(throws: ManifestSignatureError.expired(at: Self.start + 44 * Self.day)) {
      try place.accepted(key, now: Self.start + 45 * Self.day)
    }
  }

  @Test("serial numbers grow even if the clock is set back")
  func clock() throws {
    let place = try PublishFixture()
    let (path, key) = try place.key("a")
    try publish(numbers(10), place.options(path), now: Self.start)
    try renew(place.options(path), now: Self.start - 1_000)
    #expect(try place.accepted(key, now: Self.start).signature.serial == Self.start + 1)
    try publish(numbers(20), place.options(path), now: Self.start - 1_000)
    #expect(try place.accepted(key, now: Self.start).signature.serial == Self.start + 2)
  }

  /// Loses something of the current version or of the state, or rolls back. Returns the highest serial number that is
  /// still known: the next one must be higher.
  private static func lose(
    _ place: PublishFixture, _ options: PublishOptions, _ keys: [ManifestKey], now: Int64, last: Int64,
    _ random: inout SplitMix64
  ) throws -> Int64 {
    let current = try #require(place.folder.currentVersion)
    let signature = place.folder.version(current) + "/manifest.json.sig"
    switch random.next() % 6 {
    case 0: try KernelCalls().unlink(FilePath(signature))
    case 1: try FileTree.write(signature, Array("damaged".utf8))
    case 2: try KernelCalls().unlink(FilePath(place.folder.state))
    case 3: _ = try? Publisher(options, now: now).rollBack(to: nil)
    case 4:
      // What is lost in both places is not known any more, but the earlier versions are.
      try KernelCalls().unlink(FilePath(signature))
      try KernelCalls().unlink(FilePath(place.folder.state))
      return try place.versions().map { place.serial(of: $0, keys) }.max() ?? 0
    default: break
    }
    return last
  }

  @Test("serial numbers never go back, whatever is lost and whatever the clock and the keys are", .seeded)
  func histories() throws {
    var random = SplitMix64(test: "histories of serial numbers")
    for _ in 0..<TestEffort.cases(short: 20, long: 1000) {
      let place = try PublishFixture()
      var keys = [try place.key("0")]
      var made = 1
      var last: Int64 = 0
      for night in 0..<12 {
        let now = Self.start + Int64(random.next() % 20_000_000) - 10_000_000
        // Both keys sign for some nights, then the new one alone.
        if keys.count == 2, random.chance(oneIn: 2) { keys.removeFirst() }
        if keys.count == 1, random.chance(oneIn: 4) {
          keys.append(try place.key("\(made)"))
          made += 1
        }
        var options = place.options
        options.signingKeys = keys.map(\.path)
        let trusted = keys.map(\.key)
        if night > 0 { last = try Self.lose(place, options, trusted, now: now, last: last, &random) }
        let content = numbers(10 + Int(random.next() % 3))
        let failure = stageError { () throws(Failure) in try publish(content, options, now: now) }
        if let failure {
          // A version that was rolled back to is signed again only on request.
          #expect(failure.code == "publish-damaged-current", "night \(night): \(failure)")
          let current = try #require(place.folder.currentVersion)
          _ = try Publisher(options, now: now).rollBack(to: current)
        }
        for key in trusted {
          let signed = try place.accepted(key, lastAccepted: last, now: now)
          #expect(signed.signature.serial > last, "night \(night)")
        }
        last = try place.accepted(trusted[0], now: now).signature.serial
      }
    }
  }

  @Test("without the state and the current signature, serial numbers continue after the earlier versions")
  func lostSerials() throws {
    let place = try PublishFixture()
    let (old, new) = (try place.key("old"), try place.key("new"))
    try publish(numbers(10), place.options(old.path), now: Self.start + 5)
    try publish(numbers(20), place.options(old.path), now: Self.start + 6)
    let version = try publish(numbers(30), place.options(old.path), now: Self.start + 7).version
    try KernelCalls().unlink(FilePath(place.folder.version(version) + "/manifest.json.sig"))
    try KernelCalls().unlink(FilePath(place.folder.state))
    // The clock was set back, and the key that signed the earlier versions is not used any more.
    try publish(numbers(40), place.options(new.path), now: Self.start - 1_000)
    #expect(try place.accepted(new.key, now: Self.start).signature.serial == Self.start + 7)
  }

  @Test("a clock before 1970 and the highest serial number are errors")
  func ends() throws {
    let place = try PublishFixture()
    let (path, key) = try place.key("a")
    let options = place.options(path)
    func code(_ now: Int64) -> String? {
      stageError { () throws(Failure) in try publish(numbers(20), options, now: now) }?.code
    }
    #expect(code(-1) == "publish-clock")
    try publish(numbers(10), options, now: Self.start)
    var state = try #require(try PublishState.read(place.folder.state, calls: KernelCalls()))
    #expect(state.serial == Self.start)
    state.serial = SignatureFile.numberMax
    try state.write(place.folder.state, calls: KernelCalls())
    #expect(code(Self.start + 1) == "publish-exhausted-serials")
    #expect(try place.accepted(key, now: Self.start).signature.serial == Self.start)
  }

  @Test("a run without a key is refused after signed versions, unless it is allowed")
  func unsigned() throws {
    let place = try PublishFixture()
    let (path, key) = try place.key("a")
    let version = try publish(numbers(10), place.options(path), now: Self.start + 9).version
    func code() -> String? {
      stageError { () throws(Failure) in try publish(numbers(20), place.options, now: Self.start) }?.code
    }
    #expect(code() == "publish-unsigned")
    try KernelCalls().unlink(FilePath(place.folder.version(version) + "/manifest.json.sig"))
    #expect(code() == "publish-unsigned")
    #expect(place.folder.currentVersion == version)
    var options = place.options
    options.allowsUnsigned = true
    try publish(numbers(20), options, now: Self.start)
    #expect(throws: ManifestSignatureError.unsigned) { try place.accepted(key, now: Self.start) }
    try publish(numbers(30), place.options(path), now: Self.start)
    #expect(try place.accepted(key, now: Self.start).signature.serial == Self.start + 10)
  }

  @Test("a version that was published unsigned is signed by the next run with a key")
  func later() throws {
    let place = try PublishFixture()
    let version = try publish(numbers(10), place.options, now: Self.start).version
    let (path, key) = try place.key("a")
    #expect(throws: ManifestSignatureError.unsigned) { try place.accepted(key, now: Self.start) }
    #expect(try publish(numbers(10), place.options(path), now: Self.start) == .signed(version: version))
    #expect(try place.accepted(key, now: Self.start).manifest.contentID == version)
    #expect(try place.current() != nil)
  }

  @Test("old and new key sign while a key is replaced; a key without overlap writes the version again")
  func rotation() throws {
    let place = try PublishFixture()
    let (old, new, next) = (try place.key("old"), try place.key("new"), try place.key("next"))
    let version = try publish(numbers(10), place.options(old.path), now: Self.start).version
    try renew(place.options(old.path, new.path), now: Self.start + 1)
    for key in [old.key, new.key] { _ = try place.accepted(key, now: Self.start) }
    try renew(place.options(new.path), now: Self.start + 2)
    #expect(throws: ManifestSignatureError.wrongKey(signedBy: [new.key.id])) {
      try place.accepted(old.key, now: Self.start)
    }
    #expect(try place.accepted(new.key, now: Self.start).signature.serial == Self.start + 2)
    let publisher = try Publisher(place.options(next.path), now: Self.start + 3)
    guard case .unsigned? = try publisher.problemOfCurrent() else {
      Issue.record("the new key has not signed yet")
      return
    }
    #expect(throws: (any Error).self) { try publisher.renewSignature() }
    _ = consume publisher
    #expect(
      try publish(numbers(10), place.options(next.path), now: Self.start + 4) == .signed(version: version))
    _ = try place.accepted(next.key, now: Self.start)
  }

  @Test("a manifest that others changed is not signed, but written again")
  func intruder() throws {
    let place = try PublishFixture()
    let (path, key) = try place.key("a")
    let version = try publish(numbers(10), place.options(path), now: Self.start).version
    let manifest = place.folder.version(version) + "/manifest.json"
    var bytes = try InputFile.bytes(of: manifest, limit: Manifest.bytesMax)
    // Another date: the content ID is the same.
    bytes.insert(contentsOf: Array(#""date" : "2099","#.utf8), at: 1)
    try FileTree.write(manifest, bytes)
    #expect(throws: ManifestSignatureError.altered) { try place.accepted(key, now: Self.start) }
    let publisher = try Publisher(place.options(path), now: Self.start + 1)
    #expect(throws: (any Error).self) { try publisher.renewSignature() }
    _ = consume publisher
    #expect(try publish(numbers(10), place.options(path), now: Self.start + 2).version == version)
    #expect(try place.accepted(key, now: Self.start).manifest.date == nil)
  }

  @Test("rolling back signs the earlier version with a higher serial number")
  func rollBack() throws {
    let place = try PublishFixture()
    let (path, key) = try place.key("a")
    let options = place.options(path)
    let first = try publish(numbers(10), options, now: Self.start).version
    let second = try publish(numbers(20), options, now: Self.start + 1).version
    #expect(throws: Failure.self) { try Publisher(place.options).rollBack(to: nil) }
    #expect(place.folder.currentVersion == second)
    let turn = try Publisher(options, now: Self.start + 2).rollBack(to: nil)
    #expect(turn.to == first)
    let signed = try place.accepted(key, lastAccepted: Self.start + 1, now: Self.start)
    #expect(signed.signature.serial == Self.start + 2 && signed.manifest.contentID == first)
    // The next nights renew it.
    #expect(
      try publish(numbers(20), options, now: Self.start + 3) == .withdrawn(version: second, current: first))
    #expect(try place.accepted(key, now: Self.start).signature.serial == Self.start + 3)
  }

  @Test("an old version with its old signature is refused, also with the files of the new one")
  func rollBackAttack() throws {
    let place = try PublishFixture()
    let (path, key) = try place.key("a")
    let first = try publish(numbers(10), place.options(path), now: Self.start).version
    try publish(numbers(20), place.options(path), now: Self.start + 1)
    try SymbolicLink.replace(place.folder.current, by: "versions/\(first)", calls: KernelCalls())
    #expect(
      throws: ManifestSignatureError.olderThanAccepted(serial: Self.start, accepted: Self.start + 1)
    ) {
      try place.accepted(key, lastAccepted: Self.start + 1, now: Self.start)
    }
  }

  // MARK: Key files

  @Test("a key file is private, is not replaced, and is read back")
  func keyFile() throws {
    let place = try PublishFixture()
    let path = place.root + "/a.key"
    let key = try SigningKey.make(at: path)
    let status = try KernelCalls().status(FilePath(path), followsLinks: false)
    #expect(status.permissions == [.ownerReadWrite])
    #expect(try SigningKey(path: path).publicKey == key.publicKey)
    let text = String(decoding: try InputFile.bytes(of: path, limit: 1_000), as: UTF8.self)
    #expect(!"\(key)".contains(text.split(separator: "\n")[1]))
    #expect(Self.code { () throws(Failure) in try key.write(to: path) } == "exists")
    #expect(String(decoding: try InputFile.bytes(of: path, limit: 1_000), as: UTF8.self) == text)
    for mode: CInterop.Mode in [0o640, 0o604, 0o610, 0o660, 0o644, 0o777] {
      #expect(unsafe chmod(path, mode) == 0)
      let failure = stageError { () throws(Failure) in _ = try SigningKey(path: path) }
      #expect(failure?.code == "exposed")
      #expect(failure?.message.message.hasSuffix("(permissions 0\(String(mode, radix: 8)))") ?? false)
    }
    #expect(unsafe chmod(path, 0o400) == 0)
    #expect(try SigningKey(path: path).publicKey == key.publicKey)
  }

  private static func code(_ body: () throws(Failure) -> Void) -> String? {
    let failure = stageError(of: body)
    // A key is never a source's fault.
    #expect(failure?.blamesSource != true)
    return failure?.code
  }

  @Test("other files are not keys")
  func otherFiles() throws {
    let place = try PublishFixture()
    let path = place.root + "/a.key"
    let valid = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
    let other = "MC4CAQAwBQYDK2VuBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
    func pem(_ kind: String, _ text: String) -> String {
      "-----BEGIN \(kind)-----\n\(text)\n-----END \(kind)-----\n"
    }
    let cases: [(String, String?)] = [
      (pem("PRIVATE KEY", valid), nil), (pem("PRIVATE KEY", valid).replacing("\n", with: "\r\n"), nil),
      ("", "not-a-key"), (valid, "not-a-key"), (pem("PRIVATE KEY", other), "not-a-key"),
      (pem("PRIVATE KEY", String(valid.dropLast(4))), "not-a-key"),
      (pem("PRIVATE KEY", valid + "AAAA"), "not-a-key"),
      (pem("EC PRIVATE KEY", valid), "not-a-key"), (pem("OPENSSH PRIVATE KEY", valid), "not-a-key"),
      (pem("ENCRYPTED PRIVATE KEY", valid), "encrypted"), (pem("PUBLIC KEY", valid), "public-key"),
      ("\(try SigningKey.make(at: place.root + "/b.key").publicKey)\n", "public-key"),
      (pem("PRIVATE KEY", valid) + String(repeating: "x", count: 10_000), "not-a-key"),
    ]
    for (text, expected) in cases {
      try FileTree.write(path, Array(text.utf8), mode: 0o600)
      #expect(unsafe chmod(path, 0o600) == 0)
      let found = Self.code { () throws(Failure) in _ = try SigningKey(path: path) }
      #expect(found == expected, "\(text)")
    }
    let folder = stageError { () throws(Failure) in _ = try SigningKey(path: place.root) }
    #expect(folder?.message == SystemError(.openInput, place.root, .isDirectory).userMessage)
    #expect(unsafe mkfifo(place.root + "/pipe", 0o600) == 0)
    let pipe = Self.code { () throws(Failure) in _ = try SigningKey(path: place.root + "/pipe")
    }
    #expect(pipe == "not-a-file")
    let link = place.root + "/link"
    #expect(unsafe symlink("elsewhere", link) == 0)
    #expect(Self.code { () throws(Failure) in _ = try SigningKey.make(at: link) } == "exists")
  }

  @Test("without a usable key, nothing is made")
  func missingKey() throws {
    let place = try PublishFixture()
    #expect(throws: Failure.self) { try publish(numbers(10), place.options(place.root + "/none.key")) }
    #expect(!SymbolicLink.exists(place.folder.directory))
  }
}
