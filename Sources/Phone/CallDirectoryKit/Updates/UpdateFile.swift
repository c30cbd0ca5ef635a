// Files of an update, with libc's calls (those of Foundation that report errors need iOS 13.4): compared with the size
// and SHA-256 of the manifest, and unpacked in pieces.

import CIntrinsics
import CLibZ
import CallDirectory
import Foundation
import Hashing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

final class UpdateFile {
  /// The size of the pieces in which files are read, in bytes.
  static let pieceBytes = 64 << 10

  enum Mode {
    case reading, creating, appending
  }

  private let descriptor: Int32
  private let path: String

  init(_ path: String, _ mode: Mode) throws(DirectoryUpdateError) {
    let flags =
      switch mode {
      case .reading: O_RDONLY
      case .creating: O_WRONLY | O_CREAT | O_TRUNC
      case .appending: O_WRONLY | O_APPEND
      }
    var opened: Int32
    repeat {
      opened = unsafe open(path, flags | O_CLOEXEC, mode_t(0o600))
    } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw .disk(code: errno, path: path) }
    if case .creating = mode { FileProtection.apply(to: opened) }
    descriptor = opened
    self.path = path
  }

  deinit { close(descriptor) }

  /// Reads the next bytes into a buffer. Returns their number; 0 at the end.
  func read(into buffer: inout [UInt8]) throws(DirectoryUpdateError) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe systemRead(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 { return count }
      if errno != EINTR { throw .disk(code: errno, path: path) }
    }
  }

  func append(_ data: Data) throws(DirectoryUpdateError) {
    let code = unsafe data.withUnsafeBytes { unsafe Self.put($0, descriptor) }
    if code != 0 { throw .disk(code: code, path: path) }
  }

  func append(_ bytes: Span<UInt8>) throws(DirectoryUpdateError) {
    let code = unsafe bytes.withUnsafeBytes { unsafe Self.put($0, descriptor) }
    if code != 0 { throw .disk(code: code, path: path) }
  }

  func sync() throws(DirectoryUpdateError) {
    if cdp_sync(descriptor) != 0 { throw .disk(code: errno, path: path) }
  }

  /// Returns the `errno` of an error, or 0.
  private static func put(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = unsafe write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno }
      written += count
    }
    return 0
  }

  // MARK: Files by their paths

  /// Whether a file exists. One in a folder that may not be searched may exist.
  static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0 || FileProtection.isDenial(errno)
  }

  /// The size of a file in bytes; nil if it is missing.
  static func size(_ path: String) -> UInt64? {
    var info = stat()
    return unsafe stat(path, &info) == 0 ? UInt64(clamping: info.st_size) : nil
  }

  /// The bytes of a file; nil if it is missing, can't be read, or is larger.
  static func contents(_ path: String, bytesMax: Int) -> [UInt8]? {
    guard let size = size(path), size <= UInt64(clamping: bytesMax),
      let file = try? UpdateFile(path, .reading)
    else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(size))
    var buffer = [UInt8](repeating: 0, count: min(pieceBytes, Int(size) + 1))
    while let count = try? file.read(into: &buffer) {
      if count == 0 { return bytes }
      if count > bytesMax - bytes.count { return nil }
      bytes += buffer[..<count]
    }
    return nil
  }

  static func replace(
    _ path: String, with bytes: [UInt8], durably: Bool
  ) throws(DirectoryUpdateError) {
    let new = path + ".new"
    do throws(DirectoryUpdateError) {
      let file = try UpdateFile(new, .creating)
      try file.append(bytes.span)
      if durably { try file.sync() }
      try move(new, to: path)
    } catch {
      remove(new)
      throw error
    }
  }

  /// Renames a file. A file at the new path is replaced.
  static func move(_ path: String, to target: String) throws(DirectoryUpdateError) {
    if unsafe rename(path, target) != 0 { throw .disk(code: errno, path: target) }
  }

  /// Removes a file if it is there and can be removed.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Makes renames in a folder durable. If the file system can't, at worst an update is repeated after a crash.
  static func syncFolder(_ path: String) {
    if let folder = try? UpdateFile(path, .reading) { try? folder.sync() }
  }
}

/// `read` of libc, under a name that no method has.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, buffer, count)
}

/// A file that is written, and whose size and SHA-256 are computed meanwhile.
struct CheckedFile {
  private let file: UpdateFile
  private let expected: RemoteFile
  private var hasher = SHA256Hasher()

  init(_ path: String, _ expected: RemoteFile) throws(DirectoryUpdateError) {
    file = try UpdateFile(path, .creating)
    self.expected = expected
  }

  /// Writes the next bytes, unless they are more than expected.
  mutating func append(_ bytes: Span<UInt8>) throws(DirectoryUpdateError) {
    guard hasher.byteCount + UInt64(bytes.count) <= expected.bytes else {
      throw .tooLarge(name: expected.name)
    }
    hasher.update(bytes)
    try file.append(bytes)
  }

  /// Throws unless the bytes so far are the expected file.
  func check() throws(DirectoryUpdateError) {
    guard hasher.byteCount == expected.bytes, hasher.hex == expected.sha256 else {
      throw .damaged(name: expected.name)
    }
  }

  /// Whether a file has the size and SHA-256 of the manifest. A missing one does not.
  ///
  /// - Complexity: O(bytes).
  static func matches(_ path: String, _ expected: RemoteFile) throws(DirectoryUpdateError) -> Bool {
    guard UpdateFile.size(path) == expected.bytes else { return false }
    let file = try UpdateFile(path, .reading)
    var hasher = SHA256Hasher()
    var buffer = [UInt8](repeating: 0, count: UpdateFile.pieceBytes)
    while true {
      let count = try file.read(into: &buffer)
      if count == 0 { break }
      hasher.update(buffer.span.extracting(0..<count))
    }
    return hasher.byteCount == expected.bytes && hasher.hex == expected.sha256
  }
}

enum GzipFile {
  private static let magic: [UInt8] = [0x1F, 0x8B]

  /// Whether a file begins like a gzip file. No store or delta does.
  static func isGzip(_ path: String) throws(DirectoryUpdateError) -> Bool {
    var start: [UInt8] = [0, 0]
    let count = try UpdateFile(path, .reading).read(into: &start)
    return count == start.count && start == magic
  }

  /// Unpacks a file into another, and checks that against the manifest.
  ///
  /// - Throws: `DirectoryUpdateError` if it is not a gzip file, or contains another file; `CancellationError`.
  /// - Complexity: O(bytes). Memory: two pieces and zlib's window.
  static func unpack(_ path: String, to target: String, _ file: RemoteFile) throws {
    let source = try UpdateFile(path, .reading)
    var checked = try CheckedFile(target, file)
    guard let inflater = unsafe cdp_inflater_new(CDP_INFLATER_GZIP) else {
      throw DirectoryUpdateError.disk(code: ENOMEM, path: path)
    }
    defer { unsafe cdp_inflater_free(inflater) }
    var input = [UInt8](repeating: 0, count: UpdateFile.pieceBytes)
    var output = input
    while true {
      try Task.checkCancellation()
      let count = try source.read(into: &input)
      // A file that is cut ends here.
      guard count > 0 else { throw DirectoryUpdateError.damaged(name: file.name) }
      var used = 0
      while true {
        var (consumed, produced): (UInt32, UInt32) = (0, 0)
        let result = unsafe input.withUnsafeBytes { input in
          unsafe output.withUnsafeMutableBytes { output in
            unsafe cdp_inflater_run(
              inflater, input.baseAddress.map { unsafe $0 + used }, UInt32(count - used), &consumed,
              output.baseAddress, UInt32(output.count), &produced)
          }
        }
        guard result == CDP_INFLATER_CONTINUES || result == CDP_INFLATER_END else {
          throw DirectoryUpdateError.damaged(name: file.name)
        }
        used += Int(consumed)
        try checked.append(output.span.extracting(0..<Int(produced)))
        if result == CDP_INFLATER_END { return try checked.check() }
        // With space left in the output, it needs more input.
        if used == count, produced < output.count { break }
        // Neither input nor output is used: the input is not what it can read.
        if consumed == 0, produced == 0 { throw DirectoryUpdateError.damaged(name: file.name) }
      }
    }
  }
}
