// The metadata of a body that is kept on disk: a small text file next to the body.
//
//     cdpipe-download 1
//     url: https://example.org/marked.zip
//     from: https://cdn.example.org/7/marked.zip
//     etag: "5e9f-60a1"
//     last-modified: Sat, 07 Nov 2026 03:12:00 GMT
//     body: 0f3a…-9c51….body
//     length: 173461
//     sha256: …
//
// The hash comes last, so that a truncated file is invalid. Unknown lines are ignored.

import Hashing
import SystemIO
import SystemPackage

/// The metadata of a stored body.
struct BodyMetadata: Equatable {
  /// The requested URL.
  var url: String
  /// The URL that answered, after all redirects.
  var from: String
  var validators = Validators()
  /// The name of the body's file in the same directory; empty for a part, which has a fixed name.
  var body = ""
  /// The number of bytes stored.
  var length: UInt64 = 0
  /// For a part, the length of the whole body, if known.
  var total: UInt64?
  /// The SHA-256 of the bytes stored.
  var sha256 = ""

  private static let firstLine = "cdpipe-download 1"
  /// The maximum size in bytes: a few lines, each with the content of one HTTP header.
  private static let bytesMax = 64 * 1024

  /// The content of the file.
  var text: String {
    var lines = [Self.firstLine, "url: \(url)", "from: \(from)"]
    if let etag = validators.etag { lines.append("etag: \(etag)") }
    if let date = validators.lastModified { lines.append("last-modified: \(date)") }
    if validators.isDateStrong { lines.append("date-is-strong: yes") }
    if !body.isEmpty { lines.append("body: \(body)") }
    if let total { lines.append("total: \(total)") }
    lines += ["length: \(length)", "sha256: \(sha256)"]
    return lines.joined(separator: "\n") + "\n"
  }

  init(url: String, from: String) {
    self.url = url
    self.from = from
  }

  /// Parses the content of a file; nil if it is invalid.
  init?(text: String) {
    var fields: [Substring: String] = [:]
    let lines = text.split(separator: "\n")
    guard let first = lines.first, first == Self.firstLine, text.hasSuffix("\n") else { return nil }
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      fields[line[..<colon]] = String(line[colon...].dropFirst(2))
    }
    guard let url = fields["url"], let from = fields["from"],
      let length = fields["length"].flatMap({ UInt64($0) }),
      let sha256 = fields["sha256"].flatMap({ Hexadecimal.normalizedSHA256($0) })
    else { return nil }
    self.url = url
    self.from = from
    self.length = length
    self.sha256 = sha256
    if let etag = fields["etag"] {
      guard Validators.isETag(etag) else { return nil }
      validators.etag = etag
    }
    validators.lastModified = fields["last-modified"]
    validators.isDateStrong = fields["date-is-strong"] == "yes"
    body = fields["body"] ?? ""
    // The name must not leave the directory.
    guard !body.contains("/"), !body.utf8.contains(0) else { return nil }
    if let text = fields["total"] {
      guard let total = UInt64(text), total >= length else { return nil }
      self.total = total
    }
  }

  /// Reads a file; nil if it is missing or invalid.
  init?(at path: String, calls: any SystemCalls) {
    guard var file = try? InputFile(path, calls: calls), let size = file.size, size <= Self.bytesMax else {
      return nil
    }
    var chunk = ByteChunk(capacity: Self.bytesMax)
    while chunk.freeCapacity > 0, let count = try? file.read(into: &chunk), count > 0 {}
    guard let text = String(validating: [UInt8](copying: chunk.span), as: UTF8.self) else { return nil }
    self.init(text: text)
  }

  /// Writes the file atomically. Only the owner may read it: a URL may be a secret.
  func write(to path: String, calls: any SystemCalls) throws(SystemError) {
    let temporary = BodyFile.temporaryName(beside: path)
    let ticket = UnpublishedFiles.shared.add(FilePath(temporary), calls: calls)
    defer { UnpublishedFiles.shared.remove(ticket) }
    do throws(Errno) {
      let file = try calls.open(
        FilePath(temporary), .writeOnly, [.create, .exclusiveCreate], [.ownerReadWrite])
      do throws(Errno) {
        defer { try? calls.close(file) }
        try calls.writeAll(file, Array(text.utf8).span)
      } catch {
        try? calls.unlink(FilePath(temporary))
        throw error
      }
      do throws(Errno) {
        // Not synced: metadata that is lost or wrong after a crash only costs a download, since the hash is checked.
        try calls.rename(FilePath(temporary), to: FilePath(path))
      } catch {
        try? calls.unlink(FilePath(temporary))
        throw error
      }
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
  }
}
