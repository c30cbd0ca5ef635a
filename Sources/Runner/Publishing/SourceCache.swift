// The sources' bytes in a published folder: the content that was fetched last, and the last good copies.
//
// A source is fetched completely before it is processed. This shows whether anything changed, allows a source that
// fails to be left out, and avoids fetching anything twice. Not for the transfer itself (the download stage).

import ContentHash
public import DownloadStage
public import PipeStage
public import SystemIO
import SystemPackage

/// Stores the sources' bytes.
///
///     DIR/.sources/NAME.body   the content that was fetched last
///     DIR/.sources/NAME.good   the content that the last successful run used
///     DIR/.sources/cache/      the download stage's data for conditional requests
public struct SourceCache: Sendable {
  /// Names are truncated to this length: file systems allow 255 bytes, and a hash and an extension follow.
  private static let nameBytesMax = 60

  private let folder: PublishedFolder
  private let calls: any SystemCalls

  /// Refers to the sources of a published folder.
  public init(_ folder: PublishedFolder, calls: any SystemCalls = KernelCalls()) {
    self.folder = folder
    self.calls = calls
  }

  /// The path of the content that was fetched last for a source.
  public func body(_ source: String) -> String { path(source) + ".body" }

  /// The path of a source's last good copy; nil if there is none.
  public func good(_ source: String) -> String? {
    let path = self.path(source) + ".good"
    return Directory.holdsFile(path, calls: calls) ? path : nil
  }

  /// Whether a source's last good copy has one of these hashes.
  ///
  /// - Complexity: O(bytes).
  public func isGoodStill(_ source: String, _ hashes: [String]) -> Bool {
    do throws(SystemError) {
      return hashes.contains(try FileHash.sha256(path(source) + ".good", calls: calls))
    } catch {
      return false
    }
  }

  /// The path for a source's name: its valid characters, and the start of a hash, because `a/b` and `a_b` are different
  /// names.
  private func path(_ source: String) -> String {
    let plain = source.unicodeScalars.map { scalar -> Character in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || scalar == "-" || scalar == "_" ? Character(scalar) : "_"
    }
    let name = String(plain.prefix(Self.nameBytesMax))
    return "\(folder.sources)/\(name)-\(SHA256Hasher.hex(of: source).prefix(8))"
  }

  /// Fetches a source completely. If that fails, the previous content is kept.
  ///
  /// - Parameter known: the input as recorded when it was fetched last; valid while the file's signature is unchanged.
  /// - Returns: the input to record now.
  public func fetch(
    _ source: String, _ options: DownloadOptions, known: PublishMemory.Input?, rejects: RejectLog
  ) throws(StageError) -> PublishMemory.Input {
    let body = self.body(source)
    var options = options
    // With our own cache, its content is that of the body file, so it need not be fetched again.
    options.failsUnchanged =
      options.cacheDirectory == nil && options.resources.count == 1 && Directory.holdsFile(body, calls: calls)
    if options.cacheDirectory == nil { options.cacheDirectory = folder.sources + "/cache" }
    let observe = options.observe
    options.observe = { event in
      if case .unchanged = event { return }
      observe?(event)
    }
    let context = StageContext(meter: StageMeter(.download), rejects: rejects, calls: calls)
    let directory = folder.sources
    try asStageError(.download) { () throws(SystemError) in try Directory.make(directory, calls: calls) }
    do throws(StageError) {
      let sink = try FileSink(body, stage: .download, calls: calls)
      try Downloader(options: options, context: context, downstream: sink).run()
    } catch {
      guard case .unchanged = error.cause.errorClass else { throw error }
    }
    guard let input = try look(source, at: body, known: known, isOurs: true) else {
      throw StageError(.download, SystemError(.openInput, body, .noSuchFileOrDirectory))
    }
    return input
  }

  /// Describes a file as an input. Reads it only if its signature differs from the known one. Nil for a pipe or a
  /// device, which can be read only once.
  ///
  /// - Parameter isOurs: whether only runs that hold the lock write to the file.
  public func look(
    _ name: String, at path: String, known: PublishMemory.Input?, isOurs: Bool = false
  ) throws(StageError) -> PublishMemory.Input? {
    if FileKind(of: FilePath(path), calls: calls) == .other { return nil }
    var stamp = FileSignature(of: path, calls: calls)
    // The change time also changes when the file gets another link, as good copies do.
    if isOurs { stamp?.changed = 0 }
    if let known, known.name == name, let stamp, known.stamp == stamp { return known }
    let calls = self.calls
    let sha256 = try asStageError(nil) { () throws(SystemError) in
      try FileHash.sha256(path, calls: calls)
    }
    let isSettled = isOurs || stamp?.isSettled(at: WallClock.wholeSeconds()) ?? false
    return PublishMemory.Input(name: name, sha256: sha256, stamp: isSettled ? stamp : nil)
  }

  /// Makes the bytes at a path the last good copy, after a run that used them succeeded. A file that is not ours is
  /// copied, because its owner may overwrite it in place.
  public func keepGood(_ source: String, _ path: String, isOurs: Bool) throws(StageError) {
    let good = self.path(source) + ".good"
    guard good != path else { return }
    let (calls, directory) = (self.calls, folder.sources)
    try asStageError(nil) { () throws(SystemError) in
      try Directory.make(directory, calls: calls)
      if isOurs {
        try FileDuplicate.link(path, to: good, calls: calls)
      } else {
        try FileDuplicate.copy(path, to: good, calls: calls)
      }
    }
  }

  /// Removes the files of sources that no longer exist.
  public func removeOthers(than sources: [String]) {
    let kept = Set(sources.flatMap { [path($0) + ".body", path($0) + ".good"] })
    for name in (try? Directory.names(folder.sources, calls: calls)) ?? [] {
      let path = folder.sources + "/" + name
      guard name.hasSuffix(".body") || name.hasSuffix(".good"), !kept.contains(path) else { continue }
      DirectoryTree.remove(path, calls: calls)
    }
  }
}

extension Publisher {
  /// Returns an outcome if the last version was made from the same inputs by the same pipeline; nil if there is work to
  /// do.
  public func unchanged(pipeline: String, inputs: [PublishMemory.Input]?) -> PublishOutcome? {
    guard let memory, let inputs, let known = memory.inputs, memory.pipeline == pipeline,
      known.map(\.name) == inputs.map(\.name), known.map(\.sha256) == inputs.map(\.sha256)
    else { return nil }
    guard let current else { return nil }
    if memory.result == current { return .unchanged(version: current) }
    let isWithdrawn = history.contains { $0.id == memory.result && $0.isWithdrawn }
    return isWithdrawn ? .withdrawn(version: memory.result, current: current) : nil
  }

  /// The identity of a pipeline: a hash of the text that describes it completely.
  public static func identity(of pipeline: String) -> String { SHA256Hasher.hex(of: pipeline) }
}
