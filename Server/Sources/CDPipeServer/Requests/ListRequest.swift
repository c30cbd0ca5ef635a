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
  let usage: ClientUsage
  let client: ClientAddress
  /// The event loop of the connection.
  let loop: any EventLoop

  /// The content to send.
  private enum Content {
    case bytes(ByteBuffer)
    case file(OpenFile)

    /// Reads up to `count` bytes, and returns them after all that was written before has reached the connection.
    ///
    /// The writer of a response passes chunks to the event loop and learns only there that the client reads slowly.
    /// Without this wait, it would accept megabytes.
    func chunk(at place: Int, count: Int, _ loop: any EventLoop) async throws -> ByteBuffer {
      switch self {
      case .bytes(let bytes):
        let chunk = bytes.getSlice(at: bytes.readerIndex + place, length: count) ?? ByteBuffer()
        return try await loop.submit { chunk }.get()
      case .file(let file):
        // Disks can be slow, and an event loop's thread must not wait for them.
        return try await NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
          try file.read(at: place, count: count)
        }.get()
      }
    }
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
      return Response(status: .ok, headers: headers, body: try body(resource, 0..<resource.size, request))
    case .part(let part):
      headers[.contentLength] = "\(part.count)"
      headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(resource.size)"
      return Response(status: .partialContent, headers: headers, body: try body(resource, part, request))
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

  /// A file of a kept version. A version's content never changes; only its signature is renewed.
  private func version(_ version: String, _ name: String) throws(RequestError) -> Resource {
    guard ListName.isServed(name) else { throw .noSuchFile }
    let folder: OpenFile
    do throws(FileError) {
      folder = try OpenFile(path: "\(directory)/versions").file(named: version)
    } catch {
      throw Self.reason(error)
    }
    return try file(name, in: folder, nil, isImmutable: name != ListName.signature)
  }

  private func file(
    _ name: String, in folder: OpenFile, _ known: ListedFile?, isImmutable: Bool
  ) throws(RequestError) -> Resource {
    let file: OpenFile
    do throws(FileError) {
      file = try folder.file(named: name)
    } catch {
      throw Self.reason(error)
    }
    guard !file.stamp.isFolder else { throw .noSuchFile }
    let isNamed = known?.bytes == UInt64(file.stamp.size)
    return Resource(
      content: .file(file), size: file.stamp.size,
      tag: known.flatMap { isNamed ? EntityTag.of($0) : nil } ?? EntityTag.of(file.stamp),
      isImmutable: isImmutable || isNamed,
      type: name.hasSuffix(".json") ? "application/json" : "application/octet-stream")
  }

  /// Why a file can't be opened. A file that exists but can't be opened now must not be reported as missing.
  private static func reason(_ error: FileError) -> RequestError {
    switch error.errno {
    case EMFILE, ENFILE, ENOMEM: .busy
    case EIO: .damaged
    default: .noSuchFile
    }
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

  /// Sends a part of a resource in chunks, so that a client that reads slowly needs little memory.
  private func body(
    _ resource: Resource, _ range: Range<Int>, _ request: Request
  ) throws(RequestError) -> ResponseBody {
    guard request.method != .head else { return ResponseBody(contentLength: range.count) { _ in } }
    let reservation = try usage.reserve(min(range.count, ServerLimits.fileBufferBytes), for: client)
    let loop = loop
    return ResponseBody(contentLength: range.count) { writer in
      defer { withExtendedLifetime(reservation) {} }
      var place = range.lowerBound
      while place < range.upperBound {
        let count = min(range.upperBound - place, ServerLimits.fileChunkBytes)
        let chunk = try await resource.content.chunk(at: place, count: count, loop)
        // The file was truncated. The response ends before its declared length, so the client detects it.
        guard chunk.readableBytes > 0 else { throw FileError(errno: EIO) }
        place += chunk.readableBytes
        try await writer.write(chunk)
      }
      try await writer.finish(nil)
    }
  }
}
