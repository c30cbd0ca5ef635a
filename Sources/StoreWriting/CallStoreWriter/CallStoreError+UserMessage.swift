// Messages for errors of stores.

package import Records
import CallStoreFormat
package import CallStoreReader
import SystemIO
import SystemPackage

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
      if let kind = SystemMessages.kind(notOpenedWith: error.code) {
        return UserMessage("'\(path)' is \(kind), not a regular file", hint: "save it to a file first")
      }
      return error.userMessage
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
  /// The section in a sentence.
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
  /// Describes why a store can't contain a record.
  package func userMessage(row: UInt64) -> UserMessage {
    switch self {
    case .notAscending(let previous, let first) where previous == first:
      UserMessage(
        "row \(row): the number \(first) occurs twice", hint: "add 'cdpipe dedupe' before this stage")
    case .notAscending(let previous, let first):
      UserMessage(
        "row \(row): \(first) comes after \(previous); a store needs records sorted and without duplicates",
        hint: "add 'cdpipe sort' and 'cdpipe dedupe' before this stage")
    case .numberOutOfRange(let first, let last):
      UserMessage("row \(row): \(first)..\(last) is not a range of numbers")
    case .labelTooLong(let bytes, let limit):
      UserMessage("row \(row): a label of \(bytes) bytes; the maximum is \(limit)")
    case .tooManyBlocks(let limit): UserMessage("the store would have more than \(limit) blocks")
    }
  }
}
