// The names of a run's files, looked at before anything is opened: a slip must not cost the list.

import PipeRunner
import SystemIO

enum OutputNames {
  /// What is wrong with the names, in a sentence; nil when nothing is.
  ///
  /// A result may replace its own input, since it is put in place at the end; what only reports on a run may not. Nothing
  /// may replace the pipeline's files, or what is published. Names are held against each other by where they lead, so that
  /// no link and no `/dev/fd/3` deceives; two outputs may share a device, such as `/dev/null` or a terminal.
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
    let maps = inputs(pipeline.labelMaps)
    let read = inputs(pipeline.sources.flatMap(\.input.paths) + pipeline.lists).union(maps)
    let streamed = FileIdentity(output: OutputFile.standardOutput)
    var written: [FileIdentity: String] = [:]
    for path in pipeline.outputs + besides {
      if path.isEmpty { return "an output's name is empty" }
      guard let place = FileIdentity(output: path) else { continue }
      if let other = written.updateValue(path, forKey: place) {
        return place == streamed && other == OutputFile.standardOutput && path != other
          ? "'\(path)' is where standard output goes, and would stand among the records"
          : "\(path == OutputFile.standardOutput ? "standard output" : "'\(path)'") is named for two outputs"
      }
      if maps.contains(place) { return "'\(path)' is the label map, and would be replaced" }
    }
    for path in beside {
      guard let place = FileIdentity(output: path), read.contains(place) else { continue }
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

  /// Whether an output's name leads to what one of the other names is read from, by whatever way each is written.
  static func isRead(_ output: String, by names: [String]) -> Bool {
    FileIdentity(output: output).map { inputs(names).contains($0) } ?? false
  }

  private static func inputs(_ names: [String]) -> Set<FileIdentity> {
    Set(names.compactMap { FileIdentity(input: $0) })
  }
}
