// Updates of the message filter's rules: new ones, the same ones, and everything that a server, a network or a disk can
// do wrong. Whatever happens, the filter has rules that it can use.

import CallDirectoryKit
import Foundation
import FoundationNetworking
import MessageRules
import Testing

@testable import MessageFilter

@Suite("Updates of rules")
struct RulesUpdateTests {
  @Test("new rules replace the old ones, and the next update asks only for other ones")
  func tags() async throws {
    let scene = try FilterAppScene()
    let monday = try scene.junk("casino")
    scene.server.serve(monday, tag: "\"monday\"")
    let first = scene.update()
    #expect(first.record == nil)
    #expect(try await first.run() == .updated)
    #expect(scene.downloaded == monday)
    #expect(try await scene.update().run() == .upToDate)
    #expect(scene.server.requests == [[:], ["If-None-Match": "\"monday\""]])
    #expect(first.record?.downloaded == FilterAppScene.start)
    #expect(first.record?.checked == FilterAppScene.start + 3_600)

    let tuesday = try scene.junk("casino", "loan")
    scene.server.serve(tuesday, tag: "\"tuesday\"")
    #expect(try await scene.update().run() == .updated)
    #expect(scene.downloaded == tuesday)
    #expect(first.record?.tag == "\"tuesday\"")
    #expect(first.record?.downloaded == FilterAppScene.start + 7_200)
  }

  @Test("a server without tags sends the rules each time, and the same ones are not new")
  func withoutTags() async throws {
    let scene = try FilterAppScene()
    scene.server.serve(try scene.junk("casino"))
    #expect(try await scene.update().run() == .updated)
    #expect(try await scene.update().run() == .upToDate)
    #expect(scene.server.requests == [[:], [:]])
    #expect(scene.update().record?.downloaded == FilterAppScene.start)
    // A tag of any length would be stored and sent.
    scene.server.serve(try scene.junk("loan"), tag: String(repeating: "x", count: 2_000))
    #expect(try await scene.update().run() == .updated)
    #expect(scene.update().record?.tag == nil)
  }

  @Test("the tag is not sent if the rules are gone or damaged, or their address is another one")
  func otherFile() async throws {
    let scene = try FilterAppScene()
    let rules = try scene.junk("casino")
    scene.server.serve(rules, tag: "\"1\"")
    _ = try await scene.update().run()
    let file = scene.group.appending(path: RulesFolders.fileName)
    try FileManager.default.removeItem(at: file)
    #expect(try await scene.update().run() == .updated)
    try rules.dropLast().write(to: file)
    #expect(try await scene.update().run() == .updated)
    #expect(scene.downloaded == rules)
    let moved = try #require(URL(string: "https://other.example.com/rules.cdrules"))
    #expect(try await scene.update(from: moved).run() == .upToDate)
    #expect(scene.server.requests == [[:], [:], [:], [:]])
    try Data("{".utf8).write(to: UpdateRecord.file(in: scene.group))
    #expect(scene.update(from: moved).record == nil)
  }

  // MARK: Signatures

  /// A publisher's key, and who trusts it.
  private func publisher(_ scene: FilterAppScene, _ name: String = "signing.key") throws -> RulesTrust {
    let key = try scene.workplace.cdpipe("keys", "generate", "-o", name)
    return RulesTrust(info: [key.trimmingCharacters(in: .whitespacesAndNewlines)])
  }

  /// Rules that make messages with a word junk, with their signature.
  private func signed(
    _ word: String, by key: String = "signing.key", in scene: FilterAppScene
  ) throws -> (rules: Data, signature: Data) {
    _ = try scene.junk(word)
    try scene.workplace.cdpipe("rules", "compile", "rules.yaml", "-o", "compiled.cdrules", "--sign", key)
    let file = scene.workplace.folder.appending(path: "compiled.cdrules")
    return (try Data(contentsOf: file), try Data(contentsOf: file.appendingPathExtension("sig")))
  }

  private func installed(_ scene: FilterAppScene, _ trust: RulesTrust) -> InstalledRules {
    InstalledRules(in: scene.folders, trust: trust)
  }

  @Test("signed rules are used by the app and the filter, with their keys and without")
  func signed() async throws {
    let scene = try FilterAppScene()
    let trust = try publisher(scene)
    let monday = try signed("casino", in: scene)
    scene.server.serve(monday.rules, tag: "\"monday\"")
    scene.server.sign(monday.signature)
    #expect(try await scene.update(trust: trust).run() == .updated)
    #expect(installed(scene, trust).origin == .downloaded && installed(scene, .anyone).origin == .downloaded)
    #expect(scene.update().record?.serial != nil)
    // A renewed signature of the same rules.
    let renewed = try signed("casino", in: scene)
    #expect(renewed.rules == monday.rules && renewed.signature != monday.signature)
    scene.server.sign(renewed.signature)
    #expect(try await scene.update(trust: trust).run() == .upToDate)
    let file = scene.group.appending(path: RulesFolders.fileName)
    #expect(try Data(contentsOf: RulesTrust.signature(of: file)) == renewed.signature)
    #expect(!FileManager.default.fileExists(atPath: RulesTrust.nextSignature(of: file).path))
    // An older signature is refused, also with the rules that it is of.
    scene.server.sign(monday.signature)
    await #expect(throws: RulesUpdateError.self) { try await scene.update(trust: trust).run() }
    #expect(installed(scene, trust).origin == .downloaded)
  }

  @Test("with a key, the app refuses rules that are not signed, signed by another key, or changed")
  func forged() async throws {
    let scene = try FilterAppScene()
    let trust = try publisher(scene)
    _ = try publisher(scene, "other.key")
    let (valid, other) = (try signed("casino", in: scene), try signed("loan", by: "other.key", in: scene))
    // A signature of a manifest is not one of rules, even by the same key.
    let manifest = Data(
      String(decoding: valid.signature, as: UTF8.self)
        .replacingOccurrences(of: "cdpipe-rules-signature", with: "cdpipe-manifest-signature").utf8)
    let answers: [(Data, Data?)] = [
      (valid.rules, nil), (other.rules, other.signature), (other.rules, valid.signature),
      (valid.rules, manifest),
    ]
    for (rules, signature) in answers {
      scene.server.serve(rules)
      scene.server.sign(signature)
      await #expect(throws: RulesUpdateError.self) { try await scene.update(trust: trust).run() }
      #expect(scene.downloaded == nil)
    }
    // A key that can't be read trusts nobody.
    scene.server.serve(valid.rules)
    scene.server.sign(valid.signature)
    await #expect(throws: RulesUpdateError.self) {
      try await scene.update(trust: RulesTrust(info: ["ed25519:8f40"])).run()
    }
  }

  @Test("the filter refuses rules in the app group that are not signed, once its Info.plist has a key")
  func filterRefuses() async throws {
    let scene = try FilterAppScene()
    let trust = try publisher(scene)
    let file = scene.group.appending(path: RulesFolders.fileName)
    let valid = try signed("loan", in: scene)
    try valid.rules.write(to: file)
    #expect(installed(scene, .anyone).origin == .downloaded)
    let refusing = installed(scene, trust)
    #expect(refusing.origin == .bundle && refusing.isDownloadUntrusted && refusing.downloadError == nil)
    #expect(refusing.rules.decision(sender: "1", body: "loan", receiver: nil).rule == nil)
    #expect(refusing.rules.decision(sender: "1", body: "casino", receiver: nil).rule == "casino")
    try valid.signature.write(to: RulesTrust.signature(of: file))
    #expect(installed(scene, trust).origin == .downloaded)
    // One byte of the signature.
    var damaged = valid.signature
    damaged[damaged.count - 2] ^= 1
    try damaged.write(to: RulesTrust.signature(of: file))
    #expect(installed(scene, trust).origin == .bundle)
  }

  @Test("whenever the app is terminated during an update, the filter has signed rules", arguments: 0...4)
  func interrupted(files: Int) async throws {
    let scene = try FilterAppScene()
    let trust = try publisher(scene)
    let monday = try signed("casino", in: scene)
    scene.server.serve(monday.rules)
    scene.server.sign(monday.signature)
    #expect(try await scene.update(trust: trust).run() == .updated)
    let tuesday = try signed("loan", in: scene)
    scene.server.serve(tuesday.rules)
    scene.server.sign(tuesday.signature)
    let disk = FullDisk(afterFiles: files)
    let outcome = try? await scene.update(trust: trust, write: { try disk.write($0, to: $1) }).run()
    #expect((outcome == .updated) == (files == 4))
    #expect(installed(scene, trust).origin == .downloaded)
    _ = try await scene.update(trust: trust).run()
    #expect(scene.downloaded == tuesday.rules && installed(scene, trust).origin == .downloaded)
  }

  /// Expects an update to fail, and the rules and the record of the last good one to stay.
  private func expect(
    _ error: RulesUpdateError, _ answer: RulesServer.Answer, in scene: FilterAppScene,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    scene.server.serve(try scene.junk("casino"), tag: "\"good\"")
    _ = try await scene.update().run()
    let (rules, record) = (scene.downloaded, scene.update().record)
    scene.server.set(answer)
    await #expect(throws: error, sourceLocation: sourceLocation) { try await scene.update().run() }
    #expect(scene.downloaded == rules && scene.update().record == record, sourceLocation: sourceLocation)
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.group.path).sorted()
    #expect(names == ["rules-update.json", "rules.cdrules"], sourceLocation: sourceLocation)
  }

  @Test("damaged rules are refused")
  func damaged() async throws {
    let scene = try FilterAppScene()
    let good = try scene.junk("loan")
    var altered = good
    altered[good.count / 2] ^= 1
    let bodies: [(Data, CompiledRulesError)] = [
      (Data(), .notRules), (Data("<html>Log in</html>".utf8), .notRules), (Data("rules: []".utf8), .notRules),
      (good.dropLast(8), .truncated(bytes: good.count - 8)),
      (good + Data([0]), .truncated(bytes: good.count + 1)), (altered, .checksum),
    ]
    for (body, reason) in bodies {
      try await expect(.damaged(reason), .response(200, [:], [body]), in: scene)
    }
  }

  @Test("rules of a newer format need a newer app")
  func newerFormat() async throws {
    let scene = try FilterAppScene()
    var newer = try scene.junk("loan")
    // The version follows the signature of 8 bytes.
    newer[8] = 200
    try await expect(.newerFormat, .response(200, [:], [newer]), in: scene)
  }

  @Test("a file that is too large is not read to its end")
  func tooLarge() async throws {
    let scene = try FilterAppScene()
    let length = ["Content-Length": "\(RulesUpdate.bytesMax + 1)"]
    try await expect(.tooLarge, .response(200, length), in: scene)
    let piece = Data(count: RulesUpdate.bytesMax / 2 + 1)
    try await expect(.tooLarge, .response(200, [:], [piece, piece, piece]), in: scene)
  }

  @Test("other statuses are refused", arguments: [204, 206, 301, 404, 500, 503])
  func statuses(status: Int) async throws {
    let scene = try FilterAppScene()
    try await expect(.refused(status: status), .response(status, [:], [Data("no".utf8)]), in: scene)
  }

  @Test("without rules, a server can't answer that they are unchanged")
  func unchangedNothing() async throws {
    let scene = try FilterAppScene()
    scene.server.set(.response(304))
    await #expect(throws: RulesUpdateError.refused(status: 304)) { try await scene.update().run() }
  }

  @Test(
    "errors of the connection",
    arguments: [
      (.notConnectedToInternet, .offline), (.dataNotAllowed, .offline), (.cancelled, .cancelled),
      (.timedOut, .unreachable(code: -1001)), (.networkConnectionLost, .unreachable(code: -1005)),
      (.secureConnectionFailed, .unreachable(code: -1200)),
    ] as [(URLError.Code, RulesUpdateError)])
  func connection(code: URLError.Code, error: RulesUpdateError) async throws {
    let scene = try FilterAppScene()
    try await expect(error, .error(URLError(code)), in: scene)
  }

  @Test("only https is used, also after a redirect")
  func insecure() async throws {
    let scene = try FilterAppScene()
    try await expect(
      .insecureRedirect, .error(DirectoryUpdateError.insecureRedirect(name: "rules.cdrules")), in: scene)
    let asked = scene.server.requests.count
    for text in ["http://rules.example.com/rules.cdrules", "file:///rules.cdrules", "rules.cdrules"] {
      let url = try #require(URL(string: text))
      await #expect(throws: RulesUpdateError.badAddress) { try await scene.update(from: url).run() }
    }
    #expect(scene.server.requests.count == asked)
  }

  @Test("a full disk leaves the rules as they are, and the next update continues")
  func fullDisk() async throws {
    let scene = try FilterAppScene()
    scene.server.serve(try scene.junk("casino"), tag: "\"1\"")
    _ = try await scene.update().run()
    let tuesday = try scene.junk("loan")
    scene.server.serve(tuesday, tag: "\"2\"")
    for files in 0...1 {
      let disk = FullDisk(afterFiles: files)
      await #expect(throws: RulesUpdateError.diskFull) {
        try await scene.update(write: disk.write).run()
      }
      #expect((scene.downloaded == tuesday) == (files == 1))
    }
    // The rules were written, but not their tag: they are sent again, and are not new.
    #expect(scene.server.requests.last == ["If-None-Match": "\"1\""])
    #expect(try await scene.update().run() == .upToDate)
    #expect(scene.update().record?.tag == "\"2\"")
  }

  @Test("a folder that can't be written")
  func noFolder() async throws {
    let scene = try FilterAppScene()
    scene.server.serve(try scene.junk("casino"))
    try FileManager.default.removeItem(at: scene.group)
    let error = await #expect(throws: RulesUpdateError.self) { try await scene.update().run() }
    guard case .disk = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "a cancelled update changes nothing, and a second one at the same time does not start",
    .timeLimit(.minutes(10)))
  func cancelled() async throws {
    let scene = try FilterAppScene()
    scene.server.set(.silence)
    let update = scene.update()
    let running = Task { try await update.run() }
    while scene.server.requests.isEmpty { await Task.yield() }
    await #expect(throws: RulesUpdateError.inProgress) { try await update.run() }
    running.cancel()
    await #expect(throws: RulesUpdateError.cancelled) { try await running.value }
    #expect(scene.downloaded == nil && update.record == nil)
    scene.server.serve(try scene.junk("casino"))
    #expect(try await update.run() == .updated)
  }

  @Test("an app's Info.plist: no address, a bad one, and one without an app group")
  func settings() throws {
    #expect(try RulesUpdate(of: .main) == nil)
    let workplace = try Workplace()
    for (index, address) in ["http://rules.example.com/r", "https:///r", "https://rules.example.com/r"]
      .enumerated()
    {
      let folder = workplace.folder.appending(path: "App\(index).app")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let info = ["CFBundleIdentifier": "com.example.app\(index)", RulesUpdate.urlKey: address]
      try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
        .write(to: folder.appending(path: "Info.plist"))
      let bundle = try #require(Bundle(url: folder))
      let error: RulesUpdateError = index < 2 ? .badAddress : .noAppGroup
      #expect(throws: error) { try RulesUpdate(of: bundle) }
    }
  }

  #if os(Linux)
    @Test("over a network: the rules, and then nothing", .timeLimit(.minutes(10)))
    func network() async throws {
      let scene = try FilterAppScene()
      let rules = try scene.junk("casino")
      try rules.write(to: scene.workplace.folder.appending(path: "served.cdrules"))
      let listener = try Listener(
        "/usr/bin/env", ["python3", "-c", Self.server, scene.workplace.path("served.cdrules")])
      let update = RulesUpdate(
        url: FilterAppScene.url, folder: scene.group, transport: PlainTransport(port: listener.port))
      #expect(try await update.run() == .updated)
      #expect(scene.downloaded == rules)
      #expect(try await update.run() == .upToDate)
      listener.end()
      let error = await #expect(throws: RulesUpdateError.self) { try await update.run() }
      guard case .unreachable = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(scene.downloaded == rules)
    }

    /// A server of one file with a tag. It ends with an error if an unconditional request comes after the first.
    private static let server = """
      import http.server, sys
      class Handler(http.server.BaseHTTPRequestHandler):
          asked = 0
          def do_GET(self):
              Handler.asked += 1
              matches = self.headers.get("If-None-Match") == '"one"'
              body = b"" if matches else open(sys.argv[1], "rb").read()
              self.send_response(304 if matches else 200 if Handler.asked == 1 else 500)
              self.send_header("ETag", '"one"')
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)
          def log_message(self, *_): pass
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      print("listening on 127.0.0.1:%d" % server.server_port, file=sys.stderr, flush=True)
      server.serve_forever()
      """
  #endif
}

#if os(Linux)
  /// Requests files of this machine without TLS, which the app itself does not allow.
  private struct PlainTransport: UpdateTransport {
    let port: Int

    func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
      let local = try #require(URL(string: "http://127.0.0.1:\(port)\(url.path)"))
      try await URLSessionTransport().get(local, headers: headers, body: body)
    }
  }
#endif
