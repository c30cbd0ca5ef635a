// A file mapped for reading, and the marks of what in it was checked. The only place that calls the system.

import CallStoreFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A whole file, mapped. It stays readable when the name is gone; a file that somebody cuts short while it is
/// mapped can't be read any more and ends the process (SIGBUS), so replace stores by renaming.
@safe
struct FileMapping: ~Copyable {
  private let buffer: UnsafeRawBufferPointer
  /// The part of the file that is the store: all of it, unless the store stands in another file.
  private let part: Range<Int>

  init(path: String) throws(CallStoreError) {
    var descriptor: Int32
    // Nothing but a regular file is taken; without O_NONBLOCK a pipe would be waited for until somebody opens its other end.
    repeat {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw .cannotOpen(errno) }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor)
  }

  /// Maps what the descriptor names; the descriptor stays the caller's and may be closed. With `part`, only these
  /// bytes of the file are looked at.
  init(descriptor: Int32, part: Range<Int>? = nil) throws(CallStoreError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .cannotOpen(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .cannotOpen(status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENODEV)
    }
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

  /// Lets the system take the pages back that were read so far; read again they come from the file.
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

/// A bit a block: whether its checksum was found right. It is written through a borrowed store, which is why a
/// store belongs to one thread at a time.
@safe
struct BlockMarks: ~Copyable {
  private let words: UnsafeMutableBufferPointer<UInt64>

  init(count: Int) {
    unsafe words = .allocate(capacity: (count + 63) / 64)
    unsafe words.initialize(repeating: 0)
  }

  deinit { unsafe words.deallocate() }

  /// `index` is below the count.
  func contains(_ index: Int) -> Bool { unsafe words[index / 64] >> UInt64(index % 64) & 1 == 1 }

  func insert(_ index: Int) { unsafe words[index / 64] |= 1 << UInt64(index % 64) }
}
