// The bytes of compiled rules: a mapped file, or memory of this process. Not for: their meaning.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes that stay at the same address, a multiple of 8, until they are destroyed.
@safe
struct RuleBytes: ~Copyable, @unchecked Sendable {
  // Sendable: the bytes are written before any other thread can access them, and never afterwards.
  private let start: UnsafeMutableRawPointer
  private let count: Int
  private let isMapped: Bool

  /// Maps a file.
  init(path: String) throws(CompiledRulesError) {
    let mapped = unsafe try Self.map(path)
    unsafe start = mapped.start
    count = unsafe mapped.count
    isMapped = true
  }

  /// Copies bytes.
  init(copying bytes: Span<UInt8>) {
    let size = max(bytes.count, 8)
    unsafe start = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    count = bytes.count
    isMapped = false
    for index in 0..<bytes.count {
      unsafe start.storeBytes(of: bytes[index], toByteOffset: index, as: UInt8.self)
    }
  }

  deinit {
    if isMapped {
      unsafe munmap(start, count)
    } else {
      unsafe start.deallocate()
    }
  }

  /// The bytes.
  var span: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      let bytes = unsafe RawSpan(_unsafeStart: start, byteCount: count)
      return unsafe _overrideLifetime(bytes, borrowing: self)
    }
  }

  /// A pointer into the bytes, for loops over data that was checked when the file was opened. It is valid as long as
  /// this value exists.
  func pointer(at offset: Int) -> UnsafeRawPointer { unsafe UnsafeRawPointer(start + offset) }

  private static func map(
    _ path: String
  ) throws(CompiledRulesError) -> (start: UnsafeMutableRawPointer, count: Int) {
    var file: Int32
    // Only regular files are accepted; without O_NONBLOCK, opening a pipe would wait until another process opens its
    // other end.
    repeat {
      file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } while file < 0 && errno == EINTR
    guard file >= 0 else { throw .cannotOpen(errno: errno) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .cannotOpen(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .cannotMap(errno: EINVAL) }
    let count = Int(status.st_size)
    guard count >= RulesLayout.headerBytes, count <= MessageRulesLimits.fileBytesMax else { throw .notRules }
    let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { throw .cannotMap(errno: errno) }
    return unsafe (start, count)
  }
}
