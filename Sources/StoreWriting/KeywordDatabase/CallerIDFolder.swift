// A Live Caller ID Lookup directory on disk: its manifest and the hashes of its files.

import Hashing
package import Records
package import SystemIO
import SystemPackage

package struct CallerIDFolder: Sendable {
  /// The directory; empty for the working directory.
  package let path: String
  package let manifestPath: String
  package let manifest: CallerIDManifest
  /// The manifest's file when it was read.
  private let signature: FileSignature?
  private let calls: any SystemCalls

  package init(_ path: String, calls: any SystemCalls = KernelCalls()) throws(Failure) {
    try self.init(manifestAt: FilePath(path).appending(CallerIDManifest.fileName).string, calls: calls)
  }

  /// Reads the manifest at a path. The other files are beside it.
  package init(
    manifestAt path: String, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    // Taken first: a directory that is replaced meanwhile is noticed later.
    signature = FileSignature(of: path, calls: calls)
    manifest = try Self.manifest(at: path, calls)
    manifestPath = path
    self.path = FilePath(path).removingLastComponent().string
    self.calls = calls
  }

  private static func manifest(
    at path: String, _ calls: any SystemCalls
  ) throws(Failure) -> CallerIDManifest {
    let bytes = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: CallerIDManifest.bytesMax, calls: calls)
    }
    guard let manifest = CallerIDManifest(json: bytes) else { throw .invalidManifest(path: path) }
    return manifest
  }

  /// Whether a directory's manifest is one of this format.
  package static func isOne(_ path: String, calls: any SystemCalls = KernelCalls()) -> Bool {
    (try? CallerIDFolder(path, calls: calls)) != nil
  }

  /// Throws if there is another directory in this one's place by now, or none. What was read before is of this one.
  package func checkUnchanged() throws(Failure) {
    if let signature, FileSignature(of: manifestPath, calls: calls) == signature { return }
    do throws(Failure) {
      if try Self.manifest(at: manifestPath, calls) == manifest { return }
    } catch {
      guard error.errorClass != .inputOutput else { throw error }
    }
    throw .replaced(path: manifestPath)
  }

  /// Whether ``checkUnchanged()`` fails.
  package var isReplaced: Bool { (try? checkUnchanged()) == nil }

  /// The SHA-256 of the list of hashes: the same for the same files.
  package var contentID: String { manifest.contentID }

  package func file(_ name: String) -> String { FilePath(path).appending(name).string }

  /// The names of all files, in the order of the list of hashes, which is without the first two.
  package var names: [String] {
    [CallerIDManifest.fileName, CallerIDManifest.sumsName]
      + CallerIDUse.allCases.flatMap { use in
        (0..<manifest[use].shards).flatMap { [use.database($0), use.configuration($0)] }
      } + [CallerIDManifest.serviceName, CallerIDManifest.scriptName]
  }

  /// The record of a number: whether it is blocked, and its name; nil if there is none. Only its shards are read.
  ///
  /// Throws if the directory was replaced.
  package func record(of number: UInt64) throws(Failure) -> (isBlocked: Bool, label: String)? {
    let hash = Keyword(number).hash
    var isBlocked = false
    var label: [UInt8] = []
    for use in CallerIDUse.allCases {
      let path = file(use.database(manifest.function(use).index(hash)))
      var rows = KeywordRows(use, .shard(path: path), calls: calls)
      repeat { try rows.advance() } while rows.number < number
      guard rows.number == number else { continue }
      switch use {
      case .identity: label = rows.label
      case .block: isBlocked = rows.isBlocked
      }
    }
    try checkUnchanged()
    return isBlocked || !label.isEmpty ? (isBlocked, RecordFields.fields(label.span).label) : nil
  }

  /// The hashes of the files, in the order of the list.
  package func sums() throws(Failure) -> FileSums {
    try FileSums(file(CallerIDManifest.sumsName), contentID: manifest.contentID, calls: calls)
  }

  /// Throws if the list of hashes is not that of the manifest, with exactly the files of the directory.
  func checkSums() throws(Failure) {
    var sums = try sums()
    var isSame = true
    for name in names.dropFirst(2) {
      let found = try sums.next()
      isSame = isSame && found?.name == name
    }
    let last = try sums.next()
    guard isSame, last == nil else { throw .invalidSums(path: file(CallerIDManifest.sumsName)) }
  }

  /// The SHA-256 of each shard of the databases, one after another, 32 bytes each.
  package func databaseSums() throws(Failure) -> [CallerIDUse: [UInt8]] {
    var sums = try sums()
    var found: [CallerIDUse: [UInt8]] = [:]
    while let sum = try sums.next() {
      for use in CallerIDUse.allCases
      where sum.name == use.database((found[use]?.count ?? 0) / FileSum.hashBytes) {
        found[use, default: []] += sum.sha256
      }
    }
    for use in CallerIDUse.allCases where found[use]?.count != FileSum.hashBytes * manifest[use].shards {
      throw .invalidSums(path: file(CallerIDManifest.sumsName))
    }
    return found
  }
}

extension Failure {
  private static let remake = "write the directory again: cdpipe emit --format pir"

  private static func lookup(_ code: String, _ text: String, hint: String = remake) -> Failure {
    Failure(nil, .badData, code, text, hint: hint)
  }

  /// The manifest is not one of a Live Caller ID Lookup directory, or of a version that is not known.
  fileprivate static func invalidManifest(path: String) -> Failure {
    lookup(
      "invalid-manifest",
      "'\(path)' is not the manifest of a Live Caller ID Lookup directory, or one of a newer cdpipe",
      hint: "name a directory that 'cdpipe emit --format pir' has written")
  }

  fileprivate static func invalidSums(path: String) -> Failure {
    lookup(
      "invalid-sums", "'\(path)' does not belong to the manifest beside it",
      hint: "write the directory again with \(option: "baseline") none")
  }

  /// A row of a shard, at an offset in bytes, is invalid.
  static func row(_ reason: String, path: String, offset: UInt64) -> Failure {
    lookup("row", "'\(path)', byte \(offset): \(reason)")
  }

  static func duplicateNumber(_ number: UInt64, use: CallerIDUse, directory: String) -> Failure {
    lookup("duplicate-number", "\(number) occurs twice in the \(use.rawValue) shards of '\(directory)'")
  }

  /// A file is not the one that was written.
  static func otherFile(path: String) -> Failure {
    lookup("other-file", "'\(path)' is damaged: its SHA-256 is not the one in SHA256SUMS")
  }

  static func unlistedShard(path: String) -> Failure {
    lookup("unlisted-shard", "'\(path)' is not a shard of the directory", hint: "remove the file")
  }

  /// A configuration does not fit the manifest.
  static func otherConfiguration(path: String) -> Failure {
    lookup("other-configuration", "'\(path)' is not the configuration that the manifest requires")
  }

  /// A value in the manifest is not that of the rows.
  static func contradiction(path: String, key: String) -> Failure {
    lookup("contradiction", "\(path): '\(key)' is not the value of the shards")
  }
}

// The list of the hashes of files, as sha256sum writes and checks it: `HASH  NAME` in each line.

package struct FileSum: Equatable, Sendable {
  package static let hashBytes = Hexadecimal.sha256DigitCount / 2
  package let name: String
  package let sha256: [UInt8]

  package init(name: String, sha256: [UInt8]) {
    self.name = name
    self.sha256 = sha256
  }

  package var line: [UInt8] { Array("\(Hexadecimal.text(sha256))  \(name)\n".utf8) }

  /// Reads a line without its end; nil if it has another form.
  init?(_ line: ArraySlice<UInt8>) {
    let digits = line.prefix(Hexadecimal.sha256DigitCount)
    let rest = line.dropFirst(Hexadecimal.sha256DigitCount)
    guard let sha256 = Hexadecimal.sha256(String(decoding: digits, as: UTF8.self)),
      rest.starts(with: "  ".utf8), rest.count > 2,
      let name = String(validating: rest.dropFirst(2), as: UTF8.self), !name.contains("/")
    else { return nil }
    self.init(name: name, sha256: sha256)
  }
}

/// Reads a list from front to back, in the memory of one buffer.
package struct FileSums: ~Copyable {
  private static let lineBytesMax = 256

  private let path: String
  private let contentID: String
  private var input: InputFile
  private var hasher = SHA256Hasher()
  private var pending: [UInt8] = []
  private var at = 0

  /// Opens a list whose own SHA-256 is known.
  init(_ path: String, contentID: String, calls: any SystemCalls) throws(Failure) {
    do throws(SystemError) {
      input = try InputFile(path, calls: calls)
    } catch {
      throw Failure(nil, error)
    }
    self.path = path
    self.contentID = contentID
  }

  /// The next file; nil at the end. Throws if a line has another form, and at
  /// the end if the list is another one.
  package mutating func next() throws(Failure) -> FileSum? {
    while true {
      if let end = pending[at...].firstIndex(of: UInt8(ascii: "\n")) {
        guard let sum = FileSum(pending[at..<end]) else { throw .invalidSums(path: path) }
        at = end + 1
        return sum
      }
      pending.removeFirst(at)
      at = 0
      guard pending.count <= Self.lineBytesMax else { throw .invalidSums(path: path) }
      if try fill() { continue }
      guard pending.isEmpty, hasher.hex == contentID else { throw .invalidSums(path: path) }
      return nil
    }
  }

  private mutating func fill() throws(Failure) -> Bool {
    var chunk = ByteChunk()
    do throws(SystemError) {
      guard try input.read(into: &chunk) > 0 else { return false }
    } catch {
      throw Failure(nil, error)
    }
    hasher.update(chunk.span)
    pending.append(copying: chunk.span)
    return true
  }
}
