// The journal of loads: the record, which the extension writes, and a second file, which the app writes. Each file has
// one writer, so the two processes don't need a lock. Nothing else of this module writes to disk.

import CIntrinsics
import CallStoreFormat
import Hashing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct LoadJournal {
  private let record: RecordFile
  private let appReport: RecordFile

  init(_ files: ExtensionFiles) {
    record = RecordFile(path: files.record)
    appReport = RecordFile(path: files.record + ".app")
  }

  /// The last request, with its result if known; nil if there is no valid record.
  ///
  /// - Throws: an error if a file is there and may not be read: entries may be loaded.
  func last() throws(CallDirectoryError) -> LoadRecord? {
    guard var last = LoadRecord(try record.contents()) else { return nil }
    guard let appReport = LoadRecord(try appReport.contents()), appReport.request == last.request else {
      return last
    }
    switch (appReport.phase, last.phase) {
    case (.loaded, .submitted): last.phase = .loaded
    case (.loading, _): last.phase = .loading
    default: break
    }
    return last
  }

  /// The last request; nil if there is no valid record, or if it may not be read.
  var lastIfReadable: LoadRecord? { (try? last()) ?? nil }

  /// Records that a request is about to change the loaded entries. If the disk is full, removes the old record instead,
  /// which also means that the loaded state is unknown.
  func begin(_ request: UInt64) throws(CallDirectoryError) {
    if record.replace(LoadRecord(.loading, .unknown, request: request, added: 0).file) == 0 { return }
    let code = record.remove()
    if code != 0 { throw .record(code, path: record.path) }
  }

  /// Records the result of a request, unless another one has started since.
  func end(_ new: LoadRecord) {
    guard let present = try? record.contents(), LoadRecord(present)?.request == new.request else { return }
    write(new)
  }

  /// Records the state of a request. If that fails, the loaded state stays unknown.
  func write(_ new: LoadRecord) { _ = record.replace(new.file) }

  /// Records that nothing is loaded, or that the loaded state is unknown.
  func forget() {
    let present = try? record.contents()
    if present?.isEmpty == true { return }
    let request = present.flatMap { LoadRecord($0) }?.request ?? 0
    if record.replace(LoadRecord(.loading, .unknown, request: request, added: 0).file) != 0 {
      _ = record.remove()
    }
  }

  /// Records the result of a request that iOS reported to the app.
  func recordAppReport(of request: UInt64, isLoaded: Bool) {
    let phase = isLoaded ? LoadPhase.loaded : .loading
    if appReport.replace(LoadRecord(phase, .unknown, request: request, added: 0).file) != 0, !isLoaded {
      _ = appReport.remove()
    }
  }
}

/// What the Call Directory contains.
enum LoadedExtent: Equatable, Sendable {
  /// Nothing, or unknown entries.
  case unknown
  /// Entries that the files' store has to replace. Never recorded.
  case other
  /// A complete store, by its content hash.
  case whole([UInt8])
  /// Only the entries of a store up to a number.
  case storePart([UInt8], through: UInt64)
  /// A store without the removals of a delta, plus the delta's additions up to a number.
  case deltaPart(from: [UInt8], to: [UInt8], through: UInt64)
}

enum LoadPhase: UInt8, Sendable {
  /// Entries are being added and removed. If a record stays in this phase, iOS has removed everything.
  case loading = 1
  /// All entries were added; iOS has not reported the result yet.
  case submitted = 2
  case loaded = 3
}

struct LoadRecord: Equatable, Sendable {
  static let bytes = 128
  /// `\x89CDREC\r\n`: not text, and damaged by any program that converts line ends.
  private static let magic: UInt64 = 0x0A0D_4345_5244_4389
  private static let version = 1
  private static let hashBytes = 32
  private static let crcAt = 124

  var phase: LoadPhase
  /// What the directory contains if the request succeeds.
  var extent: LoadedExtent
  /// A random number that identifies the request, so that the app's report is not applied to another request.
  var request: UInt64
  /// The count of entries of the store or delta that were added, over all requests.
  var added: UInt64
  /// Identifies the numbers that the user allows and that were left out of the extent; 0 for none.
  var allowed: UInt64 = 0

  /// What is known to be loaded: the extent of a loaded request, otherwise unknown.
  var trusted: LoadedExtent { phase == .loaded ? extent : .unknown }

  /// What is known to be loaded of the files without the allowed numbers.
  func trusted(without allowed: UInt64) -> LoadedExtent {
    let trusted = trusted
    return trusted == .unknown || self.allowed == allowed ? trusted : .other
  }

  init(_ phase: LoadPhase, _ extent: LoadedExtent, request: UInt64, added: UInt64) {
    self.phase = phase
    self.extent = extent
    self.request = request
    self.added = added
  }

  /// Parses a record; nil if it is invalid. The file may contain anything.
  init?(_ file: ContiguousArray<UInt8>) {
    guard file.count == Self.bytes else { return nil }
    // Read byte by byte: no assumptions about alignment or valid values.
    let span = file.span
    let raw = unsafe span.bytes
    guard raw.u64(0) == Self.magic, raw.u16(8) == Self.version,
      CRC32C.checksum(raw.extracting(0..<Self.crcAt)) == raw.u32(Self.crcAt),
      let phase = LoadPhase(rawValue: raw.byte(10))
    else { return nil }
    func hash(_ at: Int) -> [UInt8] { (0..<Self.hashBytes).map { raw.byte(at + $0) } }
    let through = raw.u64(32)
    switch raw.byte(11) {
    case 0: extent = .unknown
    case 1: extent = .whole(hash(72))
    case 2: extent = .storePart(hash(72), through: through)
    case 3: extent = .deltaPart(from: hash(40), to: hash(72), through: through)
    default: return nil
    }
    self.phase = phase
    request = raw.u64(16)
    added = raw.u64(24)
    allowed = raw.u64(104)
  }

  var file: ContiguousArray<UInt8> {
    var bytes: ContiguousArray<UInt8> = []
    bytes.reserveCapacity(Self.bytes)
    func append(_ value: UInt64, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
    func append(hash: [UInt8]) {
      for index in 0..<Self.hashBytes { bytes.append(index < hash.count ? hash[index] : 0) }
    }
    let (kind, from, to, through): (UInt64, [UInt8], [UInt8], UInt64) =
      switch extent {
      case .unknown, .other: (0, [], [], 0)
      case .whole(let hash): (1, [], hash, 0)
      case .storePart(let hash, let through): (2, [], hash, through)
      case .deltaPart(let from, let to, let through): (3, from, to, through)
      }
    append(Self.magic, 8)
    append(UInt64(Self.version), 2)
    append(UInt64(phase.rawValue), 1)
    append(kind, 1)
    append(0, 4)
    append(request, 8)
    append(added, 8)
    append(through, 8)
    append(hash: from)
    append(hash: to)
    append(allowed, 8)
    append(0, 12)
    append(UInt64(CRC32C.checksum(bytes.span)), 4)
    return bytes
  }
}

struct RecordFile {
  /// The maximum size that is read, in bytes; a larger file is not ours.
  static let bytesMax = 4_096

  let path: String

  /// The file's bytes; empty if the file is missing or unreadable.
  ///
  /// - Parameter bytesMax: the maximum number of bytes that are read.
  /// - Throws: an error if the file is there and may not be read.
  func contents(atMost bytesMax: Int = Self.bytesMax) throws(CallDirectoryError) -> ContiguousArray<UInt8> {
    let descriptor = Self.opened(path, O_RDONLY)
    guard descriptor >= 0 else {
      let code = errno
      if FileProtection.isDenial(code) { throw .record(code, path: path) }
      return []
    }
    defer { close(descriptor) }
    var status = stat()
    let size = unsafe fstat(descriptor, &status) == 0 ? max(0, Int(status.st_size)) : bytesMax
    var bytes = ContiguousArray<UInt8>(repeating: 0, count: min(size, bytesMax))
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      if got < 0, errno == EINTR { continue }
      if got < 0 { return [] }
      if got == 0 { break }
      count += got
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Replaces the file atomically and durably. Returns the `errno` of an error, or 0.
  func replace(_ bytes: ContiguousArray<UInt8>) -> Int32 {
    let new = path + ".new"
    let descriptor = Self.opened(new, O_WRONLY | O_CREAT | O_TRUNC)
    guard descriptor >= 0 else { return errno }
    FileProtection.apply(to: descriptor)
    var code = Self.put(bytes, to: descriptor)
    if code == 0, cdp_sync(descriptor) != 0 { code = errno }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, unsafe rename(new, path) != 0 { code = errno }
    if code != 0 {
      unsafe unlink(new)
      return code
    }
    syncFolder()
    return 0
  }

  /// Removes the file. Returns the `errno` of an error, or 0; a missing file is not an error.
  func remove() -> Int32 {
    if unsafe unlink(path) == 0 {
      syncFolder()
      return 0
    }
    let code = errno
    // Without write permission for the folder, unlink fails even if the file does not exist.
    return unsafe access(path, F_OK) != 0 && errno == ENOENT ? 0 : code
  }

  /// Makes the rename durable. If the file system can't, at worst a load is repeated after a crash.
  private func syncFolder() {
    var folder = path
    while let last = folder.utf8.last, last != UInt8(ascii: "/") { folder.removeLast() }
    let descriptor = Self.opened(folder.isEmpty ? "." : folder, O_RDONLY)
    guard descriptor >= 0 else { return }
    _ = cdp_sync(descriptor)
    close(descriptor)
  }

  fileprivate static func opened(_ path: String, _ flags: Int32) -> Int32 {
    var descriptor: Int32
    repeat {
      descriptor = unsafe open(path, flags | O_CLOEXEC, mode_t(0o600))
    } while descriptor < 0 && errno == EINTR
    return descriptor
  }

  private static func put(_ bytes: ContiguousArray<UInt8>, to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress! + written, $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno }
      written += count
    }
    return 0
  }
}

/// The protection class of files that an extension reads: iOS may load an extension while the phone is locked.
public enum FileProtection {
  /// Makes a file readable once the phone was unlocked after its start, also while it is locked again, whatever the
  /// app's default class is. Apps call it for every file that they write for an extension, before they rename the file
  /// into place. Elsewhere than on iOS it does nothing.
  ///
  /// - Parameter path: the path of the file.
  public static func apply(to path: String) {
    #if os(iOS)
      let descriptor = RecordFile.opened(path, O_RDONLY)
      guard descriptor >= 0 else { return }
      apply(to: descriptor)
      close(descriptor)
    #endif
  }

  /// Makes an open file readable while the phone is locked.
  package static func apply(to descriptor: Int32) {
    #if os(iOS)
      // Class C of the kernel, `NSFileProtectionCompleteUntilFirstUserAuthentication`. A file system without classes,
      // such as the simulator's, refuses it.
      _ = fcntl(descriptor, F_SETPROTECTIONCLASS, 3)
    #endif
  }

  /// Whether an `errno` means that a file is there and may not be read: on iOS, before the first unlock.
  package static func isDenial(_ code: Int32) -> Bool { code == EPERM || code == EACCES }
}
