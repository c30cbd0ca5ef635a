// Scaffolded projects on the simulated phone: what a bundle of each target would contain, loaded by the sources of the
// samples, which are those of the project: first load, nightly update, failure and recovery, and Settings.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation
import FrameworkServices
import IdentityLookup
import SimulatedPhone
import Testing

@testable import Block070
@testable import CallerID
@testable import LiveLookup
@testable import MessageFilter
@testable import SampleShared

#if os(Linux)
  /// A scaffolded project with its targets, and the phone that their bundles are installed on.
  private final class ScaffoldedScene {
    let workplace: Workplace
    let services: FrameworkServices
    let group: URL
    private(set) var targets: [ProjectTarget] = []
    var phone: SimulatedPhone { services.phone }

    init(callingCode: Int) throws {
      workplace = try Workplace()
      services = FrameworkServices(try SimulatedPhone())
      group = workplace.folder.appendingPathComponent("group")
      try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
      services.install()
      services.phone.setCallingCode(callingCode)
    }

    deinit { services.uninstall() }

    func scaffold(_ kind: String, _ options: [String]) throws {
      try ScaffoldedKind(testDescription: kind, options: options).scaffold(in: workplace)
      targets = try ProjectTarget.all(of: "project", in: workplace)
    }

    /// The targets of Call Directory extensions.
    var directories: [ProjectTarget] { targets.filter { $0.infoPlist == "Support/Directory-Info.plist" } }

    /// A folder with the resources of a target.
    func bundle(of target: ProjectTarget) throws -> URL {
      let bundle = workplace.folder.appendingPathComponent("bundles/\(target.name)")
      try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
      for pattern in target.resources {
        let parts = pattern.split(separator: "/").map(String.init)
        let ends = parts[1].components(separatedBy: "*")
        let folder = workplace.folder.appendingPathComponent("project/\(parts[0])")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix(ends[0]) && name.contains(ends[ends.count / 2])
          && name.hasSuffix(ends[ends.count - 1])
        {
          try FileManager.default.copyItem(
            at: folder.appendingPathComponent(name), to: bundle.appendingPathComponent(name))
        }
      }
      return bundle
    }

    /// The Info.plist of a target.
    func info(of target: ProjectTarget) throws -> [String: Any] {
      let data = try Data(contentsOf: URL(fileURLWithPath: workplace.path("project/" + target.infoPlist)))
      let info = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
      return try #require(info as? [String: Any])
    }

    /// Installs an extension, and enables it in Settings.
    func install(_ own: InstalledExtension, _ handler: @escaping @Sendable () -> CXCallDirectoryProvider)
      throws
    {
      try phone.install(own.identifier, .handler(handler))
      #expect(phone.switchOn(own.identifier).isSuccess)
    }

    func answer(_ number: String) throws -> CallAnswer { try phone.answer(IncomingCall(from: number)) }
  }

  /// The server of a scaffolded app: a published folder.
  private struct PublishedTransport: UpdateTransport {
    let folder: URL

    func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
      let start = "https://lists.example.com/lists/current/"
      #expect(url.absoluteString.hasPrefix(start))
      let name = String(url.absoluteString.dropFirst(start.count))
      let data = try? Data(contentsOf: folder.appendingPathComponent(name))
      try body.begin(ServerResponse(status: data == nil ? 404 : 200))
      if let data { try body.append(data) }
    }
  }

  extension SampleApps {
    @Suite("A scaffolded project on a phone")
    struct ScaffoldedScenarioTests {
      @Test("a blocker loads a shard in each extension, and recovers from a failure", arguments: [1, 9, 51])
      func blocker(count: Int) async throws {
        let scene = try ScaffoldedScene(callingCode: 82)
        // Ten numbers for each extension; as many extensions as shards.
        let last = 827_012_340_000 + count * 10 - 1
        try scene.workplace.write("list.tsv", "827012340000..\(last)\t070\n")
        try scene.workplace.cdpipe(
          "emit", "--format", "store", "--block", "*", "--max-entries", "10", "-o", "stores", "list.tsv")
        try scene.scaffold("blocker", ["--stores", "stores"])
        #expect(scene.directories.count == count)
        let group = scene.group
        let extensions = try scene.directories.map { target in
          let bundle = try scene.bundle(of: target)
          #expect(try FileManager.default.contentsOfDirectory(atPath: bundle.path).count == 1)
          return try #require(InstalledExtension(target.identifier, resources: bundle))
        }
        for own in extensions {
          try scene.install(own) { Block070.CallDirectoryHandler(own, group: group) }
        }
        let blocking = BlockingSwitch(flag: BlockingFlag(group), extensions: extensions)
        let loaded = [ReloadOutcome](repeating: .loaded, count: count)
        #expect(try await blocking.set(true) == loaded)
        let final = extensions[count - 1]
        #expect(try scene.answer("+\(last)") == .blocked(by: .extension(final.identifier)))
        #expect(try scene.answer("+\(last + 1)") == .unknown)

        // A damaged store: the extension's numbers are gone until it is replaced.
        let files = try #require(final.files(recordsIn: group))
        let store = try Data(contentsOf: URL(fileURLWithPath: files.store))
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: files.store))
        let failed = try await blocking.set(true)
        #expect(failed.dropLast() == loaded.dropLast())
        guard case .failed = failed[count - 1] else {
          Issue.record("\(failed)")
          return
        }
        try store.write(to: URL(fileURLWithPath: files.store))
        #expect(try await blocking.set(true) == loaded)
        #expect(try scene.answer("+\(last)") == .blocked(by: .extension(final.identifier)))

        try scene.phone.switchOff(final.identifier)
        #expect(try await blocking.set(true).last == .disabled)
        #expect(try scene.answer("+\(last)") == .unknown)
        #expect(scene.phone.switchOn(final.identifier).isSuccess)
        #expect(try await blocking.set(false) == loaded)
        #expect(try scene.answer("+\(last)") == .unknown)
      }

      @Test(
        "an app that downloads its list starts with the bootstrap store, and then loads what is new",
        arguments: ["caller-id", "all"], [1, 9, 51])
      func nightly(kind: String, count: Int) async throws {
        let scene = try ScaffoldedScene(callingCode: 86)
        let workplace = scene.workplace
        let key = try workplace.cdpipe("keys", "generate", "-o", "signing.key")
        try workplace.write("signing.pub", key)
        try workplace.write(
          "pipeline.yaml",
          """
          sources: [{ path: list.csv, region: CN }]
          emit: { format: store, max-entries: 4, bootstrap: 2 }
          publish: { directory: public, sign: signing.key }
          """)
        func publish(_ label: String) throws {
          let rows = (0..<count * 4).map { "\(13_800_138_000 + $0),\($0 == 0 ? label : "spam")\n" }
          try workplace.write("list.csv", "number,label\n" + rows.joined())
          try workplace.cdpipe("run", "--quiet", "pipeline.yaml")
        }
        try publish("monday")
        let others = kind == "all" ? ScaffoldedKind.rules + ScaffoldedKind.lookup : []
        try scene.scaffold(
          kind, ScaffoldedKind.list + ["--stores", "public", "--list-key", "signing.pub"] + others)
        #expect(scene.directories.count == count)
        let app = scene.targets[0]
        let resources = try scene.bundle(of: app)
        let extensions = try scene.directories.map { target in
          try #require(InstalledExtension(target.identifier, resources: try scene.bundle(of: target)))
        }
        let group = scene.group
        for own in extensions {
          try scene.install(own) { CallerID.CallDirectoryHandler(own.index, group: group) }
        }
        let folder = workplace.folder.appendingPathComponent("public/current")
        let directory = CallerID.CallerDirectory(
          try ListSettings(info: try scene.info(of: app)), group: group, extensions: extensions,
          transport: PublishedTransport(folder: folder))

        try directory.installBootstrap(from: resources)
        #expect(await directory.load() == [.loaded])
        let start = try scene.phone.entryCounts(extensions[0].identifier)
        #expect(start.blocking + start.identification == 2)
        #expect(try await directory.update() == [ReloadOutcome](repeating: .loaded, count: count))
        #expect(try scene.label("13800138000") == "monday")
        #expect(try scene.label("\(13_800_138_000 + count * 4 - 1)") == "spam")

        // Only the extension whose shard has changed is loaded.
        try publish("tuesday")
        #expect(try await directory.update() == [.loaded])
        #expect(try scene.label("13800138000") == "tuesday")

        // A list that another key signed changes nothing; the next one of the publisher is accepted.
        try publish("wednesday")
        let signature = folder.appendingPathComponent("manifest.json.sig")
        let valid = try Data(contentsOf: signature)
        try Data("{}".utf8).write(to: signature)
        await #expect(throws: (any Error).self) { _ = try await directory.update() }
        #expect(try scene.label("13800138000") == "tuesday")
        try valid.write(to: signature)
        try scene.phone.switchOff(extensions[0].identifier)
        #expect(try await directory.update() == [.disabled])
        #expect(scene.phone.switchOn(extensions[0].identifier).isSuccess)
        #expect(try scene.label("13800138000") == "wednesday")
      }

      @Test("a message filter has its rules and its server", arguments: ["message-filter", "all"])
      func filter(kind: String) throws {
        let scene = try ScaffoldedScene(callingCode: 86)
        let others = kind == "all" ? ScaffoldedKind.list + ScaffoldedKind.lookup : []
        try scene.scaffold(kind, ScaffoldedKind.rules + others)
        let target = try #require(scene.targets.first { $0.infoPlist == "Support/Filter-Info.plist" })
        for owner in [target, scene.targets[0]] {
          let bundle = try scene.bundle(of: owner)
          let installed = InstalledRules(in: RulesFolders(group: scene.group, bundle: bundle))
          #expect(installed.origin == .bundle)
          let decision = installed.rules.decision(sender: "10690000", body: "casino tonight", receiver: "CN")
          #expect(decision.verdict.action == .junk && decision.rule == "casino")
        }
        #expect(FilterServer.host(inInfo: try scene.info(of: target)) == "filter.example.com")
        let info = try scene.info(of: scene.targets[0])
        #expect(info[RulesUpdate.urlKey] as? String == "https://rules.example.com/rules.cdrules")
      }

      @Test(
        "a lookup extension has its servers, and the app knows its identifier",
        arguments: ["live-lookup", "all"])
      func lookup(kind: String) throws {
        let scene = try ScaffoldedScene(callingCode: 86)
        let others = kind == "all" ? ScaffoldedKind.list + ScaffoldedKind.rules : []
        try scene.scaffold(kind, ScaffoldedKind.lookup + others)
        let target = try #require(scene.targets.first { $0.infoPlist == "Support/Lookup-Info.plist" })
        let servers = try #require(LookupServers(try scene.info(of: target)))
        #expect(
          servers.server.absoluteString == "https://lookup.example.com" && servers.issuer == servers.server)
        let info = try scene.info(of: scene.targets[0])
        #expect(info[LookupControl.key] as? String == target.identifier)
      }
    }
  }

  extension ScaffoldedScene {
    /// The label that a caller is shown with.
    fileprivate func label(_ number: String) throws -> String? {
      if case .identified(let label, _) = try answer(number) { return label }
      return nil
    }
  }
#endif
