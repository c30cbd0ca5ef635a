// libzip: every pointer to it is in this file.
//
// Not for: which members are wanted and what the limits are (ZipReader).

import CLibZip
import SystemIO
import SystemPackage

/// What libzip says went wrong.
enum ZipTrouble: Error {
  case libraryMissing(name: String)
  case damaged(code: Int, text: String)
  case wrongChecksum
  case encrypted
  case unsupportedMethod
  case outOfMemory
  case unreadable(Errno)
  case directoryTooLarge

  fileprivate init(_ error: cdp_zip_error) {
    switch error.trouble {
    case CDP_ZIP_CHECKSUM: self = .wrongChecksum
    case CDP_ZIP_ENCRYPTED: self = .encrypted
    case CDP_ZIP_METHOD: self = .unsupportedMethod
    case CDP_ZIP_MEMORY: self = .outOfMemory
    case CDP_ZIP_READ: self = .unreadable(Errno(rawValue: error.system))
    case CDP_ZIP_DIRECTORY_SIZE: self = .directoryTooLarge
    default:
      let text = unsafe withUnsafeBytes(of: error.text) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      self = .damaged(code: Int(error.code), text: text)
    }
  }
}

/// An open zip archive.
@safe struct ZipArchive: ~Copyable {
  private let archive: OpaquePointer
  private var member: OpaquePointer?

  /// Opens the archive in a seekable file, which must stay open as long as the archive does.
  init(_ file: FileDescriptor, size: UInt64) throws(ZipTrouble) {
    guard cdp_zip_load() == CDP_ZIP_LOADED else {
      throw .libraryMissing(name: unsafe String(cString: cdp_zip_library_name()))
    }
    var error = cdp_zip_error()
    guard
      let opened = unsafe cdp_zip_open(file.rawValue, size, UnzipLimits.directoryBytesMax, &error)
    else { throw ZipTrouble(error) }
    unsafe archive = opened
  }

  deinit {
    unsafe cdp_zip_member_close(member)
    unsafe cdp_zip_close(archive)
  }

  /// Whether a library of this name would do; nil, or what is wrong.
  static func problem(loading name: String) -> ZipTrouble? {
    unsafe cdp_zip_try_loading(name) == CDP_ZIP_LOADED ? nil : .libraryMissing(name: name)
  }

  /// How many entries there are, directories included.
  var count: UInt64 { unsafe cdp_zip_count(archive) }

  /// The bytes of the file that were read so far.
  var bytesRead: UInt64 { unsafe cdp_zip_bytes_read(archive) }

  /// What the directory says about an entry.
  struct Entry {
    var shown: ArchiveEntry
    var method: Int
    var isSupported: Bool
  }

  /// Looks at an entry.
  mutating func entry(_ index: UInt64) throws(ZipTrouble) -> Entry {
    var entry = unsafe cdp_zip_entry()
    var error = cdp_zip_error()
    guard unsafe cdp_zip_entry_at(archive, index, &entry, &error) else { throw ZipTrouble(error) }
    return unsafe Entry(
      shown: ArchiveEntry(
        name: String(cString: entry.name), size: entry.size, compressedSize: entry.compressed_size,
        isEncrypted: entry.is_encrypted),
      method: Int(entry.method), isSupported: entry.is_supported)
  }

  /// Begins to read a member; the one before is closed.
  mutating func open(_ index: UInt64) throws(ZipTrouble) {
    unsafe cdp_zip_member_close(member)
    var error = cdp_zip_error()
    unsafe member = cdp_zip_member_open(archive, index, &error)
    if unsafe member == nil { throw ZipTrouble(error) }
  }

  /// Reads from the open member into the chunk's free room, and returns how many bytes: 0 at its end, once
  /// its checksum was found right.
  mutating func read(into chunk: inout ByteChunk) throws(ZipTrouble) -> Int {
    guard let member = unsafe member else { return 0 }
    return try unsafe chunk.fill { (room) throws(ZipTrouble) in
      guard let start = room.baseAddress, room.count > 0 else { return 0 }
      var error = cdp_zip_error()
      let count = unsafe cdp_zip_member_read(archive, member, start, room.count, &error)
      guard count >= 0 else { throw ZipTrouble(error) }
      return Int(count)
    }
  }
}
