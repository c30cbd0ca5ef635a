// The names of a run's files, looked at before anything is opened: a slip must not cost the list.

import PipeRunner
import SystemPackage

enum OutputNames {
  /// What is wrong with the names, in a sentence; nil when nothing is.
  ///
  /// A result may replace its own input, since it is put in place at the end; what only reports on a run may not.
  static func mistake(_ pipeline: Pipeline, rejects: String?, reports files: [String] = []) -> String? {
    let besides = (rejects.map { [$0] } ?? []) + files
    let reports = pipeline.conflicts + besides
    let maps = Set(pipeline.labelMaps.map(normalized))
    let inputs = Set((pipeline.sources.flatMap(\.input.paths) + pipeline.lists).map(normalized)).union(maps)
    var written: Set<String> = []
    for path in pipeline.outputs + besides {
      if path.isEmpty { return "an output's name is empty" }
      if path.hasPrefix("/dev/") { continue }
      if !written.insert(normalized(path)).inserted { return "'\(path)' is named for two outputs" }
      if maps.contains(normalized(path)) { return "'\(path)' is the label map, and would be replaced" }
    }
    for path in reports where inputs.contains(normalized(path)) {
      return "'\(path)' is an input, and would be replaced by a report"
    }
    return nil
  }

  /// The same for every way to write a path, as far as that can be seen without looking at the disk.
  static func normalized(_ path: String) -> String {
    FilePath(path).lexicallyNormalized().string
  }
}
