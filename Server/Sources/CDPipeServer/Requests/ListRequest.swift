// Serves the files of published lists: completely, in part, or not at all if the client has them already.
//
// Not for the files' content. Source of the order of conditions: RFC 9110, section 13.2.2.

import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Responds to requests for the files of published lists.
struct ListRequest {
  let lists: NumberLists
  /// The published directory.
  let directory: String

  /// The content to send.
  private enum Content {
    case bytes(ByteBuffer)
    case file(OpenFile)
  }

  private struct Resource {
    var content: Content
    var size: Int
    var tag: String
    /// Whether the name identifies the content, so that it can be cached forever.
    var isImmutable: Bool
    var type: String
  }

  /// Responds to a request for the file at `path`, the part of the URL after `/lists/`.
  func response(_ path: Substring, _ request: Request) throws(RequestError) -> Response {
    let resource = try resource(path)
    var headers: HTTPFields = [
      .eTag: resource.tag,
      .acceptRanges: "bytes",
      .contentType: resource.type,
      .cacheControl: resource.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    ]
    if let tags = request.headers[.ifNoneMatch], Self.has(tags, resource.tag) {
      return Response(status: .notModified, headers: headers)
    }
    var range = ByteRange(request.headers[.range], size: resource.size)
    // If the file has changed, a part of it does not fit the client's copy, so send the whole file.
    if let condition = request.headers[.ifRange], condition != resource.tag { range = .whole }
    switch range {
    case .unsatisfiable: throw .noSuchRange(size: resource.size)
    case .whole:
      headers[.contentLength] = "\(resource.size)"
      return Response(status: .ok, headers: headers, body: Self.body(resource, 0..<resource.size))
    case .part(let part):
      headers[.contentLength] = "\(part.count)"
      headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(resource.size)"
      return Response(status: .partialContent, headers: headers, body: Self.body(resource, part))
    }
  }

  // MARK: Finding the file

  /// `NAME`, or `versions/ID/NAME`. No file matches any other path.
  private func resource(_ path: Substring) throws(RequestError) -> Resource {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return try current(String(parts[0]))
    case 3 where parts[0] == "versions" && ListName.isPlain(parts[1]):
      return try version(String(parts[1]), String(parts[2]))
    default: throw .noSuchFile
    }
  }

  private func current(_ name: String) throws(RequestError) -> Resource {
    guard ListName.isServed(name) else { throw .noSuchFile }
    if name == NumberLists.manifestName {
      return Resource(
        content: .bytes(lists.manifestBytes), size: lists.manifestBytes.readableBytes, tag: lists.manifestTag,
        isImmutable: false, type: "application/json")
    }
    return try file(name, in: lists.folder, lists.filesByName[name], isImmutable: false)
  }

  /// A file of a kept version. A version's content never changes.
  private func version(_ version: String, _ name: String) throws(RequestError) -> Resource {
    guard ListName.isServed(name) else { throw .noSuchFile }
    let folder: OpenFile
    do throws(FileError) {
      folder = try OpenFile(path: "\(directory)/versions").file(named: version)
    } catch {
      throw .noSuchFile
    }
    return try file(name, in: folder, nil, isImmutable: true)
  }

  private func file(
    _ name: String, in folder: OpenFile, _ known: ListedFile?, isImmutable: Bool
  ) throws(RequestError) -> Resource {
    let file: OpenFile
    do throws(FileError) {
      file = try folder.file(named: name)
    } catch {
      throw .noSuchFile
    }
    guard !file.stamp.isFolder else { throw .noSuchFile }
    let isNamed = known?.bytes == UInt64(file.stamp.size)
    return Resource(
      content: .file(file), size: file.stamp.size,
      tag: known.flatMap { isNamed ? EntityTag.of($0) : nil } ?? EntityTag.of(file.stamp),
      isImmutable: isImmutable || isNamed,
      type: name.hasSuffix(".json") ? "application/json" : "application/octet-stream")
  }

  // MARK: Conditions and bodies

  /// Whether a list of entity tags contains a tag; weak tags match, too (RFC 9110, section 13.1.2).
  private static func has(_ list: String, _ tag: String) -> Bool {
    list.split(separator: ",").contains { item in
      let item = item.drop { $0 == " " || $0 == "\t" }
      let plain = item.hasPrefix("W/") ? item.dropFirst(2) : item
      return plain.prefix { $0 != " " && $0 != "\t" } == tag || plain == "*"
    }
  }

  private static func body(_ resource: Resource, _ range: Range<Int>) -> ResponseBody {
    switch resource.content {
    case .bytes(let bytes):
      let start = bytes.readerIndex + range.lowerBound
      return ResponseBody(byteBuffer: bytes.getSlice(at: start, length: range.count) ?? ByteBuffer())
    case .file(let file):
      return ResponseBody(contentLength: range.count) { writer in
        var place = range.lowerBound
        while place < range.upperBound {
          let from = place
          let count = min(range.upperBound - place, ServerLimits.fileChunkBytes)
          // Disks can be slow, and an event loop's thread must not wait for them.
          let chunk = try await NIOThreadPool.singleton.runIfActive {
            try file.read(at: from, count: count)
          }
          // The file was truncated. The response ends before its declared length, so the client detects it.
          guard chunk.readableBytes > 0 else { throw FileError(errno: EIO) }
          place += chunk.readableBytes
          try await writer.write(chunk)
        }
        try await writer.finish(nil)
      }
    }
  }
}
