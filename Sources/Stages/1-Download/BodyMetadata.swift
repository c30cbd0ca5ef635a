// What is known of a body that is kept on disk: a small text file beside it.
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
// The hash comes last, so that a file that was cut off is none. Unknown lines are passed over.

import ContentHash
import SystemIO
import SystemPackage

/// What is known of a body that is kept.
struct BodyMetadata: Equatable {
  /// The URL that was asked for.
  var url: String
  /// The URL that answered, behind all redirects.
  var from: String
  var validators = Validators()
  /// The name of the body's file in the same directory; empty for a part, which has one name.
  var body = ""
  /// How many bytes there are.
  var length: UInt64 = 0
  /// Of how many, for a part, if that is known.
  var total: UInt64?
  /// Of the bytes that are there.
  var sha256 = ""

  private static let firstLine = "cdpipe-download 1"
  /// A few lines of which each came in one line of HTTP.
  private static let bytesMax = 64 * 1024

  /// The file's text.
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

  /// Reads a file's text; nil if it is damaged or no record of ours.
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
    // A name in the same directory, and no way out of it.
    guard !body.contains("/"), !body.utf8.contains(0) else { return nil }
    if let text = fields["total"] {
      guard let total = UInt64(text), total >= length else { return nil }
      self.total = total
    }
  }

  /// Reads a record; nil if there is none, or none that is whole.
  init?(at path: String, calls: any SystemCalls) {
    guard var file = try? InputFile(path, calls: calls), let size = file.size, size <= Self.bytesMax else {
      return nil
    }
    var chunk = ByteChunk(capacity: Self.bytesMax)
    while chunk.freeCapacity > 0, let count = try? file.read(into: &chunk), count > 0 {}
    guard let text = String(validating: [UInt8](copying: chunk.span), as: UTF8.self) else { return nil }
    self.init(text: text)
  }

  /// Puts the record in place of what stands there. Only the owner may read it: a URL may be a secret.
  func write(to path: String, calls: any SystemCalls) throws(SystemError) {
    let beside = BodyFile.temporaryName(beside: path)
    let ticket = UnpublishedFiles.shared.add(FilePath(beside))
    defer { UnpublishedFiles.shared.remove(ticket) }
    do throws(Errno) {
      let file = try calls.open(
        FilePath(beside), .writeOnly, [.create, .exclusiveCreate], [.ownerReadWrite])
      do throws(Errno) {
        defer { try? calls.close(file) }
        try calls.writeAll(file, Array(text.utf8).span)
      } catch {
        try? calls.unlink(FilePath(beside))
        throw error
      }
      do throws(Errno) {
        // Not synced: a record that is lost or wrong after a crash costs a download, since its hash tells.
        try calls.rename(FilePath(beside), to: FilePath(path))
      } catch {
        try? calls.unlink(FilePath(beside))
        throw error
      }
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
  }
}
