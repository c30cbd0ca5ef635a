// Checks the names of a run's files before any is opened: a typing error must not overwrite a list.

import CallManifest
package import Records
import StoreWriting
import SystemIO
import SystemPackage

package enum OutputNames {
  /// Throws if a name is invalid. A pipe can be read once.
  ///
  /// An output may replace its own input, because it is renamed at the end; a report may not. Nothing may replace the
  /// pipeline's files or published files. The files themselves are compared, so links and `/dev/fd/3` are recognised.
  /// Two outputs may share a device, such as `/dev/null` or a terminal.
  ///
  /// - Parameters:
  ///   - files: the pipeline file and the files that it includes.
  ///   - keys: the private keys that versions are signed with.
  ///   - folder: the folder that versions are published in.
  package static func check(
    _ pipeline: Pipeline, rejects: String?, reports: [String] = [], files: [String] = [],
    keys: [String] = [], folder: String? = nil
  ) throws(Failure) {
    if let path = readTwice(pipeline) {
      let name = path == InputFile.standardInput ? "standard input" : "'\(path)'"
      throw .outputs(
        "\(name) is named twice, and can be read only once",
        hint: "save it to a file, and name the file twice")
    }
    let besides = (rejects.map { [$0] } ?? []) + reports
    let beside = pipeline.files(.log) + besides
    let maps = inputs(pipeline.files(.settings))
    let read = inputs(pipeline.sources.flatMap(\.input.paths) + pipeline.files(.input)).union(maps)
    let streamed = FileIdentity(output: OutputFile.standardOutput)
    var written: [FileIdentity: String] = [:]
    for path in pipeline.outputs + besides {
      if path.isEmpty { throw .outputs("the name of an output is empty") }
      guard let place = FileIdentity(output: path) else { continue }
      if let other = written.updateValue(path, forKey: place) {
        let name = path == OutputFile.standardOutput ? "standard output" : "'\(path)'"
        throw .outputs(
          place == streamed && other == OutputFile.standardOutput && path != other
            ? "'\(path)' is standard output, and would be mixed with the records"
            : "\(name) is used for two outputs")
      }
      if maps.contains(place) { throw .outputs("'\(path)' is the label map, and would be replaced") }
    }
    for path in beside {
      guard let place = FileIdentity(output: path), read.contains(place) else { continue }
      throw .outputs("'\(path)' is an input, and would be replaced by a report")
    }
    if let path = replaced(pipeline.outputs + besides, of: files) {
      throw .outputs("'\(path)' is the pipeline file or an included file, and would be replaced")
    }
    if let path = replaced(pipeline.outputs + besides, of: keys) {
      throw .outputs("'\(path)' is a private key, and would be replaced")
    }
    if let folder, let path = beside.first(where: { isInside($0, folder) }) {
      throw .outputs("'\(path)' is in '\(folder)', which may contain only versions")
    }
    try check(pipeline.outputs + besides)
  }

  /// Throws if an output would damage a published version or a directory of shards: if it is a file in a version's
  /// folder, or one that the manifest next to it names.
  package static func check(_ outputs: [String]) throws(Failure) {
    for path in outputs where isFile(path) {
      let resolved = FilePath(SymbolicLink.resolved(path))
      // An output may be a directory: in a published folder, the manifest is a link into a version.
      let manifest = SymbolicLink.resolved(FilePath(path).appending(Manifest.fileName).string)
      if PublishedNames.isInVersion(resolved) || PublishedNames.isInVersion(FilePath(manifest)) {
        throw .outputs(
          "'\(path)' is in a published version, which must not change",
          hint: "choose another place; 'cdpipe run' with a pipeline file publishes a new version")
      }
      if ShardFolder.isListed(resolved) {
        throw .outputs(
          "'\(path)' is a file of a directory of shards, which would be damaged",
          hint: "choose another file; 'cdpipe emit --format store -o DIRECTORY' writes shards")
      }
    }
  }

  /// Returns the first input that can be read only once, and that another input's name leads to as well.
  private static func readTwice(_ pipeline: Pipeline) -> String? {
    let sources = pipeline.sources.flatMap(\.input.paths)
    if sources.count(where: { $0 == InputFile.standardInput }) > 1 { return InputFile.standardInput }
    let pipes = sources.filter(FileIdentity.isPipe)
    if let path = FileIdentity.sharedPipe(among: pipes) { return path }
    // The lists of a stage are compared with one another by the stage, and `-` is what it is fed.
    return pipeline.files(.input).first {
      $0 != InputFile.standardInput && FileIdentity.sharedPipe(among: pipes + [$0]) != nil
    }
  }

  /// Returns the first path that leads to one of the files.
  package static func replaced(_ paths: [String], of files: [String]) -> String? {
    let files = Set(files.map { SymbolicLink.resolved($0) })
    return paths.first { isFile($0) && files.contains(SymbolicLink.resolved($0)) }
  }

  private static func isInside(_ path: String, _ folder: String) -> Bool {
    guard isFile(path) else { return false }
    let folder = SymbolicLink.resolved(folder)
    let resolved = SymbolicLink.resolved(path)
    return resolved == folder || resolved.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }

  /// Whether a name is that of a file, not of standard output or a device.
  private static func isFile(_ path: String) -> Bool { path != "-" && !path.hasPrefix("/dev/") }

  /// Whether an output's name leads to the same file as one of the other names.
  package static func isRead(_ output: String, by names: [String]) -> Bool {
    FileIdentity(output: output).map { inputs(names).contains($0) } ?? false
  }

  private static func inputs(_ names: [String]) -> Set<FileIdentity> {
    Set(names.compactMap { FileIdentity(input: $0) })
  }
}

extension Failure {
  fileprivate static func outputs(_ text: String, hint: String? = nil) -> Failure {
    Failure(nil, .usage, "outputs", text, hint: hint)
  }
}
