// The sources' bytes on the disk of a published folder: what was fetched last, and the last good copies.
//
// A source is fetched whole before anything is made of it: then it is known whether anything changed, a source that fails
// can be left out, and nothing is asked for twice. Not for: how something is fetched (the download stage).

import ContentHash
public import DownloadStage
public import PipeStage
public import SystemIO
import SystemPackage

/// Keeps sources' bytes.
///
///     DIR/.sources/NAME.body   what a URL brought last
///     DIR/.sources/NAME.good   what the last run that ended well was made of
///     DIR/.sources/cache/      what the download stage needs to ask whether anything is new
public struct SourceCache: Sendable {
  /// Names are cut here: file systems take 255 bytes, and endings follow.
  private static let nameBytesMax = 60

  private let folder: PublishedFolder
  private let calls: any SystemCalls

  /// Names the folder.
  public init(_ folder: PublishedFolder, calls: any SystemCalls = KernelCalls()) {
    self.folder = folder
    self.calls = calls
  }

  /// Where the bytes are that a source's URL brought last.
  public func body(_ source: String) -> String { path(source) + ".body" }

  /// The path of a source's last good copy, if there is one.
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

  /// A file's name for any source's name: what can stand in one, and the beginning of a hash, since `a/b` and `a_b` are two.
  private func path(_ source: String) -> String {
    let plain = source.unicodeScalars.map { scalar -> Character in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || scalar == "-" || scalar == "_" ? Character(scalar) : "_"
    }
    let name = String(plain.prefix(Self.nameBytesMax))
    return "\(folder.sources)/\(name)-\(SHA256Hasher.hex(of: source).prefix(8))"
  }

  /// Fetches a source whole; what was there stays when that fails.
  ///
  /// - Parameter known: what was noted of it when it was fetched last, to be believed while the file is untouched.
  /// - Returns: what is noted of it now.
  public func fetch(
    _ source: String, _ options: DownloadOptions, known: PublishMemory.Input?, rejects: RejectLog
  ) throws(StageError) -> PublishMemory.Input {
    let body = self.body(source)
    var options = options
    // With a cache of our own, what it has is what the body's file has, and need not come again.
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

  /// What is noted of a file. It is read only if it is not the one that is known; nil for a pipe or a device, which can
  /// be read but once.
  ///
  /// - Parameter isOurs: whether nobody but a run with the lock writes to it.
  public func look(
    _ name: String, at path: String, known: PublishMemory.Input?, isOurs: Bool = false
  ) throws(StageError) -> PublishMemory.Input? {
    if FileKind(of: FilePath(path), calls: calls) == .other { return nil }
    var stamp = FileSignature(of: path, calls: calls)
    // Another name of the file, as a good one gets, is a change of what is said about it.
    if isOurs { stamp?.changed = 0 }
    if let known, known.name == name, let stamp, known.stamp == stamp { return known }
    let calls = self.calls
    let sha256 = try asStageError(nil) { () throws(SystemError) in
      try FileHash.sha256(path, calls: calls)
    }
    let isSettled = isOurs || stamp?.isSettled(at: WallClock.wholeSeconds()) ?? false
    return PublishMemory.Input(name: name, sha256: sha256, stamp: isSettled ? stamp : nil)
  }

  /// A run ended well with the bytes at a path: they are the good ones now. A file that is not ours is copied,
  /// since its owner may overwrite it in place.
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

  /// Removes what belongs to no source any more.
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
  /// Whether the last version was made of the same by the same pipeline, so that there is nothing to do.
  public func unchanged(pipeline: String, inputs: [PublishMemory.Input]?) -> PublishOutcome? {
    guard let memory, let inputs, let known = memory.inputs, memory.pipeline == pipeline,
      known.map(\.name) == inputs.map(\.name), known.map(\.sha256) == inputs.map(\.sha256)
    else { return nil }
    guard let current else { return nil }
    if memory.result == current { return .unchanged(version: current) }
    let isWithdrawn = history.contains { $0.id == memory.result && $0.isWithdrawn }
    return isWithdrawn ? .withdrawn(version: memory.result, current: current) : nil
  }

  /// The identity of a text that describes a pipeline completely.
  public static func identity(of pipeline: String) -> String { SHA256Hasher.hex(of: pipeline) }
}
