// What becomes of a response's body: a small one is kept in memory, a large one is written to a file, also in several
// transfers.

import Foundation

/// A manifest or a signature.
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

  /// Removes the file and its validator.
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
