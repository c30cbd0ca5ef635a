// Unpacks downloaded gzip files in pieces, up to the size in the manifest, and checks files against their hash.

import Foundation
import zlib

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

enum Unpacking {
  /// The size of the pieces that are in memory at a time, in bytes.
  private static let pieceBytes = 256 << 10

  /// Unpacks a gzip file into another. Throws `UpdateError` if it is not a gzip file or contains more than `bytes`.
  static func gunzip(_ source: URL, to target: URL, name: String, bytes: UInt64) throws {
    let input = try FileHandle(forReadingFrom: source)
    defer { try? input.close() }
    try Data().write(to: target)
    let output = try FileHandle(forWritingTo: target)
    defer { try? output.close() }
    var stream = z_stream()
    // 31 = a window of 15 bits, plus 16 for the gzip format.
    guard inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw UpdateError.damaged(name: name)
    }
    defer { inflateEnd(&stream) }
    var buffer = [UInt8](repeating: 0, count: pieceBytes)
    var written: UInt64 = 0
    var status = Z_OK
    while status != Z_STREAM_END, var piece = try input.read(upToCount: pieceBytes), !piece.isEmpty {
      let count = piece.count
      var used = 0
      while used < count || stream.avail_out == 0, status == Z_OK {
        let made = piece.withUnsafeMutableBytes { bytes in
          buffer.withUnsafeMutableBytes { buffer -> Int in
            stream.next_in = bytes.bindMemory(to: UInt8.self).baseAddress.map { $0 + used }
            stream.avail_in = UInt32(count - used)
            stream.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
            stream.avail_out = UInt32(buffer.count)
            status = inflate(&stream, Z_NO_FLUSH)
            used = count - Int(stream.avail_in)
            return buffer.count - Int(stream.avail_out)
          }
        }
        // Z_BUF_ERROR without output means that inflate needs more input.
        if status == Z_BUF_ERROR, made == 0 {
          status = Z_OK
          break
        }
        guard status == Z_OK || status == Z_STREAM_END else { throw UpdateError.damaged(name: name) }
        written += UInt64(made)
        guard written <= bytes else { throw UpdateError.tooLarge(name: name) }
        try output.write(contentsOf: buffer[..<made])
      }
    }
    guard status == Z_STREAM_END else { throw UpdateError.damaged(name: name) }
  }

  /// Whether a file has the size and SHA-256 of the manifest.
  static func matches(_ url: URL, _ file: RemoteFile) throws -> Bool {
    let input = try FileHandle(forReadingFrom: url)
    defer { try? input.close() }
    var hash = SHA256()
    var bytes: UInt64 = 0
    while let piece = try input.read(upToCount: pieceBytes), !piece.isEmpty {
      hash.update(data: piece)
      bytes += UInt64(piece.count)
      if bytes > file.bytes { return false }
    }
    let digest = hash.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return bytes == file.bytes && digest == file.sha256
  }
}
