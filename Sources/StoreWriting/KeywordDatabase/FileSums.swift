// The list of the hashes of files, as sha256sum writes and checks it: `HASH  NAME` in each line.

import Hashing
import SystemIO

/// The hash of a file.
package struct FileSum: Equatable, Sendable {
  /// The number of bytes of a hash.
  package static let hashBytes = Hexadecimal.sha256DigitCount / 2

  /// The file's name.
  package let name: String
  /// The SHA-256 of its bytes.
  package let sha256: [UInt8]

  package init(name: String, sha256: [UInt8]) {
    self.name = name
    self.sha256 = sha256
  }

  /// The line, with its end.
  package var line: [UInt8] { Array("\(Hexadecimal.text(sha256))  \(name)\n".utf8) }

  /// Reads a line without its end; nil if it has another form.
  init?(_ line: ArraySlice<UInt8>) {
    let digits = line.prefix(Hexadecimal.sha256DigitCount)
    let rest = line.dropFirst(Hexadecimal.sha256DigitCount)
    guard let sha256 = Hexadecimal.sha256(String(decoding: digits, as: UTF8.self)),
      rest.starts(with: "  ".utf8), rest.count > 2,
      let name = String(validating: rest.dropFirst(2), as: UTF8.self), !name.contains("/")
    else { return nil }
    self.init(name: name, sha256: sha256)
  }
}

/// Reads a list from front to back, in the memory of one buffer.
package struct FileSums: ~Copyable {
  /// The maximum length of a line in bytes.
  private static let lineBytesMax = 256

  private let path: String
  private let contentID: String
  private var input: InputFile
  private var hasher = SHA256Hasher()
  private var pending: [UInt8] = []
  private var at = 0

  /// Opens a list whose own SHA-256 is known.
  init(_ path: String, contentID: String, calls: any SystemCalls) throws(LookupDirectoryError) {
    do throws(SystemError) {
      input = try InputFile(path, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    self.path = path
    self.contentID = contentID
  }

  /// The next file; nil at the end. Throws ``LookupDirectoryError/invalidSums(path:)`` if a line has another form, and at
  /// the end if the list is another one.
  package mutating func next() throws(LookupDirectoryError) -> FileSum? {
    while true {
      if let end = pending[at...].firstIndex(of: UInt8(ascii: "\n")) {
        guard let sum = FileSum(pending[at..<end]) else { throw .invalidSums(path: path) }
        at = end + 1
        return sum
      }
      pending.removeFirst(at)
      at = 0
      guard pending.count <= Self.lineBytesMax else { throw .invalidSums(path: path) }
      if try fill() { continue }
      guard pending.isEmpty, hasher.hex == contentID else { throw .invalidSums(path: path) }
      return nil
    }
  }

  private mutating func fill() throws(LookupDirectoryError) -> Bool {
    var chunk = ByteChunk()
    do throws(SystemError) {
      guard try input.read(into: &chunk) > 0 else { return false }
    } catch {
      throw .unreadable(error)
    }
    hasher.update(chunk.span)
    pending.append(copying: chunk.span)
    return true
  }
}
