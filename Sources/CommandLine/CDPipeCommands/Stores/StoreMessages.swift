// Opening a store for a command, with its sentences.

import ArgumentParser
import CallStoreFormat
import CallStoreReader
import CallStoreWriter
import SystemIO
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Stores that can't be read, in sentences.
enum StoreMessages {
  static func sentence(_ error: CallStoreError, _ path: String) -> UserMessage {
    switch error {
    case .cannotOpen(let code):
      let failure = SystemError(.openInput, path, Errno(rawValue: code))
      if failure.code.rawValue == ENODEV || failure.code == .invalidArgument {
        return UserMessage(
          "'\(path)' is not a regular file", hint: "a store is mapped, not read from front to back")
      }
      return SystemMessages.sentence(failure)
    case .notAStore: return UserMessage("'\(path)' is not a store")
    case .unsupportedVersion(let version):
      return UserMessage(
        "'\(path)' has version \(version) of the store format, which this cdpipe does not know",
        hint: "a newer cdpipe may")
    case .truncated: return UserMessage("'\(path)' is cut short", hint: "emit or fetch it again")
    case .damaged(let section):
      return UserMessage(
        "'\(path)' is damaged: \(name(of: section)) fails its check", hint: "emit or fetch it again")
    }
  }

  static func sentence(_ error: StoreVerificationError, _ path: String) -> UserMessage {
    switch error {
    case .unreadable(let error): sentence(error, path)
    case .wrongContentHash:
      UserMessage("'\(path)' is damaged: its content hash is wrong", hint: "emit or fetch it again")
    }
  }

  static func name(of section: StoreSection) -> String {
    switch section {
    case .head: "its head"
    case .trailer: "its trailer"
    case .labels: "its label table"
    case .codes: "its label codes"
    case .extensions: "its extensions"
    case .index: "its block index"
    case .block(let number): "block \(number)"
    }
  }

  /// The status that a store which can't be read ends a command with.
  static func status(_ error: CallStoreError) -> ExitCode {
    if case .cannotOpen = error { Status.noInput } else { Status.badData }
  }
}

/// Runs `body` with a store open; ends with the sentence and status of what goes wrong.
func withStore<Result>(
  _ path: String, _ voice: Diagnostics, _ body: (borrowing CallStore) throws(CallStoreError) -> Result
) throws -> Result {
  do throws(CallStoreError) {
    let store = try CallStore(path: path)
    return try body(store)
  } catch {
    throw voice.end(StoreMessages.sentence(error, path), StoreMessages.status(error))
  }
}
