// The names of a run's files, looked at before anything is opened: a slip must not cost the list.

import PipeRunner
import SystemIO
import SystemPackage

enum OutputNames {
  /// What is wrong with the names, in a sentence; nil when nothing is.
  ///
  /// A result may replace its own input, since it is put in place at the end; what only reports on a run may not. Nothing
  /// may replace the pipeline's files, or what is published.
  ///
  /// - Parameters:
  ///   - files: the pipeline file, and those that it includes.
  ///   - folder: the folder that versions are published in.
  static func mistake(
    _ pipeline: Pipeline, rejects: String?, reports: [String] = [], files: [String] = [],
    folder: String? = nil
  ) -> String? {
    let besides = (rejects.map { [$0] } ?? []) + reports
    let beside = pipeline.conflicts + besides
    let maps = Set(pipeline.labelMaps.map(normalized))
    let inputs = Set((pipeline.sources.flatMap(\.input.paths) + pipeline.lists).map(normalized)).union(maps)
    var written: Set<String> = []
    for path in pipeline.outputs + besides {
      if path.isEmpty { return "an output's name is empty" }
      if path.hasPrefix("/dev/") { continue }
      if !written.insert(normalized(path)).inserted { return "'\(path)' is named for two outputs" }
      if maps.contains(normalized(path)) { return "'\(path)' is the label map, and would be replaced" }
    }
    for path in beside where inputs.contains(normalized(path)) {
      return "'\(path)' is an input, and would be replaced by a report"
    }
    if let path = replaced(pipeline.outputs + besides, of: files) {
      return "'\(path)' is the pipeline file or one that it includes, and would be replaced"
    }
    if let folder, let path = beside.first(where: { isInside($0, folder) }) {
      return "'\(path)' lies in '\(folder)', which holds versions and nothing else"
    }
    return nil
  }

  /// The first of the names that is one of the files, by whatever links.
  static func replaced(_ paths: [String], of files: [String]) -> String? {
    let files = Set(files.map(SymbolicLink.resolved))
    return paths.first { isFile($0) && files.contains(SymbolicLink.resolved($0)) }
  }

  private static func isInside(_ path: String, _ folder: String) -> Bool {
    guard isFile(path) else { return false }
    let folder = SymbolicLink.resolved(folder)
    let resolved = SymbolicLink.resolved(path)
    return resolved == folder || resolved.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }

  /// Whether a name is a file's, and neither standard output nor a device.
  private static func isFile(_ path: String) -> Bool { path != "-" && !path.hasPrefix("/dev/") }

  /// The same for every way to write a path, as far as that can be seen without looking at the disk.
  static func normalized(_ path: String) -> String {
    FilePath(path).lexicallyNormalized().string
  }
}
