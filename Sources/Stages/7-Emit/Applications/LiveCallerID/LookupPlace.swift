// Where a Live Caller ID Lookup directory is written, and which earlier one its parameters come from.

import StoreWriting
import Records
import SystemIO
import SystemPackage

/// The place of a directory.
enum LookupPlace {
  /// The directory itself, if the path is a link to it. Throws if it must not be replaced: it may be missing, empty, or an
  /// earlier directory of this format.
  static func target(_ path: String, _ calls: any SystemCalls) throws(Failure) -> FilePath {
    let target = FilePath(SymbolicLink.resolved(path, calls: calls))
    let (kind, names) = try asFailure(.emit) { () throws(SystemError) in
      let kind = try FileKind(checking: target, calls: calls)
      return (kind, kind == .directory ? try Directory.names(target.string, calls: calls) : [])
    }
    switch kind {
    case .none: return target
    case .regular, .other: throw Failure(.emit, SystemError(.createOutput, path, .notDirectory))
    case .directory: break
    }
    guard !StagedDirectory.holdsWorkingDirectory(target, calls: calls) else {
      throw Failure(.emit, EmitError.unusableDirectory(directory: path, use: .workingDirectory))
    }
    let isOurs = LookupDirectory.isOne(target.string, calls: calls)
    if let other = names.first(where: { !isOurs || !LookupManifest.isFileName($0) }) {
      throw Failure(.emit, EmitError.unusableDirectory(directory: path, use: .otherFiles(name: other)))
    }
    return target
  }

  /// The baseline that was chosen, or the directory that is replaced; nil if there is none.
  static func baseline(
    of options: EmitOptions, _ target: FilePath, _ calls: any SystemCalls
  ) throws(Failure) -> LookupBaseline? {
    if let chosen = options.shards.baseline {
      return chosen == ShardOptions.noBaseline ? nil : try LookupBaseline(chosen, calls: calls)
    }
    guard LookupDirectory.isOne(target.string, calls: calls) else { return nil }
    return try LookupBaseline(target.string, calls: calls)
  }
}
