// The running program: invalid, slow and excessive requests, and how it stops.

import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Program", .serialized)
struct ProgramTests {
  /// A server with rules.
  static func server(_ folder: Folder, _ more: String...) throws -> RunningServer {
    try compile("first", to: folder.path("rules.cdrules"))
    let arguments = ["--rules", folder.path("rules.cdrules"), "--rate", "0", "--request-timeout", "60"]
    return try RunningServer(arguments + more)
  }

  @Test("answers the bytes that iOS sends, several times on one connection")
  func apple() throws {
    let folder = try Folder()
    let server = try Self.server(folder)
    let connection = try Connection(server.port)
    for _ in 0..<3 {
      let answer = connection.ask(RunningServer.query("casino"))
      #expect(answer.status == 200)
      #expect(answer.hasSuffix(#"{"action":"junk","subAction":"none","rule":"first"}"#))
    }
    // Several requests at once are answered in order.
    connection.send(RunningServer.query("casino") + RunningServer.query("hello"))
    let both = connection.receive(answers: 2)
    let verdicts = both.matches(of: /"action":"([a-z]+)"/).map { String($0.1) }
    #expect(verdicts == ["junk", "none"])
  }

  @Test(
    "an invalid request gets its status, and others are still served",
    arguments: [
      ("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404),
      ("GET /message-filter HTTP/1.1\r\nHost: x\r\n\r\n", 405),
      ("PROPFIND /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405),
      ("NONSENSE /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("\u{1}\u{2}\u{3}\r\n\r\n", 400),
      ("GET /healthz\r\n\r\n", 400),
      ("GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n", 400),
      ("GET /healthz HTTP/1.1\r\nno colon\r\n\r\n", 400),
      ("GET /healthz HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 400),
      ("GET /healthz HTTP/1.1\r\n\(String(repeating: "X: y\r\n", count: 200))\r\n", 400),
      ("POST /message-filter HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{]}", 400),
      ("POST /message-filter HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
      ("POST /message-filter HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n{}", 400),
      ("POST /message-filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", 400),
      ("POST /message-filter HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n{", 413),
      ("GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404),
      ("GET /lists/../../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404),
      ("GET /lists/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404),
      ("GET http://other/healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200),
      ("HEAD /healthz HTTP/1.0\r\n\r\n", 200),
      ("GET /healthz HTTP/1.1\r\n\r\n", 400),
      ("GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
      ("GET /healthz HTTP/1.0\r\nHost: x\r\nhost: y\r\n\r\n", 400),
    ])
  func wrong(request: String, status: Int) throws {
    let folder = try Folder()
    let server = try Self.server(folder)
    let answer = try Connection(server.port).ask(request)
    #expect(answer.status == status, "\(request.prefix(80)): \(answer.prefix(80))")
    #expect(try server.filter("casino").status == 200)
    #expect(server.process.isRunning)
  }

  @Test("HEAD is answered without a body, and a connection ends when the client asks for it in any form")
  func ends() throws {
    let folder = try Folder()
    // Far longer than this test waits for the end of a connection.
    let server = try Self.server(folder, "--request-timeout", "600", "--idle-timeout", "600")
    let connection = try Connection(server.port)
    let rest = " /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    connection.send("HEAD" + rest + "GET" + rest)
    let both = connection.receive(answers: 2)
    #expect(both.matches(of: /HTTP\/1\.1 200 OK/).count == 2 && both.matches(of: /ok/).count == 1, "\(both)")
    for end in [
      "1.0\r\n", "1.1\r\nHost: x\r\nConnection: Close\r\n", "1.1\r\nHost: x\r\nConnection: close\r\n",
    ] {
      let ending = try Connection(server.port)
      #expect(ending.ask("GET /healthz HTTP/\(end)\r\n").hasSuffix("ok\n"))
      #expect(ending.isEnded(), "\(end)")
    }
  }

  @Test("an endless body is refused with an answer, and the connection ends")
  func endless() throws {
    let folder = try Folder()
    let server = try Self.server(folder)
    let connection = try Connection(server.port)
    connection.send("POST /message-filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
    var sent = 0
    while sent < 1_000, connection.send(chunk) { sent += 1 }
    #expect(sent < 1_000, "the server took 64 MB")
    #expect(connection.receive().status == 413)
    #expect(try server.filter("casino").status == 200)
  }

  /// A request whose head the server has read, and of which the end is missing: its answer `100` shows that.
  private static func unfinished(_ server: RunningServer) throws -> (Connection, end: String) {
    let query = RunningServer.query("casino").replacing("\r\n\r\n", with: "\r\nExpect: 100-continue\r\n\r\n")
    let parts = query.split(separator: "\r\n\r\n", maxSplits: 1)
    let connection = try Connection(server.port)
    connection.send("\(parts[0])\r\n\r\n")
    #expect(connection.receive(bytes: 25) == "HTTP/1.1 100 Continue\r\n\r\n")
    connection.send(String(parts[1].dropLast(5)))
    return (connection, String(parts[1].suffix(5)))
  }

  @Test("a client that waits for 100 gets it, then its answer; one whose body is too large gets no 100")
  func goOn() throws {
    let folder = try Folder()
    let server = try Self.server(folder)
    let (connection, end) = try Self.unfinished(server)
    #expect(connection.ask(end).status == 200)
    let large =
      "POST /message-filter HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n"
    #expect(try Connection(server.port).ask(large).status == 413)
  }

  @Test("a slow head and a slow body get 408; an idle connection is closed")
  func slow() throws {
    let folder = try Folder()
    let server = try Self.server(folder, "--request-timeout", "4", "--idle-timeout", "4")
    let head = try Connection(server.port)
    head.send("POST /message-filter HTTP/1.1\r\nHo")
    let body = try Connection(server.port)
    body.send("POST /message-filter HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    let idle = try Connection(server.port)
    let used = try Connection(server.port)
    #expect(used.ask(RunningServer.query("casino")).status == 200)
    for answer in [head.receive(), body.receive()] {
      #expect(answer.status == 408)
      #expect(answer.hasSuffix(#"{"error":"too-slow"}"# + "\n"))
    }
    #expect(head.isEnded() && body.isEnded() && idle.isEnded() && used.isEnded())
    // Sending one byte after another does not keep the connection open.
    let drip = try Connection(server.port)
    var drips = 0
    while drips < 2_000, drip.send("G") {
      drips += 1
      usleep(50_000)
    }
    #expect(drips < 2_000)
  }

  @Test("thousands of idle connections do not block others")
  func idle() throws {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    unsafe getrlimit(resource, &limit)
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(resource, &limit)
    let count = min(10_000, Int(clamping: limit.rlim_cur) - 500)
    try #require(count >= 500)
    let folder = try Folder()
    let server = try Self.server(folder, "--idle-timeout", "600", "--max-client-connections", "20000")
    let connections = try (0..<count).map { _ in try Connection(server.port) }
    for connection in connections.prefix(count / 2) { connection.send("GET /hea") }
    for _ in 0..<100 { #expect(try server.filter("casino").status == 200) }
    #expect(connections.count == count)
  }

  @Test("connections over the maximum wait, and are served when others end")
  func full() throws {
    let folder = try Folder()
    let server = try Self.server(folder, "--max-connections", "8", "--idle-timeout", "1")
    let connections = try (0..<24).map { _ in try Connection(server.port) }
    #expect(try server.filter("casino").status == 200)
    #expect(connections[0].isEnded())
  }

  @Test("random bytes end only their own connection")
  func noise() throws {
    let folder = try Folder()
    let server = try Self.server(folder)
    let seed = UInt64.random(in: 0...UInt64.max)
    var state = seed
    for round in 0..<300 {
      var bytes = round % 2 == 0 ? Array(RunningServer.query("casino").utf8) : []
      for _ in 0..<40 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let place = bytes.isEmpty ? 0 : Int(state >> 33) % bytes.count
        bytes.insert(UInt8(truncatingIfNeeded: state >> 40), at: place)
      }
      let connection = try Connection(server.port)
      connection.send(bytes)
    }
    #expect(try server.filter("casino").status == 200, "seed \(seed)")
    #expect(server.process.isRunning)
  }

  @Test("no text, number or path of a request is logged, at any log level")
  func log() throws {
    let folder = try Folder()
    let server = try Self.server(folder, "--log-level", "trace", "--store", try store(folder))
    for text in ["marker casino", "marker \\u0000", "marker \\q"] { _ = try server.filter(text) }
    _ = try Connection(server.port).ask(
      "POST /message-filter HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n{marker}")
    _ = try Connection(server.port).ask("GET /lookup/1001 HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = try Connection(server.port).ask("GET /marker HTTP/1.1\r\nHost: x\r\nX-Y: marker\r\n\r\n")
    #expect(server.logs("listening"))
    #expect(!server.logText.contains("marker") && !server.logText.contains("14085550001"))
    #expect(!server.logText.contains("/lookup/1001"))
  }

  private func store(_ folder: Folder) throws -> String {
    let list = try folder.write("1001\tspam\n", "list.tsv")
    try run(cdpipe, ["emit", "-o", folder.path("list.cdstore"), list])
    return folder.path("list.cdstore")
  }

  @Test("changed rules are used within the polling interval; invalid ones are named in the log")
  func reload() throws {
    let folder = try Folder()
    let server = try Self.server(folder, "--poll", "0.05")
    #expect(try server.filter("casino").contains("first"))
    try compile("second", to: folder.path("rules.cdrules"))
    #expect(server.logs("rules reloaded"))
    #expect(try server.filter("casino").contains("second"))
    _ = try folder.write("no rules", "rules.cdrules")
    #expect(
      server.logs("still serving the old ones: '\(folder.path("rules.cdrules"))' is not compiled rules"))
    #expect(try server.filter("casino").contains("second"))
  }

  @Test("SIGHUP reloads at once and ends nothing")
  func hangup() throws {
    let folder = try Folder()
    let server = try Self.server(folder, "--poll", "3600")
    let open = try Connection(server.port)
    #expect(open.ask(RunningServer.query("casino")).contains("first"))
    try compile("second", to: folder.path("rules.cdrules"))
    kill(server.process.processIdentifier, SIGHUP)
    #expect(server.logs("rules reloaded"))
    #expect(open.ask(RunningServer.query("casino")).contains("second"))
    // The last rules are used, however fast the signals come.
    for round in 0..<20 {
      try compile("round \(round)", to: folder.path("rules.cdrules"))
      kill(server.process.processIdentifier, SIGHUP)
    }
    for _ in 0..<12_000 where try !server.filter("casino").contains("round 19") { usleep(10_000) }
    #expect(try server.filter("casino").contains("round 19"))
  }

  @Test(
    "when asked to stop, it answers the requests in progress, accepts no more, and exits with 0",
    arguments: [SIGTERM, SIGINT])
  func stop(signal: Int32) throws {
    let folder = try Folder()
    try compile("first", to: folder.path("rules.cdrules"))
    let server = try RunningServer("--rules", folder.path("rules.cdrules"), "--request-timeout", "60")
    let (open, end) = try Self.unfinished(server)
    let idle = try Connection(server.port)
    #expect(idle.ask(RunningServer.query("casino")).status == 200)
    kill(server.process.processIdentifier, signal)
    #expect(idle.isEnded())
    #expect(throws: Connection.Refused.self) { try Connection(server.port) }
    open.send(end)
    #expect(open.receive().contains("\"rule\":\"first\""))
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 0)
    #expect(server.process.terminationReason == .exit)
  }

  @Test("a request that never ends does not prevent it from stopping")
  func stuck() throws {
    let folder = try Folder()
    let server = try Self.server(folder, "--request-timeout", "1")
    let open = try Self.unfinished(server)
    kill(server.process.processIdentifier, SIGTERM)
    server.process.waitUntilExit()
    withExtendedLifetime(open) {}
    #expect(server.process.terminationStatus == 0)
  }

  /// Whether this build has TLS.
  private static let hasTLS: Bool = {
    #if TLS
      true
    #else
      false
    #endif
  }()

  @Test("TLS with certificate files", .enabled(if: hasTLS, "the server of make check has no TLS"))
  func tls() throws {
    let folder = try Folder()
    let made = try run(
      "/usr/bin/env",
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
        folder.path("key.pem"),
        "-out", folder.path("certificate.pem"),
      ])
    try #require(made.status == 0, "\(made.output)")
    let server = try Self.server(
      folder, "--certificate", folder.path("certificate.pem"), "--key", folder.path("key.pem"), "--app",
      "TEAM.org.app")
    let missing = try run(
      serverProgram,
      [
        "--rules", folder.path("rules.cdrules"), "--certificate", folder.path("none.pem"), "--key",
        folder.path("key.pem"),
      ])
    #expect(missing.status == 66 && missing.output.contains("cannot read '\(folder.path("none.pem"))'"))
    let script = """
      import http.client, ssl, sys
      context = ssl.create_default_context(cafile=sys.argv[1])
      client = http.client.HTTPSConnection("localhost", int(sys.argv[2]), context=context, timeout=20)
      client.request("GET", "/.well-known/apple-app-site-association")
      answer = client.getresponse()
      print(answer.status, answer.getheader("content-type"), answer.read().decode(), end="")
      """
    let asked = try run(
      "/usr/bin/env", ["python3", "-c", script, folder.path("certificate.pem"), "\(server.port)"])
    #expect(asked.output == #"200 application/json {"messagefilter":{"apps":["TEAM.org.app"]}}"# + "\n")
    // Plain HTTP on that port does no harm.
    _ = try Connection(server.port).ask(RunningServer.query("casino"))
    #expect(server.process.isRunning)
  }

  @Test(
    "errors on the command line and in files end it at once, with the statuses of sysexits",
    arguments: [
      ([], 64, "Nothing to serve"),
      (["--rules", "none.cdrules"], 66, "cannot read 'none.cdrules': No such file"),
      (
        ["--rules", "/etc/hostname"], 65, "'/etc/hostname' is not compiled rules\n  hint: compile a rule file"
      ),
      (["--lists", "/nonexistent"], 66, "cannot read '/nonexistent/manifest.json'"),
      (["--store", "/etc/hostname"], 65, "'/etc/hostname' is not a store"),
      (["--store", "x", "--app", "no app"], 64, "'no app' is not TEAMID.bundle.identifier"),
      (["--store", "x", "--certificate", "x"], 64, "must be used together"),
      (["--store", "x", "--receiver", "ZZ"], 64, "--receiver must be a country's two letters"),
      (["--store", "x", "--port", "70000"], 64, "--port must be 0 to 65535"),
      (["--store", "x", "--watch", "--poll", "1"], 64, "--watch and --poll can't be used together"),
      (["--version"], 0, "0.1.0\n"),
    ] as [([String], Int32, String)])
  func usageErrors(arguments: [String], status: Int32, words: String) throws {
    let ended = try run(serverProgram, arguments)
    #expect(ended.status == status && ended.output.contains(words), "\(ended)")
  }

  @Test("systemd accepts the unit, and the program has the options in it")
  func unit() throws {
    let file = checkout.appendingPathComponent("Server/cdpipe-server.service")
    let unit = try String(contentsOf: file, encoding: .utf8)
    let installed = "/usr/local/bin/cdpipe-server"
    let command = try #require(unit.replacing("\\\n", with: " ").firstMatch(of: /ExecStart=(.*)/)?.1)
    let words = command.split(separator: " ").map(String.init)
    #expect(words.first == installed)
    // Its files are missing, which is detected only after the options are parsed.
    let ended = try run(serverProgram, Array(words.dropFirst()))
    #expect(ended.status == 66, "\(ended)")
    guard try run("/bin/sh", ["-c", "command -v systemd-analyze"]).status == 0 else { return }
    let folder = try Folder()
    let here = try folder.write(
      unit.replacing(installed, with: serverProgram), "cdpipe-server.service")
    let verified = try run("/usr/bin/env", ["systemd-analyze", "verify", here])
    #expect(verified.status == 0 && !verified.output.contains("cdpipe-server.service"), "\(verified)")
  }

  @Test("a port in use is reported")
  func taken() throws {
    let folder = try Folder()
    let server = try Self.server(folder)
    let ended = try run(serverProgram, ["--port", "\(server.port)", "--store", try store(folder)])
    #expect(
      ended.status == 69 && ended.output.contains("cannot listen on 127.0.0.1:\(server.port)"), "\(ended)")
  }
}
