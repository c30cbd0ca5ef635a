// The sources' bytes in a published folder: the content that was fetched last, and the last good copies.
//
// A source is fetched completely before it is processed. This shows whether anything changed, allows a source that
// fails to be left out, and avoids fetching anything twice.

import Hashing
package import InputStages
package import Records
import StoreWriting
package import SystemIO
import SystemPackage

/// Stores the sources' bytes. Only the user who publishes can read them: a source may be private, and its URL secret.
///
///     .DIR.sources/NAME.body   the content that was fetched last
///     .DIR.sources/NAME.good   the content that the last successful run used
///     .DIR.sources/NAME.list   the same for a source with several files: their hashes and paths
///     .DIR.sources/NAME.files/ the copies of these files, named by their hashes
///     .DIR.sources/cache/      the download stage's data for conditional requests
///
/// The folder is beside the published folder, because a web server hands that out. It is `DIR/.sources` instead where
/// nothing can be made beside the published folder, or where that is a file system of its own.
package struct SourceCache: Sendable {
  /// Names are truncated to this length: file systems allow 255 bytes, and a hash and an extension follow.
  private static let nameBytesMax = 60
  private static let directoryPermissions = FilePermissions(rawValue: 0o700)
  private static let filePermissions = FilePermissions(rawValue: 0o600)

  private let directory: String
  /// The calls on the cache's files, on those of the published folder, and on others.
  package let calls: any SystemCalls

  package init(_ folder: PublishedFolder, isNeeded: Bool, calls: any SystemCalls) throws(Failure) {
    let (directory, owner) = try asFailure(nil) { () throws(SystemError) -> (String, UInt32) in
      try Self.place(folder, isNeeded, calls)
    }
    let status = try? calls.status(FilePath(directory), followsLinks: false)
    if status?.type == .symbolicLink { throw .isLink(path: directory) }
    let confined = try asFailure(nil) { () throws(SystemError) -> DirectoryCalls? in
      if status == nil { return nil }
      return try DirectoryCalls(
        directory, owner: owner, permissionsMax: Self.filePermissions, calls: calls)
    }
    self.directory = directory
    self.calls = confined ?? calls
    // An interrupted first run has fetched nothing, perhaps.
    if isNeeded {
      _ = UnpublishedFiles.shared.add(emptyDirectories: [FilePath(directory)], calls: calls)
      _ = UnpublishedFiles.shared.add(emptyDirectories: [FilePath(cacheDirectory)], calls: self.calls)
    }
    for folder in [directory, cacheDirectory] {
      PublishedFolder.removeUnfinished(in: folder, calls: self.calls)
    }
  }

  /// Refers to the folder with the sources to look into it; changes nothing.
  private init(lookingInto directory: String, _ calls: any SystemCalls) {
    self.directory = directory
    self.calls = calls
  }

  /// Whether a source has a last good copy, intact or not. Changes nothing, so that a run in progress is not disturbed.
  package static func hasCopy(
    of source: String, in folder: PublishedFolder, calls: any SystemCalls = KernelCalls()
  ) -> Bool {
    [(try? beside(folder, calls))?.path, folder.innerSources].contains { directory in
      guard let directory else { return false }
      let copies = try? SourceCache(lookingInto: directory, calls).copies(source)
      return !(copies ?? []).isEmpty
    }
  }

  private var cacheDirectory: String { directory + "/cache" }

  /// The folder's path, and the owner of the published folder. Moves the copies that version 0.1.0 made inside the
  /// published folder out of it.
  private static func place(
    _ folder: PublishedFolder, _ isNeeded: Bool, _ calls: any SystemCalls
  ) throws(SystemError) -> (path: String, owner: UInt32) {
    let inner = folder.innerSources
    let (place, owner) = try beside(folder, calls)
    if let place {
      if try SymbolicLink.isPresent(place, calls: calls) {
        DirectoryTree.remove(inner, calls: calls)
        return (place, owner)
      }
      do throws(SystemError) {
        if try SymbolicLink.isPresent(inner, calls: calls) {
          try move(inner, to: place, calls)
        } else if isNeeded {
          try make(place, calls)
        }
        return (place, owner)
      } catch {
        let refusals: [Errno] = [.permissionDenied, .notPermitted, .readOnlyFileSystem, .improperLink]
        guard error.path == place, refusals.contains(error.code) else { throw error }
      }
    }
    if isNeeded { try make(inner, calls) }
    return (inner, owner)
  }

  /// The path beside the published folder, and the owner of that folder. Nil if the folder is a file system of its own,
  /// such as a container's volume: what is beside it may not be kept.
  private static func beside(
    _ folder: PublishedFolder, _ calls: any SystemCalls
  ) throws(SystemError) -> (path: String?, owner: UInt32) {
    var path = FilePath(folder.directory)
    do throws(Errno) {
      // The folder itself may be reached through a link, or as `.`.
      let real = try calls.resolve(path)
      let above = path.removingLastComponent()
      let realAbove = try calls.resolve(above.isEmpty ? "." : above)
      if path.lastComponent.map({ realAbove.appending($0) }) != real { path = real }
      let own = try calls.status(path, followsLinks: true)
      guard let name = path.lastComponent else { return (nil, own.owner) }
      let parent = path.removingLastComponent()
      let other = try calls.status(parent.isEmpty ? "." : parent, followsLinks: true)
      guard own.device == other.device else { return (nil, own.owner) }
      return (parent.appending(".\(name.string).sources").string, own.owner)
    } catch {
      throw SystemError(.openInput, folder.directory, error)
    }
  }

  /// Moves a folder that other users can read.
  private static func move(
    _ path: String, to place: String, _ calls: any SystemCalls
  ) throws(SystemError) {
    for name in try DirectoryTree.files(path, calls: calls) {
      let file = try InputFile(path + "/" + name, calls: calls)
      try? calls.setPermissions(file.descriptor, filePermissions)
    }
    do throws(Errno) {
      let folder = try calls.open(FilePath(path), .readOnly, [.directory, .noFollow], [])
      defer { try? calls.close(folder) }
      try calls.setPermissions(folder, directoryPermissions)
      try calls.rename(FilePath(path), to: FilePath(place))
    } catch {
      throw SystemError(.createOutput, place, error)
    }
  }

  private static func make(_ path: String, _ calls: any SystemCalls) throws(SystemError) {
    do throws(Errno) {
      try calls.makeDirectory(FilePath(path), directoryPermissions)
    } catch {
      if error != .fileExists { throw SystemError(.createOutput, path, error) }
    }
  }

  /// The path of the content that was fetched last for a source.
  package func body(_ source: String) -> String { path(source, .body) }

  /// The path of a source's file: the valid characters of the source's name, and the start of a hash, because `a/b` and
  /// `a_b` are different names.
  func path(_ source: String, _ file: SourceCacheFile) -> String {
    let plain = source.unicodeScalars.map { scalar -> Character in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || scalar == "-" || scalar == "_" ? Character(scalar) : "_"
    }
    let name = String(plain.prefix(Self.nameBytesMax))
    return "\(directory)/\(name)-\(SHA256Hasher.hex(of: source).prefix(8))\(file.rawValue)"
  }

  /// Fetches a source completely. If that fails, the previous content is kept.
  ///
  /// - Parameter known: the input as recorded when it was fetched last; valid while the file's signature is unchanged.
  /// - Returns: the input to record now.
  package func fetch(
    _ source: String, _ options: DownloadOptions, known: PublishMemory.Input?, rejects: RejectLog
  ) throws(Failure) -> PublishMemory.Input {
    let body = self.body(source)
    var options = options
    // With our own cache, its content is that of the body file, so it need not be fetched again.
    options.failsUnchanged =
      options.cacheDirectory == nil && options.resources.count == 1 && Directory.holdsFile(body, calls: calls)
    if options.cacheDirectory == nil { options.cacheDirectory = cacheDirectory }
    let observe = options.observe
    options.observe = { event in
      if case .unchanged = event { return }
      observe?(event)
    }
    let context = StageContext(meter: StageMeter(.download), rejects: rejects, calls: calls)
    do throws(Failure) {
      let sink = try FileSink(body, stage: .download, calls: calls)
      try Downloader(options: options, context: context, downstream: sink).run()
    } catch {
      guard case .unchanged = error.errorClass else { throw error }
    }
    guard let input = try look(source, at: body, known: known, isOurs: true) else {
      throw Failure(.download, SystemError(.openInput, body, .noSuchFileOrDirectory))
    }
    return input
  }

  /// Describes a file as an input. Reads it only if its signature differs from the known one. Nil for a pipe or a
  /// device, which can be read only once.
  ///
  /// - Parameter isOurs: whether only runs that hold the lock write to the file.
  package func look(
    _ name: String, at path: String, known: PublishMemory.Input?, isOurs: Bool = false
  ) throws(Failure) -> PublishMemory.Input? {
    if FileKind(of: FilePath(path), calls: calls) == .other { return nil }
    var stamp = FileSignature(of: path, calls: calls)
    // The change time also changes when the file gets another link, as good copies do.
    if isOurs { stamp?.changed = 0 }
    if let known, known.name == name, let stamp, known.stamp == stamp { return known }
    let calls = self.calls
    let sha256 = try asFailure(nil) { () throws(SystemError) in
      try FileHash.sha256(path, calls: calls)
    }
    let isSettled = isOurs || stamp?.isSettled(at: WallClock.wholeSeconds()) ?? false
    return PublishMemory.Input(name: name, sha256: sha256, stamp: isSettled ? stamp : nil)
  }

  package func removeOthers(than sources: [String]) {
    let kept = Set(sources.flatMap { source in SourceCacheFile.allCases.map { path(source, $0) } })
    for name in (try? Directory.names(directory, calls: calls)) ?? [] {
      let path = directory + "/" + name
      let isOfSource = SourceCacheFile.allCases.contains { name.hasSuffix($0.rawValue) }
      guard isOfSource, !kept.contains(path) else { continue }
      DirectoryTree.remove(path, calls: calls)
    }
  }
}

extension Publisher {
  /// Returns an outcome if the last version was made from the same inputs by the same pipeline; nil if there is work to
  /// do.
  package func unchanged(pipeline: String, inputs: [PublishMemory.Input]?) -> PublishOutcome? {
    guard let memory, let inputs, let known = memory.inputs, memory.pipeline == pipeline,
      known.map(\.name) == inputs.map(\.name), known.map(\.sha256) == inputs.map(\.sha256)
    else { return nil }
    guard let current else { return nil }
    if memory.result == current { return .unchanged(version: current) }
    let isWithdrawn = history.contains { $0.id == memory.result && $0.isWithdrawn }
    return isWithdrawn ? .withdrawn(version: memory.result, current: current) : nil
  }

  /// The identity of a pipeline: a hash of the text that describes it completely.
  package static func identity(of pipeline: String) -> String { SHA256Hasher.hex(of: pipeline) }
}

// MARK: - The last good copies of sources: one file, or the files of a source with several

struct SourceCopy {
  /// The copy, or the list of the copies if the source has several files.
  var path: String
  /// The copies, in the order of the source's files.
  var files: [String]
  /// What messages call the files; nil for the source's own name.
  var names: [String]?
}

/// The hashes and names of a source's files, in their order.
///
/// As text, one line for each file: its SHA-256, two spaces, its path.
struct CopyList {
  /// The maximum size of the text in bytes: 50,000 paths of 600 bytes.
  private static let bytesMax = 32 << 20
  /// The number of characters before a path.
  private static let prefixLength = 66

  /// The files, in order.
  var files: [(sha256: String, path: String)] = []

  init() {}

  /// Parses the text; nil if it has another form.
  init?(_ text: [UInt8]) {
    guard text.count <= Self.bytesMax, text.last == UInt8(ascii: "\n") else { return nil }
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let hash = String(line.prefix(Self.prefixLength - 2))
      // The hash is also the name of a file.
      guard PublishedNames.isID(hash), line.dropFirst(hash.count).hasPrefix("  ") else { return nil }
      files.append((hash, String(line.dropFirst(Self.prefixLength))))
    }
  }

  /// Reads a list; nil if it is missing or has another form.
  init?(reading path: String, calls: any SystemCalls) throws(SystemError) {
    guard Directory.holdsFile(path, calls: calls) else { return nil }
    self.init(try InputFile.bytes(of: path, limit: Self.bytesMax, calls: calls))
  }

  /// The text. A path is only for messages: one with line feeds is changed.
  var text: [UInt8] {
    var text: [UInt8] = []
    for file in files {
      text += Array("\(file.sha256)  ".utf8)
      text += file.path.utf8.map { $0 == 0x0A ? 0x20 : $0 }
      text.append(0x0A)
    }
    return text
  }

  /// The SHA-256 of the text, as 64 hexadecimal digits.
  var sha256: String { SHA256Hasher.hex(of: String(decoding: text, as: UTF8.self)) }
}

enum SourceCacheFile: String, CaseIterable {
  /// The content that was fetched last.
  case body = ".body"
  /// The last good copy of a single file.
  case good = ".good"
  /// The list of the last good copies of several files.
  case list = ".list"
  /// The folder of the copies in that list; each is named by its SHA-256.
  case files = ".files"
}

extension SourceCache {
  /// The last good copies of a source. There are two when a run ended while it replaced a list by a single file or the
  /// reverse. Throws when that can't be determined.
  func copies(_ source: String) throws(Failure) -> [SourceCopy] {
    let (good, list, folder) = (path(source, .good), path(source, .list), path(source, .files))
    let calls = self.calls
    return try asFailure(nil) { () throws(SystemError) in
      var copies: [SourceCopy] = []
      if let listed = try CopyList(reading: list, calls: calls) {
        copies.append(
          SourceCopy(
            path: list, files: listed.files.map { "\(folder)/\($0.sha256)" }, names: listed.files.map(\.path))
        )
      }
      if try FileKind(checking: FilePath(good), calls: calls) == .regular {
        copies.append(SourceCopy(path: good, files: [good]))
      }
      return copies
    }
  }

  /// Whether a last good copy has one of these hashes. Throws when the machine is the reason that it can't be read.
  func isIntact(_ copy: SourceCopy, _ hashes: [String]) throws(Failure) -> Bool {
    do throws(SystemError) {
      guard hashes.contains(try FileHash.sha256(copy.path, calls: calls)) else { return false }
      for file in copy.files where file != copy.path {
        guard try FileHash.sha256(file, calls: calls) == file.suffix(64) else { return false }
      }
      return true
    } catch {
      if !error.blamesSource { throw Failure(nil, error) }
      return false
    }
  }

  /// Makes the bytes at a path the last good copy, after a run that used them succeeded. A file that is not ours is
  /// copied, because its owner may overwrite it in place.
  func keepGood(_ source: String, _ path: String, isOurs: Bool) throws(Failure) {
    let good = self.path(source, .good)
    guard good != path else { return }
    let calls = self.calls
    try asFailure(nil) { () throws(SystemError) in
      if isOurs {
        try FileDuplicate.link(path, to: good, calls: calls)
      } else {
        try FileDuplicate.copy(path, to: good, calls: calls)
      }
    }
    for other in [SourceCacheFile.list, .files] {
      DirectoryTree.remove(self.path(source, other), calls: calls)
    }
  }

  /// Makes several files the last good copies, after a run that used them succeeded. Those that the cache has already
  /// are not copied again.
  ///
  /// Throws if a file has changed since it was hashed; the previous copies stay.
  func keepGood(_ source: String, _ list: CopyList) throws(Failure) {
    let (folder, calls) = (path(source, .files), self.calls)
    try asFailure(nil) { () throws(SystemError) in try Directory.make(folder, calls: calls) }
    for file in list.files {
      let copy = "\(folder)/\(file.sha256)"
      if Directory.holdsFile(copy, calls: calls) { continue }
      let hash = try asFailure(nil) { () throws(SystemError) in
        // A copy that a system crash damaged is found by its hash.
        try FileDuplicate.copyOne(file.path, to: copy, calls: calls)
        return try FileHash.sha256(copy, calls: calls)
      }
      guard hash == file.sha256 else {
        DirectoryTree.remove(copy, calls: calls)
        throw .sourceChanged(path: file.path)
      }
    }
    try asFailure(nil) { () throws(SystemError) in
      var output = try OutputFile(path(source, .list), calls: calls)
      try output.write(list.text.span)
      try output.publish()
    }
    DirectoryTree.remove(path(source, .good), calls: calls)
    let kept = Set(list.files.map(\.sha256))
    for name in (try? Directory.names(folder, calls: calls)) ?? [] where !kept.contains(name) {
      DirectoryTree.remove("\(folder)/\(name)", calls: calls)
    }
  }
}
