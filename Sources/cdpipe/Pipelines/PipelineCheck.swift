// `cdpipe run --check`: whether a pipeline file can be run, as text or JSON. Nothing is fetched or written.
//
// Not for: the errors of a file's keys and values, which reading it reports (PipelineBuilder).

import ArgumentParser
import InputStages
import RecordStages
import Runner
import Records
import SystemIO
import SystemPackage

extension PipelineBuilder {
  /// A source that can't be read now, and that the run can do without.
  private struct UnusedSource {
    var name: String
    var error: Failure
    /// Whether its last good copy replaces it; otherwise it is left out.
    var hasCopy: Bool
  }

  /// Prints a summary of the file, and warnings about sources that the run would do without; or reports the first input
  /// that is missing, or the first invalid name of an output.
  func check(_ diagnostics: Diagnostics, name: String, isJSON: Bool) throws {
    let unused: [UnusedSource]
    do throws(Failure) {
      unused = try unusedSources()
      for path in publish?.signing.sign ?? [] {
        _ = try SigningKey(path: path)
      }
      for path in sideInputs where FileKind(of: FilePath(path)) != .directory { try Self.look(path) }
    } catch {
      if isJSON { StandardOutput.print(JSONLine.text(InvalidPipeline(self.path, error))) }
      throw diagnostics.end(error)
    }
    // The outputs of a published version have other names.
    if publish == nil,
      let message = OutputNames.error(pipeline(threads: 1), rejects: nil, files: files)
    {
      if isJSON {
        StandardOutput.print(JSONLine.text(InvalidPipeline(self.path, message, at: nil, key: nil)))
      }
      throw diagnostics.end(message, ExitStatus.usage)
    }
    for source in unused {
      diagnostics.warn(
        PublishMessages.unusedSource(Diagnostics.message(of: source.error), hasCopy: source.hasCopy),
        source: source.name)
    }
    if isJSON {
      let errors = Dictionary(uniqueKeysWithValues: unused.map { ($0.name, $0.error) })
      return StandardOutput.print(JSONLine.text(CheckedPipeline(self, name: name, errors)))
    }
    let count = Figures.counted(UInt64(sources.count), "source")
    let outputs = Figures.counted(UInt64(emits.count), "output")
    StandardOutput.print(
      "\(path): \(count), \(outputs)" + (publish.map { ", published in '\($0.directory)'" } ?? ""))
  }

  /// The sources that can't be read now. Throws the error of one that the run can't do without.
  private func unusedSources() throws(Failure) -> [UnusedSource] {
    let folder = publish.map { PublishedFolder($0.directory) }
    var unused: [UnusedSource] = []
    var remaining = sources.count
    for source in sources {
      do throws(Failure) {
        try Self.look(at: source.input)
      } catch {
        var error = error
        let hasCopy =
          source.usesLastGood && folder.map { SourceCache.hasCopy(of: source.name, in: $0) } ?? false
        // The run can't do without its last source either.
        guard error.blamesSource, hasCopy || (!source.isRequired && remaining > 1) else {
          if sources.count > 1 { error.sourceName = source.name }
          throw error
        }
        if !hasCopy { remaining -= 1 }
        error.sourceName = source.name
        unused.append(UnusedSource(name: source.name, error: error, hasCopy: hasCopy))
      }
    }
    return unused
  }

  private static func look(at input: Pipeline.Input) throws(Failure) {
    if case .unlisted(let failure) = input { throw failure.of(nil) }
    for path in input.paths where path != InputFile.standardInput { try look(path) }
  }

  private static func look(_ path: String) throws(Failure) {
    do throws(SystemError) {
      // The writer of a named pipe need not be there yet.
      _ = try InputFile(path, waits: false)
    } catch {
      throw Failure(nil, error)
    }
  }
}

/// The JSON form of a valid pipeline file. Secrets in URLs are left out.
private struct CheckedPipeline: Encodable {
  struct Source: Encodable {
    var name: String
    /// The files that are read; nil for a URL or a generator.
    var paths: [String]?
    var url: String?
    var isRequired: Bool
    /// Why the source can't be read now; nil if it can, or if that is not known.
    var error: String?
  }
  struct Output: Encodable {
    var path: String
    var format: String
  }

  var file: String
  var name: String
  var isValid = true
  var sources: [Source]
  var outputs: [Output]
  /// The folder in which versions are published.
  var directory: String?

  init(_ builder: PipelineBuilder, name: String, _ errors: [String: Failure]) {
    file = builder.path
    self.name = name
    sources = builder.sources.map { source in
      Source(
        name: source.name, paths: source.paths.isEmpty ? nil : source.paths,
        url: source.download?.value.options.resources.first.map { URLRedaction.resource($0) },
        isRequired: source.isRequired, error: errors[source.name].map { Diagnostics.message(of: $0).message })
    }
    directory = builder.publish?.directory
    let staging = directory.map { PublishedFolder($0).staging }
    outputs = builder.emits.map { emit in
      var path = emit.options.output
      if let staging, path.hasPrefix(staging) {
        // A published output is in the folder of its version.
        path = String(path.dropFirst(staging.count).drop { $0 == "/" })
      }
      return Output(path: path.isEmpty ? "." : path, format: emit.options.format.rawValue)
    }
  }
}

/// The JSON form of a pipeline file that can't be run.
struct InvalidPipeline: Encodable {
  /// An error. The position is missing if the error is not at one, such as that of a missing input.
  private struct Reported: Encodable {
    var file: String?
    var line: Int?
    var column: Int?
    var key: String?
    var source: String?
    var message: String
    var hint: String?
  }

  private var file: String
  private var isValid = false
  /// One: checking ends at the first error.
  private var errors: [Reported]

  /// Describes an error at a position, and the key that it is about, if they are known.
  init(_ file: String, _ message: UserMessage, at mark: Mark?, key: String?) {
    self.file = file
    var error = Reported(key: key, message: message.message, hint: message.hint)
    if let mark, !mark.isFromCommandLine {
      (error.file, error.line, error.column) = (mark.file, mark.line, mark.column)
      let place = mark.place + ": "
      if error.message.hasPrefix(place) { error.message.removeFirst(place.count) }
    }
    errors = [error]
  }

  /// Describes the error of an input.
  init(_ file: String, _ failure: Failure) {
    let message = Diagnostics.message(of: failure)
    self.file = file
    errors = [Reported(source: failure.sourceName, message: message.message, hint: message.hint)]
  }
}
