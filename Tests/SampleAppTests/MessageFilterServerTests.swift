// The message filter with a real server: `cdpipe-server` on this machine, over a connection as from a phone, except for
// TLS; and programs that only imitate a server.
//
// CDPIPE_SERVER_BINARY names the server's program, which is built in a separate package (`make check` does it);
// without it, the tests that need it are skipped. Not for: the server's answers (its own tests).

import Foundation
import FoundationNetworking
import FrameworkServices
import IdentityLookup
import SimulatedPhone
import Testing

@testable import MessageFilter

/// A program that listens on its own port and prints the port. It ends when the last reference to it is released.
final class Listener {
  private let process: Process
  let port: Int

  init(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardError = output
    // The program must not keep open the pipe that the test's caller reads to its end.
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var printed = ""
    var port: Int?
    while port == nil {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      printed += String(decoding: more, as: UTF8.self)
      port = printed.firstMatch(of: /listening on [^ ]*:(\d+)\s/).flatMap { Int($0.1) }
    }
    // Later output must not fill the pipe.
    output.fileHandleForReading.readabilityHandler = {
      if $0.availableData.isEmpty { $0.readabilityHandler = nil }
    }
    if port == nil { process.terminate() }
    self.process = process
    self.port = try #require(port, "\(program) printed: \(printed)")
  }

  deinit { end() }

  /// Ends it at once.
  func end() {
    guard process.isRunning else { return }
    send(SIGKILL)
    process.waitUntilExit()
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }
}

extension FilterScene {
  /// Sets up a network on the phone in which the filter's host is a port of this machine.
  fileprivate func connect(to port: Int) {
    let asked = asked
    let session = URLSession(configuration: .ephemeral)
    messages.setNetwork { query, completion in
      asked.add(query.url.path)
      guard let url = URL(string: "http://127.0.0.1:\(port)\(query.url.path)") else {
        return completion(.failure(URLError(.badURL)))
      }
      var request = URLRequest(url: url, timeoutInterval: 600)
      request.httpMethod = "POST"
      request.httpBody = query.body
      for (name, value) in query.headers where name != "Content-Length" {
        request.setValue(value, forHTTPHeaderField: name)
      }
      session.dataTask(with: request) { data, response, error in
        guard error == nil, let data, let head = response as? HTTPURLResponse else {
          return completion(.failure(error ?? URLError(.badServerResponse)))
        }
        completion(.success(DeferredAnswer(status: head.statusCode, body: data)))
      }.resume()
    }
  }
}

@Suite("MessageFilter and a server", .serialized)
struct MessageFilterServerTests {
  static let server = ProcessInfo.processInfo.environment["CDPIPE_SERVER_BINARY"]

  /// Messages that the server's rules match and the phone's rules don't.
  private static let rules = """
    rules:
      - { name: loans, action: junk, when: { body: { contains: [贷款] } } }
      - { name: sales, action: promotion, sub-action: promotionalCoupons, when: { body: { contains: [打折] } } }
      - { name: weather, action: transaction, sub-action: transactionalWeather, when: { body: { contains: [暴雨] } } }
      - { name: casino, action: allow, when: { body: { contains: [澳门] } } }
    """

  private static func running(_ scene: FilterScene) throws -> Listener {
    let workplace = scene.workplace
    try workplace.write("server.yaml", rules)
    try workplace.cdpipe("rules", "compile", "server.yaml", "-o", "server.cdrules")
    let listener = try Listener(
      #require(server), ["--port", "0", "--rules", workplace.path("server.cdrules"), "--rate", "0"])
    scene.connect(to: listener.port)
    return listener
  }

  @Test(
    "its rules decide first, then the server's; if neither matches, the message is shown",
    .enabled(if: server != nil))
  func flow() throws {
    let scene = try FilterScene()
    let listener = try Self.running(scene)
    // The phone's own rules match: the server's would have another result, and is not asked.
    #expect(scene.answer("澳 门") == FilterVerdict(action: .junk, subAction: .none))
    #expect(scene.asked.all.isEmpty)
    #expect(scene.answer("贷★款") == FilterVerdict(action: .junk, subAction: .none))
    #expect(scene.answer("全场打折") == FilterVerdict(action: .promotion, subAction: .promotionalCoupons))
    // iOS accepts a sub-action only if the filter has declared it.
    #expect(scene.answer("暴雨预警") == FilterVerdict(action: .transaction, subAction: .none))
    #expect(scene.answer("晚上一起吃饭吗") == .none)
    #expect(scene.answer("\u{0}\"\\\u{2028}🎰 \u{FFFD}", from: "\"{}") == .none)
    #expect(scene.asked.all == Array(repeating: "/message-filter", count: 5))
    withExtendedLifetime(listener) {}
  }

  @Test(
    "a server that stopped answering is not waited for, and gets a later query", .enabled(if: server != nil)
  )
  func slow() throws {
    let scene = try FilterScene(serverSeconds: 1)
    let listener = try Self.running(scene)
    listener.send(SIGSTOP)
    #expect(scene.answer("贷款") == .none)
    listener.send(SIGCONT)
    let patient = try FilterScene()
    patient.connect(to: listener.port)
    #expect(patient.answer("贷款").action == .junk)
  }

  @Test("a dead server changes nothing", .enabled(if: server != nil))
  func dead() throws {
    let scene = try FilterScene()
    let listener = try Self.running(scene)
    #expect(scene.answer("贷款").action == .junk)
    listener.end()
    #expect(scene.answer("贷款") == .none)
    #expect(scene.answer("澳门").action == .junk)
  }

  /// A program that accepts a connection, reads for a while, sends one line, and closes the connection.
  private static let liar = """
    import socket, sys
    answer = sys.argv[1].encode().decode("unicode_escape").encode("latin-1")
    listening = socket.create_server(("127.0.0.1", 0))
    print("listening on 127.0.0.1:%d" % listening.getsockname()[1], file=sys.stderr, flush=True)
    while True:
        client, _ = listening.accept()
        client.settimeout(5)
        try:
            client.recv(65536)
            client.sendall(answer)
            client.shutdown(socket.SHUT_WR)
            while client.recv(65536): pass
        except OSError:
            pass
        client.close()
    """

  @Test(
    "malformed and unexpected answers change nothing",
    arguments: [
      "", "junk", "HTTP/1.1 200 OK", #"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{"action":"junk""#,
      #"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{"action":"junk"}"#,
      #"HTTP/1.1 500 No\r\nContent-Length: 17\r\n\r\n{"action":"junk"}"#,
      #"HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n<p>action:junk</p>"#,
      #"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 17\r\n\r\n{"action":"junk"}"#,
      #"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"#,
    ])
  func invalidAnswers(answer: String) throws {
    let scene = try FilterScene()
    let liar = try Listener("/usr/bin/env", ["python3", "-c", Self.liar, answer])
    scene.connect(to: liar.port)
    #expect(scene.answer("贷款") == .none)
    #expect(scene.asked.all.count == 1)
    #expect(scene.answer("澳门").action == .junk)
  }
}
