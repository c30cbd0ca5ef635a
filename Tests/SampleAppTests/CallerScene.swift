// A phone with the sample app CallerID, and a server whose files were made from a raw list.

import CallDirectory
import CallDirectoryKit
import CallKit
import CallManifest
import Foundation
import FrameworkServices
import Hashing
import SampleShared
import SimulatedPhone
import Synchronization
import Testing

@testable import CallerID

/// Reads the server's files from its folder.
struct FolderTransport: UpdateTransport {
  func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
    let data = try? Data(contentsOf: url)
    try body.begin(ServerResponse(status: data == nil ? 404 : 200))
    if let data { try body.append(data) }
  }
}

/// The numbers of the extensions that were asked to load, in order.
final class RequestLog: Sendable {
  private let extensions = Mutex<[Int]>([])

  func add(_ number: Int) { extensions.withLock { $0.append(number) } }

  /// Those since the last call of this method.
  func next() -> [Int] {
    extensions.withLock { extensions in
      defer { extensions = [] }
      return extensions
    }
  }
}

/// A phone with the app, and a server whose files were made from a raw list.
final class CallerScene {
  static let prefix = "com.example.callerid.directory"
  /// A label in each shard is long: otherwise a delta would be larger than a quarter of the store, and the store loaded.
  private static let long = String(repeating: "长", count: 2_000)
  static let monday = """
    [{"13800138001": "快递"}, {"13800138002": "诈骗电话"}, {"13800138003": "\(long)"},
    {"13800138004": "快递"}, {"13800138005": "\(long)"}, {"13800138006": "骚扰电话"},]
    """
  static let tuesday = """
    [{"13800138001": "外卖"}, {"13800138002": "诈骗电话"}, {"13800138003": "\(long)"},
    {"13800138005": "\(long)"}, {"13800138006": "骚扰电话"}, {"13800138009": "诈骗"},]
    """

  let services: FrameworkServices
  let requests = RequestLog()
  let workplace: Workplace
  let directory: CallerID.CallerDirectory
  var phone: SimulatedPhone { services.phone }
  var server: URL { workplace.folder.appendingPathComponent("server") }

  init(extensions count: Int = 3, ownList: Bool = false, overNetwork server: URL? = nil) throws {
    workplace = try Workplace()
    services = FrameworkServices(try SimulatedPhone())
    services.install()
    services.phone.setCallingCode(86)
    let folder = workplace.folder
    let group = folder.appendingPathComponent("group")
    try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
    let extensions = ((ownList ? 0 : 1)...count).compactMap {
      InstalledExtension("\(Self.prefix)\($0)", resources: folder)
    }
    directory = CallerID.CallerDirectory(
      ListSettings(
        url: server ?? folder.appendingPathComponent("server"), trust: .unsigned, encoding: .gzip),
      group: group, extensions: extensions,
      transport: server == nil ? FolderTransport() : URLSessionTransport())
    for own in extensions {
      let program = ExtensionProgram.handler { [requests] in
        requests.add(own.index.number)
        return CallDirectoryHandler(own.index, group: group)
      }
      try services.phone.install(own.identifier, program)
      #expect(services.phone.switchOn(own.identifier).isSuccess)
    }
  }

  deinit { services.uninstall() }

  /// Makes the server's files from a list: shards of four numbers, a small bootstrap store, and deltas.
  func publish(_ raw: String, since baseline: Bool = false) throws {
    try workplace.write("raw.json", raw)
    try workplace.write(
      "pipeline.yaml",
      """
      sources: [{ path: raw.json, normalize: { region: CN } }]
      emit:
        format: store
        block: ["诈骗*"]
        path: \(baseline ? "new" : "server")
        max-entries: 4
        bootstrap: 2
        baseline: \(baseline ? "server/manifest.json" : "none")
      """)
    try workplace.cdpipe("run", "--quiet", "pipeline.yaml")
    if baseline {
      try FileManager.default.removeItem(at: server)
      try FileManager.default.moveItem(at: workplace.folder.appendingPathComponent("new"), to: server)
    }
    for name in try files() where name != "manifest.json" {
      try workplace.run("/usr/bin/env", ["gzip", "-k", "-n", server.appendingPathComponent(name).path])
    }
  }

  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: server.path).sorted()
  }

  /// The compressed stores of the server's shards.
  func shards() throws -> [String] { try files().filter { $0.hasPrefix("0") && $0.hasSuffix(".cdstore.gz") } }

  /// Signs the server's manifest, as `cdpipe run` does when it publishes.
  func sign(with key: Ed25519.PrivateKey, serial: Int64 = 1, expires: Int64 = 4_000_000_000) throws {
    var hasher = SHA256Hasher()
    hasher.update(Array(try Data(contentsOf: server.appendingPathComponent("manifest.json"))).span)
    let statement = SignatureFile.Statement(serial: serial, expires: expires, manifestHash: hasher.digest)
    let signature = SignatureFile.KeySignature(
      keyID: try #require(ManifestKey(bytes: key.publicKey)).id,
      signature: try #require(key.signature(of: statement.bytes)))
    try Data(SignatureFile(statement: statement, signatures: [signature]).bytes)
      .write(to: server.appendingPathComponent("manifest.json.sig"))
  }

  /// The model of the app's screen. Its bundle has a bootstrap store only if there is a folder `bundle`.
  @MainActor
  func model(
    trust: UpdateTrust = .unsigned, transport: any UpdateTransport = FolderTransport()
  ) -> CallerModel {
    let settings = ListSettings(url: server, trust: trust, encoding: .gzip)
    return CallerModel(
      settings: { settings }, group: directory.updater.folder, extensions: directory.extensions,
      resources: workplace.folder.appendingPathComponent("bundle"), transport: transport)
  }

  /// Changes a file on the server.
  func change(_ name: String, _ body: (inout Data) -> Void) throws {
    let url = server.appendingPathComponent(name)
    var data = try Data(contentsOf: url)
    body(&data)
    try data.write(to: url)
  }

  func answer(_ number: String) throws -> CallAnswer { try phone.answer(IncomingCall(from: number)) }

  func label(_ number: String) throws -> String? {
    if case .identified(let label, _) = try answer(number) { return label }
    return nil
  }

  func isBlocked(_ number: String) throws -> Bool {
    if case .blocked(by: .extension) = try answer(number) { return true }
    return false
  }

  func expectMonday() throws {
    #expect(try label("138 0013 8001") == "快递" && label("+86 138 0013 8006") == "骚扰电话")
    #expect(try isBlocked("13800138002") && answer("13800138009") == .unknown)
  }

  func expectTuesday() throws {
    #expect(try label("13800138001") == "外卖" && answer("13800138004") == .unknown)
    #expect(try isBlocked("13800138002") && isBlocked("13800138009"))
  }
}
