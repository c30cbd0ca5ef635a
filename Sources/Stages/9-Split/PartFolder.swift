// The directory that parts are written to: complete, or not at all.
//
// The parts are written to a staging directory, which is renamed at the end.

package import Records
package import SystemIO
import SystemPackage

/// A directory of parts that is being written. Unless ``publish()`` is called, nothing remains of it.
package final class PartFolder {
  /// The directory's path as the user typed it.
  package let path: String
  private let directory: StagedDirectory
  private let calls: any SystemCalls
  private var file: OutputFile?

  /// Begins a directory. One that exists may contain nothing but parts; they are replaced. The list must not be one of
  /// them.
  package init(
    _ path: String, list: String, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    let target = try Self.target(path, list, calls)
    do throws(SystemError) {
      directory = try StagedDirectory(target, calls: calls)
    } catch {
      throw Failure(.split, SystemError(error.operation, path, error.code))
    }
    self.path = path
    self.calls = calls
  }

  /// The directory itself, if the path is a link to it. Throws if it must not be replaced.
  private static func target(
    _ path: String, _ list: String, _ calls: any SystemCalls
  ) throws(Failure) -> FilePath {
    let target = FilePath(SymbolicLink.resolved(path, calls: calls))
    guard !StagedDirectory.holdsWorkingDirectory(target, calls: calls) else {
      throw Failure(.split, SplitError.workingDirectory(directory: path))
    }
    let kind = try asFailure(.split) { () throws(SystemError) in
      try FileKind(checking: target, calls: calls)
    }
    switch kind {
    case .none: return target
    case .directory: break
    case .regular, .other: throw Failure(.split, SystemError(.createOutput, path, .notDirectory))
    }
    let names = try asFailure(.split) { () throws(SystemError) in
      try Directory.names(target.string, calls: calls)
    }
    if let name = names.first(where: { !ListPart.isFileName($0) }) {
      throw Failure(.split, SplitError.foreignFile(directory: path, name: name))
    }
    let parts = names.map { FileIdentity(input: target.appending($0).string) }
    if parts.contains(FileIdentity(input: list)) {
      throw Failure(.split, SplitError.listInside(directory: path, list: list))
    }
    return target
  }

  // MARK: Writing

  /// Ends the part before, and begins the next one.
  func begin(_ part: ListPart) throws(Failure) {
    try endPart()
    let name = directory.staging.appending(part.fileName).string
    do throws(SystemError) {
      file = try OutputFile(name, removesLeftovers: false, calls: calls)
    } catch {
      throw named(error)
    }
  }

  /// Writes bytes of the current part.
  func write(_ bytes: Span<UInt8>) throws(Failure) {
    do throws(SystemError) {
      try file?.write(bytes)
    } catch {
      throw named(error)
    }
  }

  private func endPart() throws(Failure) {
    guard let ended = file.take() else { return }
    do throws(SystemError) {
      try ended.publish()
    } catch {
      throw named(error)
    }
  }

  // MARK: Publishing

  /// Puts the directory in its place. Parts of an earlier split are removed.
  package func publish() throws(Failure) {
    try endPart()
    do throws(SystemError) {
      try directory.publish()
    } catch {
      throw named(error)
    }
  }

  /// An error with the path that the user typed instead of that of the staging directory.
  private func named(_ error: SystemError) -> Failure {
    Failure(.split, SystemError(error.operation, path, error.code))
  }
}
