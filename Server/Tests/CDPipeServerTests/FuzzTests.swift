// Many random requests, most of them invalid, through all routes of the server.
//
// CDPIPE_FUZZ_REQUESTS sets their number, CDPIPE_FUZZ_SEED the seed.

import CDPipeServer
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// SplitMix64.
private struct Random: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

/// Random requests, derived from valid ones.
private struct Requests {
  var random: Random

  private static let methods: [HTTPRequest.Method] = [
    .post, .post, .post, .get, .get, .head, .put, .delete, .options,
  ]
  private static let paths = [
    "/message-filter", "/message-filter?country=CN", "/lookup/1001", "/lookup/1004", "/lists/manifest.json",
    "/lists/versions/one/manifest.json", "/.well-known/apple-app-site-association", "/healthz", "/readyz",
    "/metrics",
  ]
  private static let fields: [(name: HTTPField.Name, value: String)] = [
    (.contentType, "application/json"), (.range, "bytes=0-3"), (.range, "bytes=-7"), (.ifNoneMatch, "*"),
    (.ifRange, "\"x\""), (.contentLength, "90"), (.contentEncoding, "identity"),
  ]
  private static let bodies = [
    #"{"_version":1,"query":{"sender":"14085550001","message":{"text":"casino"}},"app":{"version":"1.1"}}"#,
    #"{"query":{"message":{"text":"\u6fb3\u95e8 casino ① １２３"},"sender":"+86 138-0013-8000"}}"#,
    #"{"query":{"message":{"text":"https://example.com/?a=b"},"sender":null}}"#,
  ]
  private static let pieces = [
    "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "\\ud800", "null", "true", "-1e999", "0", "query",
    "sender",
    "message", "text", "_version", "casino", "澳门", "\u{0}", "\u{FEFF}", "\u{202E}", "e\u{301}", "..", "/",
    "%2e", "%00",
    "?", "#", "bytes=", "-", "*", "W/", " ",
  ]

  mutating func next() -> (HTTPRequest.Method, String, HTTPFields, ByteBuffer) {
    let asked = Self.paths.randomElement(using: &random) ?? ""
    let fitting: HTTPRequest.Method = asked.hasPrefix("/message-filter") ? .post : .get
    let method = chance(6) ? Self.methods.randomElement(using: &random) ?? .get : fitting
    let path = String(decoding: mutated(asked, 6), as: UTF8.self)
    var headers: HTTPFields = [:]
    for (name, good) in Self.fields where chance(12) {
      let value = String(decoding: mutated(good, 2), as: UTF8.self)
      headers[name] = String(value.unicodeScalars.filter { $0.value >= 32 && $0.value < 127 })
    }
    var body = mutated(Self.bodies.randomElement(using: &random) ?? "", 2)
    // More than the server reads.
    if chance(2_000) { body += repeatElement(0x20, count: 200_000) }
    return (method, path, headers, ByteBuffer(bytes: body))
  }

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  /// A text unchanged or, once in `often`, with some bytes changed, removed, doubled or inserted.
  private mutating func mutated(_ text: String, _ often: Int) -> [UInt8] {
    var bytes = Array(text.utf8)
    guard chance(often) else { return bytes }
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1 where place < bytes.count: bytes.remove(at: place)
      case 2: bytes.removeSubrange(place...)
      case 3: bytes.insert(contentsOf: bytes[place...].prefix(64), at: place)
      case 4:
        let count = Int.random(in: 0...2_000, using: &random)
        bytes.insert(
          contentsOf: repeatElement(UInt8.random(in: 32...127, using: &random), count: count), at: place)
      default:
        bytes.insert(contentsOf: Array((Self.pieces.randomElement(using: &random) ?? "").utf8), at: place)
      }
    }
    return bytes
  }
}

@Suite("Made-up requests")
struct FuzzTests {
  @Test(
    "every request gets an expected status, and valid requests among them are still served")
  func requests() async throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["CDPIPE_FUZZ_REQUESTS"].flatMap { Int($0) } ?? 20_000
    let seed = environment["CDPIPE_FUZZ_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    let folder = try Folder()
    let rules = folder.path("rules.cdrules")
    try cdpipe("rules", "compile", conformance.appendingPathComponent("rules.yaml").path, "-o", rules)
    let list = try folder.write("1001\tspam\n1003..1005\tfraud\n", "list.tsv")
    try cdpipe("emit", "--format", "store", "-o", folder.path("lists"), list)
    var settings = ServerSettings()
    settings.rules = rules
    settings.lists = folder.path("lists")
    settings.limits.requestsPerSecond = 0
    let server = try TestServer(settings)
    var requests = Requests(random: Random(state: seed))
    var statuses: [Int: Int] = [:]
    let known: Set = [200, 206, 304, 400, 404, 405, 413, 415, 416]
    for number in 0..<count {
      let (method, path, headers, body) = requests.next()
      let answer = try await server.ask(method, path, headers, body)
      statuses[answer.status, default: 0] += 1
      // An error states its reason in JSON, if the answer may have a body.
      let isRight = method == .head ? answer.body.isEmpty : answer.status < 400 || answer.code != nil
      if !known.contains(answer.status) || !isRight {
        Issue.record("seed \(seed), request \(number): \(method) \(path): \(answer.status) \(answer.body)")
        return
      }
      if number % 1_000 == 0 {
        let good = try await server.filter("14085550001", "hello")
        #expect(good.status == 200, "seed \(seed), after request \(number)")
      }
    }
    // The requests reach every route, not only the first check.
    #expect(statuses[200, default: 0] > count / 5, "seed \(seed): \(statuses)")
    for status in [206, 304, 400, 404, 405, 415] {
      #expect(statuses[status, default: 0] > count / 1_000, "seed \(seed): \(statuses)")
    }
    if count >= 1_000_000 { print("\(count) requests, seed \(seed): \(statuses.sorted { $0.key < $1.key })") }
  }
}
