// The last good copies of sources: one file, or the files of a source with several.
//
// Not for: the content that was fetched last, and the folder itself (SourceCache).

import Hashing
import Records
import StoreWriting
import SystemIO
import SystemPackage

/// The last good copy of a source.
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

  /// Creates an empty list.
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

/// The endings of the files that the cache has for a source.
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
  ///
  /// - Complexity: O(bytes).
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
  /// - Throws: ``PublishError/sourceChanged(path:)`` if a file has changed since it was hashed; the previous copies stay.
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
        throw Failure(nil, PublishError.sourceChanged(path: file.path))
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
