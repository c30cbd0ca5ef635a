// A zip archive's members, in the order of its directory, as one stream of bytes.
//
// Not for: paths. A member's name is matched and shown, and nothing else.

import PipeStage
import SystemIO
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads members of one archive.
struct ZipReader: ~Copyable {
  /// The archive's file: where it is open, how large it is, and what to call it when it can't be read.
  struct Source {
    var descriptor: FileDescriptor
    var size: UInt64
    var reading: SystemFailure.Operation
    var path: String
  }

  private let stage: StageName
  private let source: Source
  private var archive: ZipArchive

  /// Opens the archive and reads its directory.
  init(_ source: Source, stage: StageName) throws(PipeFailure) {
    self.source = source
    self.stage = stage
    do throws(ZipTrouble) {
      archive = try ZipArchive(source.descriptor, size: source.size)
    } catch {
      throw Self.failure(error, stage, source, member: nil)
    }
  }

  /// Gives every entry to `show`.
  mutating func list(_ show: (ArchiveEntry) throws(PipeFailure) -> Void) throws(PipeFailure) {
    for index in 0..<archive.count { try show(try entry(index).shown) }
  }

  /// Unpacks the members that match one of the patterns, or all. Between two of them comes a newline if the
  /// first lacks one, so that its last row stays its own. `progress` gets the bytes read from the file so
  /// far.
  mutating func unpack(
    _ patterns: [String], into output: inout UnpackedOutput, progress: (UInt64) -> Void
  ) throws(PipeFailure) {
    let wanted = try choose(patterns)
    var needsNewline = false
    for index in wanted {
      let member = try entry(index).shown
      do throws(ZipTrouble) {
        try archive.open(index)
      } catch {
        throw failure(error, member: member.name)
      }
      try unpackMember(member, &needsNewline, &output, progress)
    }
  }

  private mutating func unpackMember(
    _ member: ArchiveEntry, _ needsNewline: inout Bool, _ output: inout UnpackedOutput,
    _ progress: (UInt64) -> Void
  ) throws(PipeFailure) {
    if needsNewline, member.size > 0 { try output.append(UInt8(ascii: "\n")) }
    let start = output.total
    while true {
      let count = try output.fill { (chunk) throws(PipeFailure) in
        do throws(ZipTrouble) {
          return try archive.read(into: &chunk)
        } catch {
          throw failure(error, member: member.name)
        }
      }
      let unpacked = output.total - start
      // The checksum alone does not tell: not every version of libzip minds the size.
      if count == 0 ? unpacked != member.size : unpacked > member.size {
        throw PipeFailure(
          stage,
          UnzipFailure.wrongSize(name: member.name, expected: member.size, unpacked: unpacked))
      }
      guard count > 0 else { return }
      needsNewline = output.lastByte != UInt8(ascii: "\n")
      // Of the member, and of the whole file too: members that share their bytes are a way to build a bomb.
      try output.checkRatio(bytesIn: member.compressedSize, bytesOut: unpacked)
      try output.checkRatio(bytesIn: source.size, bytesOut: output.total)
      progress(archive.bytesRead)
    }
  }

  /// The indices of the wanted members. What can't be unpacked shows here, before anything comes out.
  private mutating func choose(_ patterns: [String]) throws(PipeFailure) -> [UInt64] {
    var wanted: [UInt64] = []
    var names: [String] = []
    var count = 0
    for index in 0..<archive.count {
      let entry = try self.entry(index)
      let name = entry.shown.name
      if entry.shown.isDirectory { continue }
      count += 1
      guard patterns.isEmpty || patterns.contains(where: { Self.matches($0, name) }) else {
        if names.count < UnzipLimits.namesShownMax { names.append(name) }
        continue
      }
      if entry.shown.isEncrypted { throw PipeFailure(stage, UnzipFailure.encrypted(name: name)) }
      if !entry.isSupported {
        throw PipeFailure(stage, UnzipFailure.unsupportedMethod(name: name, method: entry.method))
      }
      wanted.append(index)
    }
    if wanted.isEmpty, !patterns.isEmpty {
      throw PipeFailure(
        stage, UnzipFailure.noSuchEntry(patterns: patterns, available: names, count: count))
    }
    return wanted
  }

  private static func matches(_ pattern: String, _ name: String) -> Bool {
    unsafe fnmatch(pattern, name, 0) == 0
  }

  private mutating func entry(_ index: UInt64) throws(PipeFailure) -> ZipArchive.Entry {
    do throws(ZipTrouble) {
      return try archive.entry(index)
    } catch {
      throw failure(error, member: nil)
    }
  }

  private func failure(_ trouble: ZipTrouble, member: String?) -> PipeFailure {
    Self.failure(trouble, stage, source, member: member)
  }

  private static func failure(
    _ trouble: ZipTrouble, _ stage: StageName, _ source: Source, member: String?
  ) -> PipeFailure {
    let name = member ?? ""
    let cause: any FailureCause =
      switch trouble {
      case .unreadable(let code): SystemFailure(source.reading, source.path, code)
      // Debian's name of the package, which most others resemble.
      case .libraryMissing(let library): UnzipFailure.libraryMissing(name: library, package: "libzip4")
      case .damaged(let code, let text):
        member == nil
          ? UnzipFailure.damagedArchive(code: code, text: text)
          : UnzipFailure.damagedMember(name: name, code: code, text: text)
      case .wrongChecksum: UnzipFailure.wrongChecksum(name: name)
      case .encrypted: UnzipFailure.encrypted(name: name)
      case .unsupportedMethod: UnzipFailure.unsupportedMethod(name: name, method: nil)
      case .outOfMemory: UnzipFailure.outOfMemory
      case .directoryTooLarge: UnzipFailure.directoryTooLarge(limit: UnzipLimits.directoryBytesMax)
      }
    return PipeFailure(stage, cause)
  }
}
