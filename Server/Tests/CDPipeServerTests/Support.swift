// A site with test rules and lists, and requests to it without a network.

import CDPipeServer
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

/// The checkout.
let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

/// The folder of the conformance table.
let conformance = checkout.appendingPathComponent("Tests/MessageRulesTests/Conformance")

/// A folder that is removed when the test ends.
final class Folder: Sendable {
  let url: URL
  var path: String { url.path }

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  @discardableResult
  func write(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}

/// Runs the release program of the main package; the test fails if the program fails.
func cdpipe(_ arguments: String...) throws {
  let program =
    ProcessInfo.processInfo.environment["CDPIPE_BINARY"]
    ?? checkout.appendingPathComponent(".build/release/cdpipe").path
  let process = Process()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  try process.run()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0, "cdpipe \(arguments)")
}

/// Renames a file or a link over another one.
func replace(_ path: String, by next: String) throws {
  let renamed = unsafe rename(next, path)
  try #require(renamed == 0)
}

/// Compiles rules into a file that is renamed into place.
func compile(_ rules: String, to path: String) throws {
  let folder = try Folder()
  let file = try folder.write(rules, "rules.yaml")
  try cdpipe("rules", "compile", file, "-o", path)
}

/// Rules with one named rule, which matches the word 'casino'.
func casinoRules(_ name: String, action: String = "junk") -> String {
  "rules:\n  - { name: '\(name)', action: \(action), when: { body: { contains: [casino] } } }\n"
}

/// An answer of the server.
struct Answer: Equatable {
  var status: Int
  var headers: HTTPFields
  var body: String
  /// The error code in an error answer.
  var code: String? {
    (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])?["error"] as? String
  }
}

/// A server without a network.
struct TestServer: Sendable {
  let responder: SiteResponder
  let site: Site
  let metrics = ServerMetrics()
  let usage: ClientUsage
  let watcher: Watcher
  private let channel = NIOAsyncTestingChannel()

  init(_ settings: ServerSettings) throws {
    site = try Site(settings)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    usage = ClientUsage(settings.limits)
    responder = SiteResponder(site, metrics, usage, logger) { "\($0)" }
    watcher = Watcher(site: site, metrics: metrics, logger: logger) { "\($0)" }
    channel.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
  }

  init(rules: String) throws {
    var settings = ServerSettings()
    settings.rules = rules
    settings.limits.requestsPerSecond = 0
    try self.init(settings)
  }

  func ask(
    _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], _ body: String = ""
  ) async throws -> Answer {
    try await ask(method, path, headers, ByteBuffer(string: body))
  }

  func ask(
    _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields, _ body: ByteBuffer
  ) async throws -> Answer {
    let response = try await respond(method, path, headers, body)
    let collected = Collected()
    try await response.body.write(collected)
    return Answer(
      status: response.status.code, headers: response.headers, body: String(buffer: collected.bytes))
  }

  /// Sends a request and returns the response before its body is read.
  func respond(
    _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:],
    _ body: ByteBuffer = ByteBuffer()
  ) async throws -> Response {
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "test", path: path, headerFields: headers)
    let request = Request(head: head, body: RequestBody(buffer: body))
    let context = ClientContext(
      source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test")))
    return try await responder.respond(to: request, context: context)
  }

  /// Sends a query as iOS does.
  func filter(_ sender: String, _ text: String, country: String? = nil) async throws -> Answer {
    let query = Query(
      _version: 1, query: .init(sender: sender, message: .init(text: text)), app: .init(version: "1.1"))
    let body = String(decoding: try JSONEncoder().encode(query), as: UTF8.self)
    let path = "/message-filter" + (country.map { "?country=\($0)" } ?? "")
    return try await ask(.post, path, [.contentType: "application/json; charset=utf-8"], body)
  }
}

/// The body that iOS sends.
struct Query: Encodable {
  struct Inner: Encodable {
    struct Message: Encodable { var text: String }
    var sender: String
    var message: Message
  }
  struct App: Encodable { var version: String }
  // The name in Apple's protocol.
  // swift-format-ignore: NoLeadingUnderscores
  var _version: Int
  var query: Inner
  var app: App
}

/// Collects a body's bytes.
final class Collected: ResponseBodyWriter {
  var bytes = ByteBuffer()
  func write(_ buffer: ByteBuffer) async throws { bytes.writeImmutableBuffer(buffer) }
  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
