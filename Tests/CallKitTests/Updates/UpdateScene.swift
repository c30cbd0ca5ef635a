// A server that can fail, an app with an updater, and a phone that loads the app's extensions.

import CallDeltaReader
import CallDirectory
import CallDirectoryKit
import CallManifest
import CallStoreReader
import DirectorySimulation
import Foundation
import SimulatedPhone
import StoreSupport
import Synchronization
import TestSupport
import Testing

/// A server's files, as an updater requests them.
final class ListServer: UpdateTransport {
  /// What goes wrong with a response.
  enum ServerError: CaseIterable {
    /// No connection.
    case error
    /// The status 503.
    case busy
    /// The task is cancelled.
    case cancelled
    /// The connection ends in the middle.
    case cut
    /// The body ends in the middle, and looks complete.
    case truncated
    /// The body has a mebibyte more.
    case oversized
    /// A bit of the body is different.
    case altered
  }

  /// A request, and what was sent.
  struct Request: Equatable {
    var name: String
    var status: Int
    var bytes: Int
  }

  private struct ServerFiles {
    var files: [String: [UInt8]] = [:]
    var requests: [Request] = []
    var compressible: Set<String> = []
    var fault: (index: Int, fault: ServerError)?
  }
  private static let pieceBytes = 300
  private let state = Mutex(ServerFiles())

  /// The files by their names.
  var files: [String: [UInt8]] {
    get { state.withLock { $0.files } }
    set { state.withLock { $0.files = newValue } }
  }

  /// The files that were requested in a form that may be compressed on its way.
  var compressible: Set<String> { state.withLock { $0.compressible } }

  /// The requests since the last call of this method, or of `fail`.
  func nextRequests() -> [Request] {
    state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }

  /// Makes the request with an index fail, counted from the next one.
  func fail(at index: Int?, _ error: ServerError = .error) {
    state.withLock { state in
      state.requests = []
      state.fault = index.map { ($0, error) }
    }
  }

  func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
    let name = url.lastPathComponent
    let (file, fault) = state.withLock { state in
      let fault = state.fault.flatMap { $0.index == state.requests.count ? $0.fault : nil }
      state.requests.append(Request(name: name, status: 0, bytes: 0))
      if headers["Accept-Encoding"] == nil { state.compressible.insert(name) }
      return (state.files[name], fault)
    }
    switch fault {
    case .error: throw URLError(.notConnectedToInternet)
    case .cancelled: throw CancellationError()
    case .busy: return try begin(503, [:], body)
    default: break
    }
    guard var bytes = file else { return try begin(404, [:], body) }
    let etag = "\"\(PublishedList.hash(bytes))\""
    if headers["If-None-Match"] == etag { return try begin(304, ["etag": etag], body) }
    if let start = Self.start(headers["Range"]), headers["If-Range"] == etag {
      guard start < bytes.count else { return try begin(416, [:], body) }
      try begin(206, ["Content-Range": "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"], body)
      bytes.removeFirst(start)
    } else {
      try begin(200, ["ETag": etag], body)
    }
    switch fault {
    case .cut, .truncated: bytes.removeLast(bytes.count - bytes.count / 2)
    case .oversized: bytes += [UInt8](repeating: 0x41, count: 1 << 20)
    case .altered: bytes[bytes.count / 2] ^= 1
    default: break
    }
    for at in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
      let piece = bytes[at..<min(at + Self.pieceBytes, bytes.count)]
      state.withLock { $0.requests[$0.requests.count - 1].bytes += piece.count }
      try body.append(Data(piece))
    }
    if fault == .cut { throw URLError(.networkConnectionLost) }
  }

  private func begin(_ status: Int, _ headers: [String: String], _ body: any UpdateBody) throws {
    state.withLock { $0.requests[$0.requests.count - 1].status = status }
    try body.begin(ServerResponse(status: status, headers: headers))
  }

  /// The start of `bytes=N-`.
  private static func start(_ range: String?) -> Int? {
    guard let range, range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
    return Int(range.dropFirst("bytes=".count).dropLast())
  }
}

/// A publisher, its server, and an app.
final class UpdateScene {
  static let shardCount = 2
  static let start: Int64 = 1_000_000

  let list: PublishedList
  let server = ListServer()
  let place: TemporaryDirectory
  var signer: ListSigner?
  var encoding = UpdateEncoding.plain
  var trust: UpdateTrust
  var extensions: Set<Int>? = [1, 2]
  var serial: Int64 = 1
  var now = UpdateScene.start
  /// The number of changes in the extensions' folders after which an update ends; nil for none.
  var changesMax: Int?

  init(signed: Bool = true) throws {
    signer = try ListSigner()
    list = try PublishedList()
    place = try TemporaryDirectory()
    if !signed { signer = nil }
    trust = signer.map { .signed(by: $0.trusted) } ?? .unsigned
  }

  var folder: URL { URL(fileURLWithPath: place / "group") }

  var updater: DirectoryUpdater {
    var updater = DirectoryUpdater(
      server: URL(string: "https://lists.example.com/current/")!, folder: folder, trust: trust,
      extensions: extensions, encoding: encoding, transport: server)
    updater.isDurable = false
    let now = now
    updater.clock = { Date(timeIntervalSince1970: Double(now)) }
    if let changesMax {
      let left = Mutex(changesMax)
      updater.willChange = { _ in
        try left.withLock { left in
          left -= 1
          if left < 0 { throw UpdateEnded() }
        }
      }
    }
    return updater
  }

  /// Publishes a version, signs it, and puts it on the server.
  func publish(
    _ shards: [[TestRecord]], deltasFrom: Int = 1, entriesMax: UInt64 = 1000, bootstrap: [TestRecord]? = nil
  ) throws {
    try list.publish(shards, deltasFrom: deltasFrom, entriesMax: entriesMax, bootstrap: bootstrap)
    try offer()
  }

  /// Signs the current version again, and puts it on the server.
  func offer() throws {
    var files = list.files
    let manifest = try #require(files[Manifest.fileName])
    files[Manifest.fileName] = nil
    if encoding == .gzip {
      files = Dictionary(
        uniqueKeysWithValues: files.map { ($0 + ".gz", StoredGzip.compress($1)) })
    }
    files[Manifest.fileName] = manifest
    if let signer {
      serial += 1
      files[ManifestSignature.fileName] = try signer.signature(
        manifest, serial: serial, expires: now + 1_000)
    }
    server.files = files
  }

  /// The bytes of the store that each extension's files lead to, as `cdpipe apply` makes it.
  func stores() throws -> [Int: [UInt8]] {
    var stores: [Int: [UInt8]] = [:]
    for shard in 1...Self.shardCount { stores[shard] = try applied(files(of: shard)) }
    return stores
  }

  func files(of shard: Int) -> ExtensionFiles {
    ExtensionFiles(folder: DirectoryUpdater.folder(of: shard, in: folder).path)
  }

  /// The store of an extension with its deltas applied, unless they lead to it; nil if there is none.
  private func applied(_ files: ExtensionFiles) throws -> [UInt8]? {
    guard let bytes = PlainFile.read(files.store) else { return nil }
    let hash = try CallStore(path: files.store).contentHash
    guard let first = files.deltas.first, try CallDelta(path: first).header.baselineHash == hash else {
      return bytes
    }
    return try StoreFiles.applying(files.deltas, to: files.store, in: place)
  }

  /// Everything in the app's folder but unfinished downloads.
  func snapshot() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    // Folders have no full stop in their names.
    for name in names where name.contains(".") && !name.hasPrefix("downloads") {
      files[name] = PlainFile.read(place / "group/\(name)")
    }
    return files
  }

  /// Updates, and returns the error; nil if there is none.
  func error() async -> (any Error)? {
    do {
      _ = try await updater.update()
      return nil
    } catch {
      return error
    }
  }
}

/// The app was ended.
struct UpdateEnded: Error {}

/// A phone with the app's extensions.
final class UpdatePhone: Sendable {
  private let phone: SimulatedPhone
  private let completions = Mutex(0)

  init(_ scene: UpdateScene) throws {
    phone = try SimulatedPhone()
    let folder = scene.folder
    for shard in 1...UpdateScene.shardCount {
      // The phone keeps its programs.
      let program = ExtensionProgram.inProcess { [weak self] request in
        if let files = DirectoryUpdater.files(of: shard, in: folder) {
          request.onFailure { _ in files.requestFailed() }
          request.load(files)
        } else {
          _ = request.complete()
        }
        self?.completions.withLock { $0 += 1 }
      }
      try phone.install(Self.name(shard), program)
    }
  }

  static func name(_ shard: Int) -> String { "com.example.app.directory\(shard)" }

  /// Loads an extension's files until everything is loaded.
  func load(_ shard: Int, _ scene: UpdateScene) async throws {
    for _ in 0..<10 {
      let before = completions.withLock { $0 }
      let name = Self.name(shard)
      let outcome = phone.extensionState(name) == .loaded ? phone.load(name) : phone.switchOn(name)
      if let failure = outcome.failure { throw failure }
      // The extension learns shortly after the phone that its request succeeded.
      while completions.withLock({ $0 }) == before { await Task.yield() }
      guard let files = scene.updater.files(of: shard) else { return }
      if try files.progress().isComplete { return }
    }
    Issue.record("extension \(shard) is not loaded after 10 requests")
  }

  /// Expects that an extension has the entries of these records, by their count, and for some numbers one by one.
  func expect(
    _ shard: Int, _ records: [TestRecord], hasBallast: Bool = true, numbers: some Sequence<UInt64>
  ) throws {
    var expected = EntryCounts()
    for record in records + (hasBallast ? PublishedList.ballast(of: shard) : []) {
      let count = Int(record.last - record.first + 1)
      if StoreFiles.isBlocking(record) {
        expected.blocking += count
      } else {
        expected.identification += count
      }
    }
    let name = Self.name(shard)
    let counts = try phone.entryCounts(name)
    #expect(counts == expected)
    for number in numbers where number % PublishedList.boundary != PublishedList.boundary - 1 {
      let record = records.first { $0.first <= number && number <= $0.last }
      let answer: CallAnswer =
        record.map { record in
          StoreFiles.isBlocking(record)
            ? .blocked(by: .extension(name))
            : .identified(label: String(decoding: record.recordFields, as: UTF8.self), by: name)
        } ?? .unknown
      #expect(try phone.answer(IncomingCall(from: "+\(number)")) == answer, "\(number)")
    }
  }
}
