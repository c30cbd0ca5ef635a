// Message queries: those of iOS, invalid ones, and the conformance table of message rules.

import CDPipeServer
import Foundation
import HTTPTypes
import Testing

@Suite("Message queries")
struct MessageFilterTests {
  private struct ConformanceRow: Decodable {
    var sender: String
    var text: String
    var country: String
    var action: String
    var rule: String
  }

  private struct Verdict: Decodable {
    var action: String
    var subAction: String
    var rule: String?
  }

  private static func conformanceServer() throws -> (TestServer, Folder) {
    let folder = try Folder()
    let rules = folder.path("rules.cdrules")
    try cdpipe("rules", "compile", conformance.appendingPathComponent("rules.yaml").path, "-o", rules)
    return (try TestServer(rules: rules), folder)
  }

  @Test("every message of the conformance table gets its action and rule")
  func table() async throws {
    let (server, folder) = try Self.conformanceServer()
    let text = try String(
      contentsOf: conformance.appendingPathComponent("messages.jsonl"), encoding: .utf8)
    let rows = try text.split(separator: "\n").map {
      try JSONDecoder().decode(ConformanceRow.self, from: Data($0.utf8))
    }
    #expect(rows.count >= 150)
    for row in rows {
      let answer = try await server.filter(row.sender, row.text, country: row.country)
      try #require(answer.status == 200, "\(row)")
      let verdict = try JSONDecoder().decode(Verdict.self, from: Data(answer.body.utf8))
      #expect(verdict.action == row.action && verdict.rule ?? "" == row.rule, "\(row) \(answer.body)")
    }
    #expect(server.metrics.text(server.site).contains("cdpipe_server_messages_total{action=\"junk\"}"))
    withExtendedLifetime(folder) {}
  }

  private static func server() throws -> (TestServer, Folder) {
    let folder = try Folder()
    try compile(casinoRules("say \"no\""), to: folder.path("rules.cdrules"))
    return (try TestServer(rules: folder.path("rules.cdrules")), folder)
  }

  @Test(
    "order, white space and unknown fields do not matter",
    arguments: [
      #"{"_version":1,"query":{"sender":"14085550001","message":{"text":"casino"}},"app":{"version":"1.1"}}"#,
      "{\n  \"app\" : {\"version\":\"1.1\"},\r\n\t\"query\":{ \"message\":{ \"text\":\"casino\" } ,\"sender\":\"x\" }}\n",
      #"{"new":[1,{"a":null}],"query":{"sender":"","x":1,"message":{"y":{},"text":"Ｃａｓｉｎｏ"}}}"#,
      #"{"query":{"sender":"1","message":{"text":"\u0063asino \ud83c\udfb0"}},"app":7}"#,
    ])
  func forms(body: String) async throws {
    let (server, folder) = try Self.server()
    let answer = try await server.ask(
      .post, "/message-filter", [.contentType: "application/json; charset=utf-8"], body)
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
    #expect(answer.body == #"{"action":"junk","subAction":"none","rule":"say \"no\""}"#)
    withExtendedLifetime(folder) {}
  }

  @Test("a message that no rule matches is left undecided")
  func undecided() async throws {
    let (server, folder) = try Self.server()
    let answer = try await server.filter("14085550001", "hello")
    #expect(answer.body == #"{"action":"none","subAction":"none"}"#)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "an invalid query gets an error that names what is missing and repeats none of its text",
    arguments: [
      ("", "not-json"), ("secret", "not-json"), ("{\"query\":", "not-json"), ("\u{FEFF}", "not-json"),
      ("[]", "wrong-type"), ("7", "wrong-type"), ("null", "wrong-type"), ("{}", "missing-field"),
      (#"{"query":{}}"#, "missing-field"), (#"{"query":7}"#, "wrong-type"),
      (#"{"query":{"sender":"secret"}}"#, "missing-field"),
      (#"{"query":{"message":{"text":"secret"}}}"#, "missing-field"),
      (#"{"query":{"sender":7,"message":{"text":"secret"}}}"#, "wrong-type"),
      (#"{"query":{"sender":"1","message":"secret"}}"#, "wrong-type"),
      (#"{"query":{"sender":"1","message":{}}}"#, "missing-field"),
      (#"{"query":{"sender":"1","message":{"text":["secret"]}}}"#, "wrong-type"),
      (#"{"_version":2,"query":{"sender":"1","message":{"text":"secret"}}}"#, "unknown-version"),
      (#"{"_version":"1","query":{"sender":"1","message":{"text":"secret"}}}"#, "wrong-type"),
    ])
  func wrong(body: String, code: String) async throws {
    let (server, folder) = try Self.server()
    let answer = try await server.ask(.post, "/message-filter", [:], body)
    #expect(answer.status == 400)
    #expect(answer.code == code)
    #expect(!answer.body.contains("secret"))
    withExtendedLifetime(folder) {}
  }

  @Test("a body that nests too deeply is rejected")
  func deep() async throws {
    let (server, folder) = try Self.server()
    for piece in ["[", "{\"query\":"] {
      let body = String(repeating: piece, count: 10_000)
      #expect(try await server.ask(.post, "/message-filter", [:], body).code == "not-json")
    }
    withExtendedLifetime(folder) {}
  }

  @Test("a body that is too large, compressed or of another type, and another method, are refused")
  func refused() async throws {
    let (server, folder) = try Self.server()
    let text = String(repeating: "x", count: 200_000)
    let large = try await server.filter("1", text)
    #expect(large.status == 413 && large.code == "body-too-large")
    #expect(large.headers[.connection] == "close")
    let announced = try await server.ask(.post, "/message-filter", [.contentLength: "99999999"], "{}")
    #expect(announced.status == 413)
    let type = try await server.ask(.post, "/message-filter", [.contentType: "text/plain"], "{}")
    #expect(type.status == 415)
    let packed = try await server.ask(.post, "/message-filter", [.contentEncoding: "gzip"], "{}")
    #expect(packed.status == 415)
    let method = try await server.ask(.get, "/message-filter")
    #expect(method.status == 405 && method.headers[.allow] == "POST")
    let country = try await server.filter("1", "x", country: "C%4E")
    #expect(country.status == 400 && country.code == "bad-country")
    let nowhere = try await server.filter("1", "x", country: "ZZ")
    #expect(nowhere.status == 400 && nowhere.code == "bad-country")
    withExtendedLifetime(folder) {}
  }

  @Test("the receiver's country is the one in the query's URL, or the server's")
  func country() async throws {
    let folder = try Folder()
    try compile(
      "rules:\n  - { name: korea, action: junk, when: { receiver: { country: KR } } }\n",
      to: folder.path("rules.cdrules"))
    var settings = ServerSettings()
    settings.rules = folder.path("rules.cdrules")
    settings.receiver = "KR"
    let server = try TestServer(settings)
    #expect(try await server.filter("1", "x").body.contains("korea"))
    #expect(try await server.filter("1", "x", country: "kr").body.contains("korea"))
    #expect(try await !server.filter("1", "x", country: "CN").body.contains("korea"))
  }

  @Test("rules match senders in the stores that they name")
  func stores() async throws {
    let folder = try Folder()
    let list = try folder.write("8613800138000\tspam\n", "list.tsv")
    try cdpipe("emit", "-o", folder.path("senders.cdstore"), list)
    let file = try folder.write(
      "rules:\n  - { name: known, action: junk, when: { sender: { store: senders.cdstore } } }\n",
      "rules.yaml")
    try cdpipe("rules", "compile", file, "-o", folder.path("rules.cdrules"))
    let server = try TestServer(rules: folder.path("rules.cdrules"))
    #expect(try await server.filter("+8613800138000", "x").body.contains("known"))
    #expect(try await !server.filter("+8613800138001", "x").body.contains("known"))
    // A replaced store is detected although the rule file has not changed.
    let other = try folder.write("8613800138001\tspam\n", "other.tsv")
    try cdpipe("emit", "-o", folder.path("senders.cdstore"), other)
    try await server.watcher.look()
    #expect(try await server.filter("+8613800138001", "x").body.contains("known"))
  }
}
