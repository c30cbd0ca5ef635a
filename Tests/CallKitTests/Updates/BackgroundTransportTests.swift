// Stores that arrive while nobody waits for them. On Linux, the session is not one of the background: it ends with the
// process.

import CallDirectoryKit
import Foundation
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

@Suite("Stores in the background", .timeLimit(.minutes(10)))
struct BackgroundTransportTests {
  /// The recipient of a response.
  private final class Received: UpdateBody {
    let state = Mutex((status: 0, bytes: [UInt8]()))

    func begin(_ response: ServerResponse) throws {
      state.withLock { $0.status = response.status }
      if response.status != 200 { throw DirectoryUpdateError.refused(name: "", status: response.status) }
    }

    func append(_ bytes: Data) throws { state.withLock { $0.bytes += bytes } }
  }

  /// What must not be asked for a store.
  private struct SmallFiles: UpdateTransport {
    func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
      #expect(url.lastPathComponent == "manifest.json")
      try body.begin(ServerResponse(status: 200))
      try body.append(Data("small".utf8))
    }
  }

  /// A server whose answers wait for a file `go`, and that records its requests in `requests`.
  private final class SlowServer {
    static let store = [UInt8](repeating: 7, count: 200_000)
    let folder: TemporaryDirectory
    let url: URL
    private let program = Process()

    init() throws {
      folder = try TemporaryDirectory()
      program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      program.arguments = [
        "python3", "-u", "-c",
        """
        import http.server, os, sys, time
        os.chdir(sys.argv[1])
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                open("requests", "a").write(self.path + " " + self.headers.get("Range", "") + "\\n")
                while not os.path.exists("go"): time.sleep(0.01)
                body = b"\\7" * 200000 if "gone" not in self.path else b""
                self.send_response(200 if body else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """, folder.path,
      ]
      let output = Pipe()
      program.standardOutput = output
      try program.run()
      let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    }

    // SIGTERM would stay pending: threads of tests block signals, and programs inherit that.
    deinit { kill(program.processIdentifier, SIGKILL) }

    func go() throws { try Data().write(to: URL(fileURLWithPath: folder / "go")) }

    var requests: [String] {
      let text = try? String(contentsOfFile: folder / "requests", encoding: .utf8)
      return (text ?? "").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private func transport(_ folder: TemporaryDirectory) -> BackgroundTransport {
    BackgroundTransport(
      configuration: .ephemeral, folder: URL(fileURLWithPath: folder / "complete"), small: SmallFiles())
  }

  private func complete(_ folder: TemporaryDirectory) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder / "complete")) ?? []
  }

  @Test("a store arrives complete; everything else goes another way")
  func store() async throws {
    let server = try SlowServer()
    try server.go()
    let folder = try TemporaryDirectory()
    let transport = transport(folder)
    let (body, small) = (Received(), Received())
    try await transport.get(server.url.appendingPathComponent("1.cdstore.gz"), headers: [:], body: body)
    #expect(body.state.withLock { $0.bytes } == SlowServer.store && complete(folder).isEmpty)
    try await transport.get(server.url.appendingPathComponent("manifest.json"), headers: [:], body: small)
    #expect(small.state.withLock { $0.bytes } == Array("small".utf8))
    #expect(server.requests == ["/1.cdstore.gz"])
    let gone = Received()
    await #expect(throws: DirectoryUpdateError.refused(name: "", status: 404)) {
      try await transport.get(server.url.appendingPathComponent("gone.cdstore"), headers: [:], body: gone)
    }
    #expect(complete(folder).isEmpty)
  }

  @Test("a cancelled update does not end the transfer; the next one finds the store, and does not ask again")
  func cancelled() async throws {
    let server = try SlowServer()
    let folder = try TemporaryDirectory()
    let transport = transport(folder)
    let url = server.url.appendingPathComponent("1.cdstore")
    let update = Task { try await transport.get(url, headers: ["Range": "bytes=0-"], body: Received()) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    update.cancel()
    await #expect(throws: CancellationError.self) { try await update.value }
    // Another one that waits for the same store does not ask for it, either.
    let body = Received()
    let next = Task { try await transport.get(url, headers: ["Range": "bytes=0-"], body: body) }
    try await Task.sleep(for: .milliseconds(50))
    try server.go()
    try await next.value
    #expect(body.state.withLock { $0.bytes } == SlowServer.store)
    #expect(server.requests == ["/1.cdstore bytes=0-"] && complete(folder).isEmpty)
  }

  @Test("a store that arrives while nobody waits is kept, also for the next run of the app")
  func kept() async throws {
    let server = try SlowServer()
    let folder = try TemporaryDirectory()
    let url = server.url.appendingPathComponent("1.cdstore")
    let first = transport(folder)
    let update = Task { try await first.get(url, headers: [:], body: Received()) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    update.cancel()
    _ = await update.result
    try server.go()
    // The response is written last, under another name at first.
    while !complete(folder).contains(where: { $0.hasSuffix(".json") }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    let body = Received()
    try await transport(folder).get(url, headers: [:], body: body)
    #expect(body.state.withLock { $0.bytes } == SlowServer.store)
    #expect(server.requests == ["/1.cdstore"] && complete(folder).isEmpty)
  }

  @Test("a server that is not there is an error, each time")
  func unreachable() async throws {
    let folder = try TemporaryDirectory()
    let transport = transport(folder)
    let url = try #require(URL(string: "http://127.0.0.1:1/1.cdstore"))
    for _ in 0..<2 {
      await #expect(throws: URLError.self) { try await transport.get(url, headers: [:], body: Received()) }
    }
  }
}
