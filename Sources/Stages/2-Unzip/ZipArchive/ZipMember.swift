// libzip: every pointer to it is in this file.
//
// libzip reads one member at a time, from an archive that contains nothing else: the member's own bytes, and a
// directory with one entry that is generated here from verified data. So it can't see a different archive than the one
// that was verified, and its memory use does not depend on the number of members. (Of two records that look like an end
// record it chooses the one that seems better, and it reads the whole directory into memory, where it needs six times
// the space.)
//
// Not for: selecting and verifying members (ZipReader, MemberReader).

import CLibraries
import SystemIO
import SystemPackage

/// A member that is read by libzip.
@safe package struct ZipMember: ~Copyable {
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

  deinit {
    unsafe cdp_zip_member_close(member)
  }

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

  /// Loads the library.
  package static func load() throws(ZipError) {
    let code = Errno(rawValue: cdp_zip_load())
    guard code.rawValue != 0 else { return }
    let name = unsafe String(cString: cdp_zip_library_name())
    throw code.blamesMachine ? .library(SystemError(.openInput, name, code)) : missing(name)
  }

  /// The error of loading a library by this name; nil if it can be used.
  package static func problem(loading name: String) -> ZipError? {
    unsafe cdp_zip_library_is_usable(name) ? nil : missing(name)
  }

  /// Why the library can't unpack or decrypt a member; nil if it can.
  package static func problem(with entry: ZipEntry) -> ZipError? {
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
    .libraryMissing(name: name, package: "libzip4")
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
  fileprivate mutating func add<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
    var rest = value
    for _ in 0..<Value.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: rest))
      rest = Value.bitWidth == 8 ? 0 : rest >> 8
    }
  }
}
