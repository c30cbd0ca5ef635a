// One member of an archive: located, read by libzip, decompressed by zlib, and verified. Every pointer to these libraries
// is in this file.

import CLibZ
import CLibraries
import SystemIO
import SystemPackage

/// The location of a member, according to its local header (APPNOTE 4.3.7) and its data descriptor (4.3.9). The header
/// must agree with the central directory: otherwise one of them is wrong, and so would be the output.
struct MemberLocation {
  /// The size of a local header without its name and extra fields.
  static let headerBytes = 30
  private static let descriptorBytesMax = 24

  var start: UInt64
  var dataEnd: UInt64
  var end: UInt64

  /// Reads a member's local header and compares it with the entry in the central directory. Data must end before
  /// `limit`, where the directory starts.
  static func find(
    _ entry: ZipEntry, limit: UInt64, in window: inout FileWindow
  ) throws(ZipError) -> MemberLocation {
    func damaged(_ reason: MemberErrorReason) -> ZipError { .damagedMember(name: entry.name, reason) }
    let start = entry.offset
    guard start <= limit, UInt64(headerBytes) <= limit - start, try window.loadRecord(start, headerBytes),
      window.u32(start) == 0x0403_4B50
    else { throw damaged(.noHeader) }
    let nameCount = Int(window.u16(start + 26))
    let extraCount = Int(window.u16(start + 28))
    let count = headerBytes + nameCount + extraCount
    guard nameCount == entry.rawName.count else { throw damaged(.headerMismatch("name")) }
    guard UInt64(count) <= limit - start, try window.loadRecord(start, count) else {
      throw damaged(.outOfBounds)
    }
    guard window.matches(start + UInt64(headerBytes), entry.rawName) else {
      throw damaged(.headerMismatch("name"))
    }
    guard window.u16(start + 8) == entry.rawMethod else { throw damaged(.headerMismatch("method")) }

    let flags = window.u16(start + 6)
    let encryptionFlags = ZipEntry.encryptedFlag | ZipEntry.unsupportedFlags
    let extra = ExtraFields(window, from: start + UInt64(headerBytes + nameCount), count: extraCount)
    guard flags & encryptionFlags == entry.flags & encryptionFlags, Self.areEqual(extra.aes, entry.aes) else {
      throw damaged(.headerMismatch("encryption"))
    }

    // With this flag, the header may omit checksum and sizes.
    let mayBeMissing = flags & ZipEntry.dataDescriptorFlag != 0
    var sizes = Zip64Values(extra.zip64)
    let crc = window.u32(start + 14)
    let size = sizes.value(window.u32(start + 22), window)
    let compressedSize = sizes.value(window.u32(start + 18), window)
    let matches = crc == entry.crc && size == entry.size && compressedSize == entry.compressedSize
    if !matches {
      // Some programs that know the size in advance write it without the packed size.
      let isMissing =
        (crc == 0 || crc == entry.crc) && (size == 0 || size == entry.size)
        && (compressedSize == 0 || compressedSize == entry.compressedSize)
      guard mayBeMissing, isMissing else { throw damaged(.headerMismatch("checksum or sizes")) }
    }

    let dataStart = start + UInt64(count)
    guard entry.compressedSize <= limit - dataStart else { throw damaged(.outOfBounds) }
    let dataEnd = dataStart + entry.compressedSize
    var location = MemberLocation(start: start, dataEnd: dataEnd, end: dataEnd)
    if mayBeMissing {
      let descriptor = try Self.descriptor(entry, at: dataEnd, limit: limit, in: &window)
      // Some programs set the flag but write no data descriptor, because the header is complete.
      guard descriptor != nil || matches else { throw damaged(.headerMismatch("checksum or sizes")) }
      location.end += UInt64(descriptor ?? 0)
    }
    return location
  }

  private static func areEqual(_ header: ZipEntry.AES?, _ entry: ZipEntry.AES?) -> Bool {
    guard let header, let entry else { return header == nil && entry == nil }
    return header.version == entry.version && header.strength == entry.strength
      && header.method == entry.method
  }

  /// The length of the data descriptor, if there is one that agrees with the directory: with or without a signature,
  /// with sizes of 4 or 8 bytes.
  private static func descriptor(
    _ entry: ZipEntry, at offset: UInt64, limit: UInt64, in window: inout FileWindow
  ) throws(ZipError) -> Int? {
    let available = Int(min(UInt64(descriptorBytesMax), limit - offset))
    guard try window.loadRecord(offset, available) else { return nil }
    for (signature, width) in [(4, 8), (4, 4), (0, 8), (0, 4)] {
      let count = signature + 4 + 2 * width
      guard count <= available, signature == 0 || window.u32(offset) == 0x0807_4B50 else { continue }
      let crc = offset + UInt64(signature)
      let first = crc + 4
      let second = first + UInt64(width)
      let sizes =
        width == 8
        ? (window.u64(first), window.u64(second))
        : (UInt64(window.u32(first)), UInt64(window.u32(second)))
      if window.u32(crc) == entry.crc || !entry.hasChecksum, sizes == (entry.compressedSize, entry.size) {
        return count
      }
    }
    return nil
  }
}

/// Unpacks and verifies one member: the end of its data, its length according to the directory, and its checksum.
///
/// Deflate is decompressed here, from the packed (and decrypted) bytes that libzip returns: libzip itself can't detect
/// packed bytes after the end, and processes only 8 KiB at a time.
struct MemberReader: ~Copyable {
  let entry: ZipEntry
  private var member: ZipMember
  /// For deflate: the decompressor, and packed bytes that it has not consumed yet.
  private var inflater: Decompressor?
  private var packed: ByteChunk
  private var packedRead = 0
  private var hasEnded = false
  /// Whether AES's own checksum was verified in advance.
  private let isAuthenticated: Bool
  private var checksum = CRC32()
  private(set) var unpacked: UInt64 = 0

  init(
    _ file: FileDescriptor, _ entry: ZipEntry, _ location: MemberLocation, password: [UInt8]?
  ) throws(ZipError) {
    let isDeflated = entry.method == ZipEntry.deflated
    let isRaw = isDeflated || entry.method == ZipEntry.stored
    var inflater: Decompressor?
    if isDeflated {
      guard let made = Decompressor(.raw) else { throw .outOfMemory }
      inflater = consume made
    }
    // If AE-2 omits the checksum, libzip 1.7 fails at the end of data packed by other methods, with the same error as
    // for a wrong AES checksum. So the AES checksum is verified first, by reading all of the data.
    let isAuthenticated = !isRaw && !entry.hasChecksum
    if isAuthenticated { try Self.authenticate(file, entry, location, password) }
    let opened = try ZipMember(file, entry, location, isRaw: isRaw, password: password)
    // Everything that can fail comes before the first property is set.
    member = opened
    self.entry = entry
    self.isAuthenticated = isAuthenticated
    self.inflater = inflater
    // An archive may have very many small members, so the buffer is not larger than needed.
    let packedMax = UInt64(isDeflated ? ByteChunk.defaultBytes : 0)
    packed = ByteChunk(capacity: Int(min(packedMax, max(entry.compressedSize, 1))))
  }

  private static func authenticate(
    _ file: FileDescriptor, _ entry: ZipEntry, _ location: MemberLocation, _ password: [UInt8]?
  ) throws(ZipError) {
    var member = try ZipMember(file, entry, location, isRaw: true, password: password)
    var chunk = ByteChunk()
    while try member.read(into: &chunk, of: entry) > 0 { chunk.removeAll() }
  }

  /// Unpacks into the chunk's free space, and returns the number of bytes: 0 at the end, after everything was verified.
  mutating func read(into chunk: inout ByteChunk) throws(ZipError) -> Int {
    guard !hasEnded else { return 0 }
    let before = chunk.count
    try step(into: &chunk)
    let count = chunk.count - before
    checksum.add(chunk.span.extracting(droppingFirst: before))
    unpacked += UInt64(count)
    if unpacked > entry.size { throw wrongSize }
    if count == 0 { try finish() }
    return count
  }

  private mutating func step(into chunk: inout ByteChunk) throws(ZipError) {
    guard entry.method == ZipEntry.deflated else {
      do throws(ZipError) {
        _ = try member.read(into: &chunk, of: entry)
      } catch .wrongPasswordOrDamaged where isAuthenticated && unpacked == entry.size {
        // All of the data was output.
      }
      return
    }
    // Set to nil when the stream has ended; excess data is detected after the output has been counted.
    guard var inflater = inflater.take() else { return }
    let before = chunk.count
    while chunk.count == before {
      if packedRead == packed.count {
        packed.removeAll()
        packedRead = 0
        _ = try member.read(into: &packed, of: entry)
      }
      // After the last packed byte, too: output that did not fit into the previous chunk is still in the decompressor.
      let (result, consumed) = inflater.decompress(
        packed.span.extracting(droppingFirst: packedRead), into: &chunk)
      packedRead += consumed
      switch result {
      case .inProgress where packed.isEmpty && chunk.count == before: throw damaged(.truncated)
      // With input and free space there is always progress; if not, avoid an infinite loop.
      case .inProgress where consumed == 0 && chunk.count == before:
        throw damaged(.badData(text: inflater.text))
      case .inProgress: break
      case .end: return
      case .damaged, .otherFormat, .windowTooLarge: throw damaged(.badData(text: inflater.text))
      case .outOfMemory: throw .outOfMemory
      }
    }
    self.inflater = consume inflater
  }

  private mutating func finish() throws(ZipError) {
    hasEnded = true
    if entry.method == ZipEntry.deflated {
      // Reading to the end also makes libzip verify the data after encrypted data.
      guard packedRead == packed.count else { throw damaged(.trailingBytes) }
      packed.removeAll()
      guard try member.read(into: &packed, of: entry) == 0 else { throw damaged(.trailingBytes) }
    }
    guard unpacked == entry.size else { throw wrongSize }
    guard checksum.value == entry.crc || !entry.hasChecksum else {
      throw entry.isEncrypted
        ? ZipError.wrongPasswordOrDamaged(name: entry.name) : .wrongChecksum(name: entry.name)
    }
  }

  private var wrongSize: ZipError {
    entry.isEncrypted
      ? .wrongPasswordOrDamaged(name: entry.name)
      : .wrongSize(name: entry.name, expected: entry.size, unpacked: unpacked)
  }

  private func damaged(_ reason: MemberErrorReason) -> ZipError {
    entry.isEncrypted
      ? .wrongPasswordOrDamaged(name: entry.name) : .damagedMember(name: entry.name, reason)
  }
}

/// libzip reads one member at a time, from an archive that contains nothing else: the member's own bytes, and a
/// directory with one entry that is generated here from verified data. So it can't see a different archive than the one
/// that was verified, and its memory use does not depend on the number of members. (Of two records that look like an end
/// record it chooses the one that seems better, and it reads the whole directory into memory, where it needs six times
/// the space.)
@safe struct ZipMember: ~Copyable {
  private let member: OpaquePointer

  /// Opens a member. With `isRaw`, reading returns the packed bytes, decrypted. `password` must end with a zero byte.
  init(
    _ file: FileDescriptor, _ entry: ZipEntry, _ location: MemberLocation, isRaw: Bool, password: [UInt8]?
  ) throws(ZipError) {
    let length = location.dataEnd - location.start
    let tail = Self.directory(of: entry, length: length, isRaw: isRaw)
    var error = cdp_zip_error()
    let opened = unsafe tail.withUnsafeBytes { tail in
      guard let password else {
        return unsafe cdp_zip_member_open(
          file.rawValue, location.start, length, tail.baseAddress, tail.count, nil, isRaw, &error)
      }
      return unsafe password.withUnsafeBytes { password in
        unsafe cdp_zip_member_open(
          file.rawValue, location.start, length, tail.baseAddress, tail.count,
          password.assumingMemoryBound(to: CChar.self).baseAddress, isRaw, &error)
      }
    }
    guard let opened = unsafe opened else { throw Self.zipError(error, entry) }
    unsafe member = opened
  }

  deinit { unsafe cdp_zip_member_close(member) }

  /// Reads into the chunk's free space, and returns the number of bytes: 0 at the end.
  mutating func read(into chunk: inout ByteChunk, of entry: ZipEntry) throws(ZipError) -> Int {
    try unsafe chunk.fill { (space) throws(ZipError) in
      guard let start = space.baseAddress, space.count > 0 else { return 0 }
      var error = cdp_zip_error()
      let count = unsafe cdp_zip_member_read(member, start, space.count, &error)
      guard count >= 0 else { throw Self.zipError(error, entry) }
      return Int(count)
    }
  }

  static func load() throws(ZipError) {
    let code = Errno(rawValue: cdp_zip_load())
    guard code.rawValue != 0 else { return }
    let name = unsafe String(cString: cdp_zip_library_name())
    throw code.blamesMachine ? .library(SystemError(.openInput, name, code)) : missing(name)
  }

  /// The error of loading a library by this name; nil if it can be used.
  static func problem(loading name: String) -> ZipError? {
    unsafe cdp_zip_library_is_usable(name) ? nil : missing(name)
  }

  /// Why the library can't unpack or decrypt a member; nil if it can.
  static func problem(with entry: ZipEntry) -> ZipError? {
    if entry.flags & ZipEntry.unsupportedFlags != 0 { return .unsupportedEncryption(name: entry.name) }
    if entry.isEncrypted {
      let strength = entry.aes.map { UInt32($0.strength) } ?? 0
      let isDetected = entry.aes.map { 1...2 ~= $0.version && 1...3 ~= $0.strength } ?? true
      guard isDetected, cdp_zip_encryption_is_supported(strength) else {
        return .unsupportedEncryption(name: entry.name)
      }
    }
    guard cdp_zip_method_is_supported(entry.method) else {
      return .unsupportedMethod(name: entry.name, method: Int(entry.method))
    }
    return nil
  }

  // Names Debian's package; most other systems use a similar name.
  private static func missing(_ name: String) -> ZipError {
    #if canImport(Darwin)
      .libraryMissing(name: name, package: "libzip")
    #else
      .libraryMissing(name: name, package: "libzip4")
    #endif
  }

  private static func zipError(_ error: cdp_zip_error, _ entry: ZipEntry) -> ZipError {
    switch error.kind {
    case CDP_ZIP_READ: return .unreadable(Errno(rawValue: error.system))
    case CDP_ZIP_MEMORY: return .outOfMemory
    case CDP_ZIP_PASSWORD: return .wrongPassword(name: entry.name)
    case CDP_ZIP_METHOD: return .unsupportedMethod(name: entry.name, method: Int(entry.method))
    case _ where entry.isEncrypted: return .wrongPasswordOrDamaged(name: entry.name)
    case CDP_ZIP_CHECKSUM: return .wrongChecksum(name: entry.name)
    default:
      let text = unsafe withUnsafeBytes(of: error.text) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      return .damagedMember(name: entry.name, .badData(text: text))
    }
  }

  // MARK: - The directory of a single-member archive

  /// The central directory and end records of an archive that starts with `length` bytes of header and data, without
  /// the zeros of its comment. The name is irrelevant, so a short one is used.
  private static func directory(of entry: ZipEntry, length: UInt64, isRaw: Bool) -> [UInt8] {
    var extra: [UInt8] = []
    let isLarge = entry.size >= 0xFFFF_FFFF || entry.compressedSize >= 0xFFFF_FFFF
    if isLarge {
      extra.add(0x0001 as UInt16)
      extra.add(16 as UInt16)
      extra.add(entry.size)
      extra.add(entry.compressedSize)
    }
    if let aes = entry.aes {
      extra.add(0x9901 as UInt16)
      extra.add(7 as UInt16)
      extra.add(aes.version)
      extra += [0x41, 0x45, aes.strength]
      // libzip 1.7 verifies the checksum of stored data even if AE-2 omits it (zero), but not if it considers the data
      // packed.
      extra.add(isRaw ? ZipEntry.deflated : aes.method)
    }
    var bytes: [UInt8] = []
    bytes.add(0x0201_4B50 as UInt32)
    for field in [
      entry.versionMade, entry.versionNeeded, entry.flags & ~ZipEntry.utf8Flag, entry.rawMethod,
      entry.time,
      entry.date,
    ] { bytes.add(field) }
    bytes.add(entry.crc)
    bytes.add(isLarge ? 0xFFFF_FFFF : UInt32(entry.compressedSize))
    bytes.add(isLarge ? 0xFFFF_FFFF : UInt32(entry.size))
    bytes.add(1 as UInt16)  // the name
    bytes.add(UInt16(extra.count))
    bytes += [UInt8](repeating: 0, count: 2 + 2 + 2 + 4)  // comment, disk, attributes
    bytes.add(0 as UInt32)  // local header offset
    bytes.append(UInt8(ascii: "m"))
    bytes += extra
    let size = UInt64(bytes.count)

    bytes.add(0x0606_4B50 as UInt32)
    bytes.add(44 as UInt64)
    bytes.add(45 as UInt16)
    bytes.add(45 as UInt16)
    bytes.add(0 as UInt64)  // disks
    for field in [1, 1, size, length] { bytes.add(field) }
    bytes.add(0x0706_4B50 as UInt32)
    bytes.add(0 as UInt32)
    bytes.add(length + size)
    bytes.add(1 as UInt32)
    bytes.add(0x0605_4B50 as UInt32)
    bytes.add(0 as UInt32)  // disks
    bytes.add(0xFFFF_FFFF as UInt32)  // entries
    bytes.add(0xFFFF_FFFF as UInt32)
    bytes.add(0xFFFF_FFFF as UInt32)
    bytes.add(UInt16(CDP_ZIP_COMMENT_BYTES))
    return bytes
  }
}

extension [UInt8] {
  /// Appends an integer in little-endian order.
  mutating func add<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
    var rest = value
    for _ in 0..<Value.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: rest))
      rest = Value.bitWidth == 8 ? 0 : rest >> 8
    }
  }
}

@safe struct Decompressor: ~Copyable {
  enum Status { case inProgress, end, damaged, outOfMemory, otherFormat, windowTooLarge }

  /// The format around data that zlib decompresses.
  enum Wrapper {
    case gzip
    /// zlib's header and trailer, which are verified.
    case zlib
    case raw
  }

  private let state: OpaquePointer
  /// Whether it is zlib's, which is linked.
  private let isLinked: Bool

  /// Makes a decompressor; nil if there is not enough memory.
  init?(_ wrapper: Wrapper) {
    let cWrapper =
      switch wrapper {
      case .gzip: CDP_INFLATER_GZIP
      case .zlib: CDP_INFLATER_ZLIB
      case .raw: CDP_INFLATER_RAW
      }
    guard let made = unsafe cdp_inflater_new(cWrapper) else { return nil }
    unsafe state = made
    isLinked = true
  }

  /// Makes a decompressor of a format whose library is loaded; nil if there is not enough memory.
  init?(_ format: cdp_decompressor_format, windowBytesMax: UInt64) {
    guard let made = unsafe cdp_decompressor_new(format, windowBytesMax) else { return nil }
    unsafe state = made
    isLinked = false
  }

  deinit {
    if isLinked { unsafe cdp_inflater_free(state) } else { unsafe cdp_decompressor_free(state) }
  }

  /// Prepares for the next stream. Returns false if there is not enough memory.
  mutating func restart() -> Bool {
    guard isLinked else { return unsafe cdp_decompressor_restart(state) }
    unsafe cdp_inflater_restart(state)
    return true
  }

  /// Decompresses into the chunk's free space, and returns how many bytes of input were consumed.
  mutating func decompress(_ input: Span<UInt8>, into chunk: inout ByteChunk) -> (
    status: Status, consumed: Int
  ) {
    var consumed: UInt32 = 0
    var status = Status.damaged
    _ = unsafe input.withUnsafeBytes { from in
      unsafe chunk.fill { space in
        var produced: UInt32 = 0
        let (inputCount, outputCount) = (UInt32(clamping: from.count), UInt32(clamping: space.count))
        if isLinked {
          status = Status(
            unsafe cdp_inflater_run(
              state, from.baseAddress, inputCount, &consumed, space.baseAddress, outputCount, &produced))
        } else {
          status = Status(
            unsafe cdp_decompressor_run(
              state, from.baseAddress, inputCount, &consumed, space.baseAddress, outputCount, &produced))
        }
        return Int(produced)
      }
    }
    return (status, Int(consumed))
  }

  /// The library's words for the error; may be empty.
  var text: String {
    unsafe String(
      cString: isLinked ? cdp_inflater_error_message(state) : cdp_decompressor_error_message(state))
  }

  /// Opens the library of a format.
  static func load(_ format: cdp_decompressor_format) throws(ZipError) {
    let code = Errno(rawValue: cdp_decompressor_load(format))
    guard code.rawValue != 0 else { return }
    let name = unsafe String(cString: cdp_decompressor_library_name(format))
    throw code.blamesMachine ? .library(SystemError(.openInput, name, code)) : missing(name, format)
  }

  /// The error of loading a library by this name; nil if it can be used.
  static func problem(loading name: String, _ format: cdp_decompressor_format) -> ZipError? {
    unsafe cdp_decompressor_library_is_usable(format, name) ? nil : missing(name, format)
  }

  // Names the package of Debian or Homebrew; most other systems use a similar name.
  private static func missing(_ name: String, _ format: cdp_decompressor_format) -> ZipError {
    #if canImport(Darwin)
      let packages = (zstd: "zstd", xz: "xz", bzip2: "bzip2")
    #else
      let packages = (zstd: "libzstd1", xz: "liblzma5", bzip2: "libbz2-1.0")
    #endif
    return switch format {
    case CDP_ZSTD: .libraryMissing(name: name, package: packages.zstd)
    case CDP_XZ: .libraryMissing(name: name, package: packages.xz)
    default: .libraryMissing(name: name, package: packages.bzip2)
    }
  }
}

extension Decompressor.Status {
  fileprivate init(_ result: cdp_inflater_result) {
    self =
      switch result {
      case CDP_INFLATER_CONTINUES: .inProgress
      case CDP_INFLATER_END: .end
      case CDP_INFLATER_MEMORY: .outOfMemory
      default: .damaged
      }
  }

  fileprivate init(_ result: cdp_decompressor_result) {
    self =
      switch result {
      case CDP_DECOMPRESSOR_CONTINUES: .inProgress
      case CDP_DECOMPRESSOR_END: .end
      case CDP_DECOMPRESSOR_MEMORY: .outOfMemory
      case CDP_DECOMPRESSOR_OTHER_FORMAT: .otherFormat
      case CDP_DECOMPRESSOR_WINDOW: .windowTooLarge
      default: .damaged
      }
  }
}

/// Compresses a raw stream with zlib.
@safe struct Compressor: ~Copyable {
  private let state: OpaquePointer

  /// Makes a compressor; nil if there is not enough memory.
  init?() {
    guard let made = unsafe cdp_deflater_new() else { return nil }
    unsafe state = made
  }

  deinit { unsafe cdp_deflater_free(state) }

  /// Compresses into the chunk's free space; returns how many bytes of input were consumed, and whether the stream is
  /// complete. With `isLast`, no input follows.
  mutating func compress(
    _ input: Span<UInt8>, isLast: Bool, into chunk: inout ByteChunk
  ) -> (consumed: Int, isComplete: Bool) {
    var consumed: UInt32 = 0
    var isComplete = false
    _ = unsafe input.withUnsafeBytes { from in
      unsafe chunk.fill { space in
        var produced: UInt32 = 0
        isComplete = unsafe cdp_deflater_run(
          state, from.baseAddress, UInt32(clamping: from.count), &consumed, space.baseAddress,
          UInt32(clamping: space.count), &produced, isLast)
        return Int(produced)
      }
    }
    return (Int(consumed), isComplete)
  }
}

/// The checksum of gzip and zip (CRC-32 of ISO 3309).
struct CRC32 {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: Span<UInt8>) {
    let before = value
    value = unsafe bytes.withUnsafeBytes { unsafe cdp_crc32(before, $0.baseAddress, $0.count) }
  }
}
