// Opens stores and lists for commands; exit statuses of stores that can't be read.

import ArgumentParser
import CallDeltaReader
import CallStoreReader
import Records
import StoreWriting

extension CallStoreError {
  /// The exit status of a command that can't read a store.
  var status: ExitCode {
    if case .cannotOpen(let code) = self { ExitStatus.opening(code) } else { ExitStatus.badData }
  }
}

extension CallDeltaError {
  /// The exit status of a command that can't read a delta.
  var status: ExitCode {
    if case .cannotOpen(let code) = self { ExitStatus.opening(code) } else { ExitStatus.badData }
  }
}

/// Runs `body` with an open store; an error ends the command.
///
/// - Parameter acceptsDeltas: whether the command reads deltas as well; a message then names both.
func withStore<Result>(
  _ path: String, _ diagnostics: Diagnostics, acceptsDeltas: Bool = false,
  _ body: (borrowing CallStore) throws(CallStoreError) -> Result
) throws -> Result {
  do throws(CallStoreError) {
    let store = try CallStore(path: path)
    return try body(store)
  } catch {
    throw diagnostics.end(error.userMessage(path: path, acceptsDeltas: acceptsDeltas), error.status)
  }
}

extension ListInput {
  /// Finds out what an argument of a command names.
  init(argument path: String) throws(Failure) {
    do throws(ShardDirectoryError) {
      self = try ListInput(path)
    } catch {
      throw Failure(nil, error)
    }
  }
}
