// A file mapped into memory, and the set of blocks that were verified. All system calls of the reader are here.

import CIntrinsics
import CallStoreFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The requirement that a file is regular, because it is mapped into memory or read at offsets.
package enum RegularFile {
  /// The error number for a file that is not regular; messages name its kind by it. Nil for a regular file.
  ///
  /// - Parameter mode: the file's `st_mode`.
  package static func errorNumber(ofMode mode: UInt32) -> Int32? {
    switch mode & UInt32(S_IFMT) {
    case UInt32(S_IFREG): nil
    case UInt32(S_IFDIR): EISDIR
    case UInt32(S_IFIFO): ESPIPE
    case UInt32(S_IFSOCK): ENXIO
    default: ENODEV
    }
  }
}

/// A whole file, mapped into memory. It stays readable after the file was removed. But if the file is truncated while
/// it is mapped, reading it ends the process (SIGBUS), so replace stores by renaming.
@safe
struct FileMapping: ~Copyable {
  private let buffer: UnsafeRawBufferPointer
  /// The range of the store's bytes: the whole file, unless the store is part of another file.
  private let part: Range<Int>

  init(path: String) throws(CallStoreError) {
    var descriptor: Int32
    // Only regular files are accepted. Without O_NONBLOCK, opening a pipe would wait for a writer.
    repeat {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw .cannotOpen(errno) }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor)
  }

  /// Maps an open file. The caller keeps the descriptor and may close it. With `part`, only these bytes of the file are
  /// read.
  init(descriptor: Int32, part: Range<Int>? = nil) throws(CallStoreError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .cannotOpen(errno) }
    if let code = RegularFile.errorNumber(ofMode: UInt32(status.st_mode)) { throw .cannotOpen(code) }
    guard status.st_size > 0 else { throw .notAStore }
    let count = Int(status.st_size)
    let part = part ?? 0..<count
    guard part.lowerBound >= 0, part.upperBound <= count else { throw .truncated }
    let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { throw .cannotOpen(errno) }
    unsafe buffer = UnsafeRawBufferPointer(start: start, count: count)
    self.part = part
  }

  deinit {
    unsafe munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count)
  }

  var count: Int { part.count }

  /// Releases the memory of the pages that were read so far. Reading them again loads them from the file.
  func releasePages() {
    unsafe madvise(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count, MADV_DONTNEED)
  }

  var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      // The mapping lives as long as this value.
      unsafe _overrideLifetime(RawSpan(_unsafeBytes: buffer).extracting(part), borrowing: self)
    }
  }
}

// The bytes of a mapping never change, and the system releases pages and loads them again unnoticed.
extension FileMapping: @unchecked Sendable {}

/// The set of blocks whose checksum was verified: one bit per block. Several threads may read and change it at a time;
/// at worst, two of them verify the same block.
@safe
struct BlockMarks: ~Copyable {
  private let words: UnsafeMutableBufferPointer<UInt64>
  private let count: Int

  init(count: Int) {
    self.count = count
    unsafe words = .allocate(capacity: (count + 63) / 64)
    unsafe words.initialize(repeating: 0)
  }

  deinit { unsafe words.deallocate() }

  /// Whether a block was verified. `index` is below the count.
  @inline(__always)
  func contains(_ index: Int) -> Bool {
    precondition(index >= 0 && index < count)
    return unsafe cdp_contains_bit(words.baseAddress, index)
  }

  /// Marks a block as verified. `index` is below the count.
  func insert(_ index: Int) {
    precondition(index >= 0 && index < count)
    unsafe cdp_insert_bit(words.baseAddress, index)
  }
}

// The bits are read and set atomically, and the pointer is constant.
extension BlockMarks: @unchecked Sendable {}
