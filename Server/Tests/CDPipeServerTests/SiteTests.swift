// The server's own routes, rates, and rules that change while requests are answered.

import CDPipeServer
import Foundation
import HTTPTypes
import MessageRules
import Testing

@Suite("Site")
struct SiteTests {
  private static func settings() throws -> (ServerSettings, Folder) {
    let folder = try Folder()
    try compile(casinoRules("first"), to: folder.path("rules.cdrules"))
    var settings = ServerSettings()
    settings.rules = folder.path("rules.cdrules")
    return (settings, folder)
  }

  @Test("health, readiness, association, unknown paths and methods")
  func routes() async throws {
    var (settings, folder) = try Self.settings()
    let bare = try TestServer(settings)
    #expect(try await bare.ask(.get, "/.well-known/apple-app-site-association").code == "not-served")
    settings.siteAssociation = #"{"messagefilter":{"apps":["TEAM.app"]}}"#
    let server = try TestServer(settings)
    #expect(try await server.ask(.get, "/healthz").body == "ok\n")
    #expect(try await server.ask(.get, "/readyz").body == "{\"ready\":true,\"rules\":1}\n")
    let association = try await server.ask(.get, "/.well-known/apple-app-site-association")
    #expect(association.status == 200 && association.body == settings.siteAssociation)
    #expect(association.headers[.contentType] == "application/json")
    for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/nothing", 404), ("/message-filter", 405)] {
      let head = try await server.ask(.head, path)
      #expect(head.status == status && head.body.isEmpty && head.headers[.contentLength] != "0", "\(path)")
    }
    for path in [
      "/", "", "/nothing", "/message-filter/", "/healthz/x", "/lists", "//healthz", "/HEALTHZ", "*",
    ] {
      #expect(try await server.ask(.get, path).code == "no-such-path", "\(path)")
    }
    for method in [HTTPRequest.Method.put, .delete, .options, .trace, .patch, .connect, .post] {
      let answer = try await server.ask(method, "/healthz")
      #expect(answer.status == 405 && answer.headers[.allow] == "GET, HEAD", "\(method)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test("metrics are served only to the clients that the settings allow")
  func metrics() async throws {
    var (settings, folder) = try Self.settings()
    let local = try TestServer(settings)
    _ = try await local.filter("1", "casino")
    _ = try await local.ask(.get, "/nothing")
    let text = try await local.ask(.get, "/metrics")
    #expect(text.status == 200 && text.headers[.contentType]?.hasPrefix("text/plain; version=0.0.4") == true)
    #expect(text.body.contains("cdpipe_server_messages_total{action=\"junk\"} 1\n"))
    #expect(text.body.contains("cdpipe_server_requests_total{route=\"message-filter\",status=\"200\"} 1\n"))
    #expect(text.body.contains("cdpipe_server_requests_total{route=\"unknown\",status=\"404\"} 1\n"))
    #expect(text.body.contains("cdpipe_server_request_seconds_count 2\n"))
    // Every line is a comment or a sample, as Prometheus reads them.
    let sample = /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+/
    for line in text.body.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: sample) != nil, "\(line)")
    }
    settings.metrics = .none
    #expect(try await TestServer(settings).ask(.get, "/metrics").status == 403)
    settings.metrics = .local
    settings.proxies = 1
    let proxied = try TestServer(settings)
    let forwarded = HTTPField.Name("X-Forwarded-For")!
    #expect(try await proxied.ask(.get, "/metrics", [forwarded: "192.0.2.1"]).status == 403)
    #expect(try await proxied.ask(.get, "/metrics", [forwarded: "127.0.0.1"]).status == 200)
    withExtendedLifetime(folder) {}
  }

  @Test("a client that sends too many requests gets an error; probes are always answered")
  func rate() async throws {
    var (settings, folder) = try Self.settings()
    settings.limits.requestsPerSecond = 5
    settings.limits.burstSeconds = 1
    let server = try TestServer(settings)
    var refused: [Answer] = []
    for _ in 0..<50 {
      let answer = try await server.filter("1", "casino")
      if answer.status == 429 { refused.append(answer) }
    }
    #expect(refused.count >= 40)
    #expect(refused.first?.headers[.retryAfter] == "1" && refused.first?.code == "too-many-requests")
    #expect(try await server.ask(.get, "/healthz").status == 200)
    withExtendedLifetime(folder) {}
  }

  @Test("no request is lost while the rules are replaced ten times")
  func swaps() async throws {
    let (settings, folder) = try Self.settings()
    var open = settings
    open.limits.requestsPerSecond = 0
    let server = try TestServer(open)
    let path = folder.path("rules.cdrules")
    let next = folder.path("next.cdrules")
    let answers = try await withThrowingTaskGroup(of: [String: Int].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var seen: [String: Int] = [:]
          while !Task.isCancelled {
            let answer = try await server.filter("1", "casino")
            seen[answer.status == 200 ? answer.body : "status \(answer.status)", default: 0] += 1
            // Nothing else in this loop lets other tasks run.
            await Task.yield()
          }
          return seen
        }
      }
      for swap in 1...10 {
        try compile(casinoRules("swap \(swap)"), to: next)
        try replace(path, by: next)
        try await server.watcher.look()
        #expect(try await server.filter("1", "casino").body.contains("swap \(swap)"))
      }
      group.cancelAll()
      var all: [String: Int] = [:]
      for try await seen in group { all.merge(seen, uniquingKeysWith: +) }
      return all
    }
    #expect(answers.keys.allSatisfy { $0.hasPrefix(#"{"action":"junk""#) }, "\(answers.keys)")
    #expect(answers.keys.count >= 2)
    #expect(server.metrics.text(server.site).contains("reloads_total{part=\"rules\",result=\"used\"} 10\n"))
  }

  @Test("if rules are unusable or missing, the old ones stay in use; this is counted once")
  func brokenRules() async throws {
    let (settings, folder) = try Self.settings()
    let server = try TestServer(settings)
    let path = folder.path("rules.cdrules")
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    // Overwritten in place and truncated in the middle, as a careless copy does.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: good.prefix(good.count / 2))
    try file.close()
    for _ in 0..<3 { try await server.watcher.look() }
    #expect(try await server.filter("1", "casino").body.contains("first"))
    try FileManager.default.removeItem(atPath: path)
    for _ in 0..<3 { try await server.watcher.look() }
    #expect(try await server.filter("1", "casino").body.contains("first"))
    #expect(server.metrics.text(server.site).contains("reloads_total{part=\"rules\",result=\"failed\"} 2\n"))
    try compile(casinoRules("second"), to: path)
    try await server.watcher.look()
    #expect(try await server.filter("1", "casino").body.contains("second"))
  }

  @Test("a server does not start with data that it can't serve")
  func beginnings() throws {
    let folder = try Folder()
    var settings = ServerSettings()
    settings.rules = folder.path("none.cdrules")
    #expect(throws: SiteError.cannotRead(path: folder.path("none.cdrules"), errno: ENOENT)) {
      try Site(settings)
    }
    settings.rules = try folder.write("rules: 5\n", "rules.yaml")
    #expect(throws: SiteError.self) { try Site(settings) }
    settings.rules = try folder.write("rules: []\n", "rules.cdrules")
    #expect(throws: SiteError.rules(path: folder.path("rules.cdrules"), .notRules)) { try Site(settings) }
    settings.rules = folder.path
    #expect(throws: SiteError.cannotRead(path: folder.path, errno: EISDIR)) { try Site(settings) }
    settings.rules = nil
    settings.lists = folder.path
    #expect(throws: SiteError.cannotRead(path: folder.path("manifest.json"), errno: ENOENT)) {
      try Site(settings)
    }
  }
}
