// The full check of a store: everything that its reader can check, and the content hash.

import CallStoreFormat
package import CallStoreReader
import Hashing
package import Records
import SystemIO
import SystemPackage

/// Why a store is not valid.
package enum StoreVerificationError: Error, Equatable, Sendable {
  case unreadable(CallStoreError)
  /// The content hash in the store is not that of its bytes.
  case wrongContentHash(stored: [UInt8], computed: [UInt8])
}

/// The hashes of a valid store, 32 bytes each.
package struct StoreHashes: Equatable, Sendable {
  /// The store's identity.
  package let content: [UInt8]
  /// The SHA-256 of the whole store, including its content hash.
  package let file: [UInt8]
}

package enum StoreVerification {
  /// Pages are released after this number of hashed bytes.
  private static let hashedBytes = 1 << 20

  /// Checks the store at a path, and returns its content hash.
  ///
  /// - Complexity: O(bytes); ranges are not expanded.
  @discardableResult
  package static func verify(path: String) throws(StoreVerificationError) -> [UInt8] {
    try hashes(path: path).content
  }

  /// Checks the store at a path, and returns its hashes. The file is read once.
  package static func hashes(path: String) throws(StoreVerificationError) -> StoreHashes {
    try hashes { () throws(CallStoreError) in try CallStore(path: path) }
  }

  /// Checks a store by an open file's descriptor, and returns its content hash. The caller keeps the descriptor.
  @discardableResult
  package static func verify(descriptor: Int32) throws(StoreVerificationError) -> [UInt8] {
    try hashes { () throws(CallStoreError) in try CallStore(descriptor: descriptor) }.content
  }

  /// Checks a store that is part of another file, and returns its content hash.
  @discardableResult
  package static func verify(
    descriptor: Int32, part: Range<Int>
  ) throws(StoreVerificationError) -> [UInt8] {
    try hashes { () throws(CallStoreError) in try CallStore(descriptor: descriptor, part: part) }.content
  }

  private static func hashes(
    _ open: () throws(CallStoreError) -> CallStore
  ) throws(StoreVerificationError) -> StoreHashes {
    let store = try throwing(StoreVerificationError.unreadable) { () throws(CallStoreError) in
      let store = try open()
      try store.verify()
      return store
    }
    var hash = SHA256Hasher()
    add(0..<store.hashedByteCount, of: store, to: &hash)
    let computed = hash.digest
    guard computed == store.contentHash else {
      throw .wrongContentHash(stored: store.contentHash, computed: computed)
    }
    // The hash continues: the bytes hashed so far are the beginning of the file.
    add(store.hashedByteCount..<store.byteCount, of: store, to: &hash)
    return StoreHashes(content: computed, file: hash.digest)
  }

  private static func add(_ bytes: Range<Int>, of store: borrowing CallStore, to hash: inout SHA256Hasher) {
    var start = bytes.lowerBound
    while start < bytes.upperBound {
      let end = min(start + hashedBytes, bytes.upperBound)
      let piece = store.fileBytes.extracting(start..<end)
      hash.update(piece)
      store.releasePages()
      start = end
    }
  }
}

// MARK: - What is wrong with a store

/// Reads a store; an error names its path.
package func readingStore<Result: ~Copyable>(
  _ path: String, _ stage: StageName? = nil, _ body: () throws(CallStoreError) -> Result
) throws(Failure) -> Result {
  try throwing({ Failure.unreadableStore($0, path: path, stage) }, body)
}

extension Failure {
  package static func unreadableStore(
    _ error: CallStoreError, path: String, _ stage: StageName? = nil
  ) -> Failure {
    var errorClass = ErrorClass.badData
    if case .cannotOpen(let code) = error { errorClass = .opening(code) }
    return Failure(stage, errorClass, "unreadable-store", error.userMessage(path: path))
  }
}

extension CallStoreError {
  /// Describes why a store can't be read.
  ///
  /// - Parameter acceptsDeltas: whether the command reads deltas as well.
  package func userMessage(path: String, acceptsDeltas: Bool = false) -> UserMessage {
    switch self {
    case .cannotOpen(let code):
      let error = SystemError(.openInput, path, Errno(rawValue: code))
      if path == InputFile.standardInput, error.code == .noSuchFileOrDirectory {
        return UserMessage(
          "this command reads stores, and a store can't be read from standard input",
          hint: "write the records to a store first: cdpipe emit -o FILE.cdstore")
      }
      if let kind = SystemText.kind(notOpenedWith: error.code) {
        return UserMessage("'\(path)' is \(kind), not a regular file", hint: "save it to a file first")
      }
      return error.userMessage
    case .notAStore where Self.isPacked(path):
      let file = ShellQuoting.quoted(path)
      return UserMessage(
        "'\(path)' is in cdpipe's packed form, not a store",
        hint: "make a store of its records: cdpipe emit \(file) -o FILE.cdstore")
    case .notAStore:
      return UserMessage("'\(path)' is \(acceptsDeltas ? "neither a store nor a delta" : "not a store")")
    case .unsupportedVersion(let version):
      return UserMessage(
        "'\(path)' has version \(version) of the store format, which this cdpipe does not support",
        hint: "use a newer cdpipe")
    case .truncated: return UserMessage("'\(path)' is truncated", hint: emitAgain)
    case .damaged(let section):
      return UserMessage("'\(path)' is damaged: the checksum of \(section.phrase) is wrong", hint: emitAgain)
    }
  }

  /// Whether a file is in the packed form, as far as it can be read.
  private static func isPacked(_ path: String) -> Bool {
    guard FileKind(of: FilePath(path)) == .regular, let start = try? InputFile.bytes(of: path, limit: 0)
    else {
      return false
    }
    return PackedForm.begins(stream: start.span)
  }
}

extension StoreVerificationError {
  /// Describes why a store is not valid.
  ///
  /// - Parameter acceptsDeltas: whether the command reads deltas as well.
  package func userMessage(path: String, acceptsDeltas: Bool = false) -> UserMessage {
    switch self {
    case .unreadable(let error): error.userMessage(path: path, acceptsDeltas: acceptsDeltas)
    case .wrongContentHash:
      UserMessage("'\(path)' is damaged: its content hash is wrong", hint: emitAgain)
    }
  }
}

private let emitAgain = "emit or download it again"

extension StoreSection {
  var phrase: String {
    switch self {
    case .head: "its head"
    case .trailer: "its trailer"
    case .labels: "its label table"
    case .codes: "its label codes"
    case .extensions: "its extensions"
    case .index: "its block index"
    case .block(let number): "block \(number)"
    }
  }
}

extension StoreEncodingError {
  /// Why a store can't contain a record.
  package func failure(_ stage: StageName?, row: UInt64) -> Failure {
    var hint: String?
    let text: String
    switch self {
    case .notAscending(let previous, let first) where previous == first:
      text = "row \(row): the number \(first) occurs twice"
      hint = "add 'cdpipe dedupe' before this stage"
    case .notAscending(let previous, let first):
      text =
        "row \(row): \(first) comes after \(previous); a store needs records sorted and without duplicates"
      hint = "add 'cdpipe sort' and 'cdpipe dedupe' before this stage"
    case .numberOutOfRange(let first, let last):
      text = "row \(row): \(first)..\(last) is not a range of numbers"
    case .labelTooLong(let bytes, let limit):
      text = "row \(row): a label of \(bytes) bytes; the maximum is \(limit)"
    case .tooManyBlocks(let limit): text = "the store would have more than \(limit) blocks"
    }
    return Failure(stage, .badData, "not-for-store", text, hint: hint)
  }
}
