// Downloads files to a folder of their own, where they stay until they are complete, checked and put into place. A
// small body is kept in memory, a large one is written to a file, also in several transfers.

import CallManifest
import Foundation
import Hashing

struct RemoteFile: Equatable, Sendable {
  let name: String
  let bytes: UInt64
  let sha256: String

  init(_ store: Manifest.Store) { (name, bytes, sha256) = (store.name, store.bytes, store.sha256) }

  init(_ delta: Manifest.Delta) { (name, bytes, sha256) = (delta.name, delta.bytes, delta.sha256) }
}

/// Downloads files. `NAME.part` is received, `NAME.part.tag` identifies what it is a part of, and `NAME` is complete.
struct UpdateDownloads {
  /// The suffix of files that are not complete. `UpdateFile` and this file append others to it.
  private static let partSuffix = ".part"
  /// A deflated file may be larger than the file: 5 bytes for 16 KiB, and gzip's header with a name.
  private static func compressedBytesMax(_ bytes: UInt64) -> UInt64 { bytes + bytes / 1024 + 4096 }

  let folder: String
  private let server: URL
  private let encoding: UpdateEncoding
  private let transport: any UpdateTransport
  private let isDurable: Bool
  private(set) var bytesReceived: UInt64 = 0

  init(_ updater: DirectoryUpdater) {
    folder = updater.folder.appendingPathComponent("downloads", isDirectory: true).path
    server = updater.server
    encoding = updater.encoding
    transport = updater.transport
    isDurable = updater.isDurable
  }

  private func path(_ name: String) -> String { folder + "/" + name }

  /// Downloads a small file into memory.
  ///
  /// - Parameter etag: identifies the file that the app has; the server need not send that again.
  mutating func small(_ name: String, bytesMax: Int, unless etag: String? = nil) async throws -> SmallBody {
    try Task.checkCancellation()
    let body = SmallBody(name, bytesMax: bytesMax, isConditional: etag != nil)
    // The system asks for a compressed manifest, and unpacks it: that of many shards has 100 KB and more.
    let headers = etag.map { ["If-None-Match": $0] } ?? [:]
    defer { bytesReceived += UInt64(body.bytes.count) }
    try await transport.get(server.appendingPathComponent(name), headers: headers, body: body)
    return body
  }

  /// Downloads a file, unpacks and checks it, unless that was done before. Returns its path.
  mutating func file(_ file: RemoteFile) async throws -> String {
    let complete = path(file.name)
    if try CheckedFile.matches(complete, file) { return complete }
    let part = complete + Self.partSuffix
    try await transfer(file, to: part)
    try Task.checkCancellation()
    do {
      let unpacked = part + ".new"
      defer { UpdateFile.remove(unpacked) }
      if try GzipFile.isGzip(part) {
        try GzipFile.unpack(part, to: unpacked, file)
        if isDurable { try UpdateFile(unpacked, .reading).sync() }
        try UpdateFile.move(unpacked, to: complete)
      } else {
        // A server that labels compressed files with Content-Encoding sends them unpacked.
        guard try CheckedFile.matches(part, file) else { throw DirectoryUpdateError.damaged(name: file.name) }
        if isDurable { try UpdateFile(part, .reading).sync() }
        try UpdateFile.move(part, to: complete)
      }
    } catch let error as DirectoryUpdateError {
      // The same bytes would fail again. But an update that ran out of space continues with them.
      if case .disk = error { throw error }
      PartBody.remove(part)
      throw error
    }
    PartBody.remove(part)
    return complete
  }

  /// Downloads a file, or the rest of it.
  private mutating func transfer(_ file: RemoteFile, to part: String) async throws {
    let suffix = encoding == .gzip ? ".gz" : ""
    let bytesMax = encoding == .gzip ? Self.compressedBytesMax(file.bytes) : file.bytes
    let url = server.appendingPathComponent(file.name + suffix)
    while true {
      try Task.checkCancellation()
      let body = PartBody(file.name + suffix, path: part, bytesMax: bytesMax)
      defer { bytesReceived += body.received }
      do {
        try await transport.get(url, headers: Self.headers.merging(body.headers) { $1 }, body: body)
        return
      } catch DirectoryUpdateError.refused(_, PartBody.rangeNotSatisfiable) where body.isRest {
        // The part was complete, or is not a part of the file any more. Without it, there is no range.
        PartBody.remove(part)
      } catch let error as DirectoryUpdateError {
        // Larger than it may be: not a file to continue.
        if case .tooLarge = error { PartBody.remove(part) }
        throw error
      }
    }
  }

  /// Creates the folder, and removes files of other versions from it.
  func keepOnly(_ names: Set<String>) throws {
    try UpdateRun.makeFolder(folder, isBackedUp: false)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let ends = name.range(of: Self.partSuffix)?.lowerBound ?? name.endIndex
      if !names.contains(String(name[..<ends])) { UpdateFile.remove(path(name)) }
    }
  }

  /// Removes the folder. Everything in it was put into place.
  func removeAll() { try? FileManager.default.removeItem(atPath: folder) }

  /// The headers for files that may be continued: otherwise, a system asks for compression of its own, and ranges would
  /// be of compressed bytes.
  private static let headers = ["Accept-Encoding": "identity"]
}

final class SmallBody: UpdateBody, @unchecked Sendable {
  private let name: String
  private let bytesMax: Int
  private let isConditional: Bool
  private(set) var bytes: [UInt8] = []
  private(set) var etag: String?
  /// Whether the server has nothing newer than what the request named.
  private(set) var isUnchanged = false

  init(_ name: String, bytesMax: Int, isConditional: Bool) {
    self.name = name
    self.bytesMax = bytesMax
    self.isConditional = isConditional
  }

  func begin(_ response: ServerResponse) throws {
    isUnchanged = isConditional && response.status == 304
    guard response.status == 200 || isUnchanged else {
      throw DirectoryUpdateError.refused(name: name, status: response.status)
    }
    etag = response.header("ETag")
  }

  func append(_ data: Data) throws {
    guard data.count <= bytesMax - bytes.count else { throw DirectoryUpdateError.tooLarge(name: name) }
    bytes.append(contentsOf: data)
  }
}

/// A file that is received in one transfer or several. Beside it is a file with the validator of its first transfer, so
/// that the next one does not continue another file.
final class PartBody: UpdateBody, @unchecked Sendable {
  static let rangeNotSatisfiable = 416

  private let name: String
  private let path: String
  private let bytesMax: UInt64
  /// The bytes of former transfers; 0 once the server sends the whole file.
  private var former: UInt64
  private let validator: String?
  private var file: UpdateFile?
  /// The bytes of this transfer.
  private(set) var received: UInt64 = 0

  private static func validatorPath(_ path: String) -> String { path + ".tag" }

  /// Continues the file at a path if it is known what it is the start of.
  init(_ name: String, path: String, bytesMax: UInt64) {
    self.name = name
    self.path = path
    self.bytesMax = bytesMax
    let tag = UpdateFile.contents(Self.validatorPath(path), bytesMax: Self.validatorBytesMax)
    let size = UpdateFile.size(path) ?? 0
    if let tag, !tag.isEmpty, size > 0, size <= bytesMax {
      former = size
      validator = String(decoding: tag, as: UTF8.self)
    } else {
      former = 0
      validator = nil
    }
  }

  /// Whether the request is for the rest of the file.
  var isRest: Bool { validator != nil }

  /// The headers of the request. The server sends the whole file if the validator is not that of its file.
  var headers: [String: String] {
    guard let validator else { return [:] }
    return ["Range": "bytes=\(former)-", "If-Range": validator]
  }

  func begin(_ response: ServerResponse) throws {
    switch response.status {
    case 200:
      // In this order: a validator never belongs to bytes of another file.
      Self.remove(path)
      former = 0
      file = try UpdateFile(path, .creating)
      if let tag = Self.validator(response) {
        try UpdateFile.replace(Self.validatorPath(path), with: Array(tag.utf8), durably: false)
      }
    case 206 where response.header("Content-Range")?.hasPrefix("bytes \(former)-") == true && isRest:
      file = try UpdateFile(path, .appending)
    default:
      throw DirectoryUpdateError.refused(name: name, status: response.status)
    }
  }

  func append(_ data: Data) throws {
    received += UInt64(data.count)
    guard received <= bytesMax - former else { throw DirectoryUpdateError.tooLarge(name: name) }
    try file?.append(data)
  }

  static func remove(_ path: String) {
    UpdateFile.remove(validatorPath(path))
    UpdateFile.remove(path)
  }

  /// A strong ETag, or a date. A weak ETag does not identify bytes.
  private static func validator(_ response: ServerResponse) -> String? {
    let etag = response.header("ETag").flatMap { $0.hasPrefix("\"") ? $0 : nil }
    guard let tag = etag ?? response.header("Last-Modified"), tag.utf8.count <= validatorBytesMax else {
      return nil
    }
    return tag
  }

  private static let validatorBytesMax = 1024
}
