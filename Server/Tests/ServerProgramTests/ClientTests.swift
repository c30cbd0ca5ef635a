// The running program: the share of it that one client gets, and how clients are told apart.

import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Clients", .serialized)
struct ClientTests {
  @Test("connections of one client over its maximum are closed at once; other clients are served")
  func clientConnections() throws {
    let folder = try Folder()
    let server = try ProgramTests.server(folder, "--idle-timeout", "60", "--max-client-connections", "8")
    let connections = try (0..<24).map { _ in try Connection(server.port, from: 2) }
    // Several threads accept them, not always in order.
    let answers = connections.map { $0.ask(RunningServer.query("casino")).status }
    #expect(answers.sorted() == Array(repeating: 0, count: 16) + Array(repeating: 200, count: 8))
    #expect(try server.filter("casino").status == 200)
    let metrics = try Connection(server.port).ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(metrics.contains("cdpipe_server_closings_total{reason=\"client\"} 16\n"))
  }

  @Test("one client's unfinished bodies are limited in all; other clients are served")
  func bodies() throws {
    let folder = try Folder()
    let server = try ProgramTests.server(folder)
    let head = "POST /message-filter HTTP/1.1\r\nHost: x\r\nContent-Length: 131072\r\n\r\n"
    let connections = try (0..<40).map { _ in try Connection(server.port, from: 2) }
    for connection in connections { connection.send(head) }
    #expect(connections.receive(429, count: 8) == 8)
    #expect(try server.filter("casino").status == 200)
    // Ends of bodies and of connections give their memory back.
    for connection in connections { connection.send(String(repeating: " ", count: 131_072)) }
    #expect(connections.receive(400, count: 32) == 32)
    #expect(try Connection(server.port, from: 2).ask(RunningServer.query("casino")).status == 200)
  }

  @Test("a download that the client does not read is closed, and needs little memory until then")
  func unread() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: folder.path("lists"), withIntermediateDirectories: false)
    let list = try folder.write("1001\tspam\n", "list.tsv")
    try run(cdpipe, ["emit", "--format", "store", "-o", folder.path("lists"), list])
    try Data(count: 64 << 20).write(to: URL(fileURLWithPath: folder.path("lists/big.cdstore")))
    let server = try ProgramTests.server(folder, "--lists", folder.path("lists"), "--idle-timeout", "5")
    let connections = try (0..<40).map { _ in try Connection(server.port, from: 2) }
    for connection in connections { connection.send("GET /lists/big.cdstore HTTP/1.1\r\nHost: x\r\n\r\n") }
    #expect(connections.receive(429, count: 8) == 8)
    func closings() throws -> Int {
      let metrics = try Connection(server.port).ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
      return metrics.firstMatch(of: /closings_total\{reason="answer"\} (\d+)/).flatMap { Int($0.1) } ?? 0
    }
    for _ in 0..<2_400 where try closings() < 32 { usleep(50_000) }
    #expect(try closings() == 32)
    // Until here, the client does not close them.
    withExtendedLifetime(connections) {}
    let again = try Connection(server.port, from: 2)
    #expect(again.ask("GET /lists/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
  }

  @Test("behind a proxy, a request without a readable client address is refused; probes are answered")
  func proxy() throws {
    let folder = try Folder()
    let server = try ProgramTests.server(folder, "--proxies", "1")
    let query = RunningServer.query("casino")
    func status(_ request: String, forwarded: String?) throws -> Int {
      let field = forwarded.map { "\r\nX-Forwarded-For: \($0)" } ?? ""
      return try Connection(server.port).ask(request.replacing("\r\nHost: ", with: "\(field)\r\nHost: "))
        .status
    }
    for address in ["192.0.2.1", "192.0.2.1:4711", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:4711"] {
      #expect(try status(query, forwarded: address) == 200, "\(address)")
    }
    for address in [nil, "", "unknown", "192.0.2.1,"] {
      #expect(try status(query, forwarded: address) == 400)
    }
    #expect(
      try Connection(server.port).ask(query).contains(
        #"{"error":"no-client-address","about":"X-Forwarded-For"}"#))
    #expect(try status("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", forwarded: nil) == 200)
    #expect(try status("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", forwarded: nil) == 403)
    #expect(try status("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", forwarded: "127.0.0.1") == 200)
  }
}
