// The lookup app: its status, its actions, and the context that the extension passes to iOS.

import Foundation
import FrameworkServices
import IdentityLookup
import SimulatedPhone
import Testing

@testable import LiveLookup

private let identifier = "com.example.callerid.lookup"

/// A phone with the app and its extension.
private final class Scene {
  let services: FrameworkServices
  let control: LookupControl
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    services = FrameworkServices(try SimulatedPhone())
    services.install()
    control = LookupControl(identifier, group: workplace.folder)
    let servers = try #require(
      LookupServers([
        "NSPIRConfiguration": [
          "PIRServerURL": "https://lookup.example.com", "PrivacyPassIssuerURL": "https://issuer.example.com",
        ]
      ]))
    let token = control.token
    services.lookups.install(identifier) { servers.context(token.data) }
  }

  deinit { services.uninstall() }

  var context: LiveCallerIDLookupExtensionContext? { services.lookups.context(identifier) }
}

extension SampleApps {
  @Suite("LiveLookup")
  struct LiveLookupTests {
    @Test("the status follows the switch in Settings, which the app can only open")
    func status() async throws {
      let scene = try Scene()
      #expect(scene.control.status == .off && scene.context == nil)
      try await scene.control.openSettings()
      #expect(scene.services.lookups.settingsOpenings == 1 && scene.control.status == .off)
      scene.services.lookups.setEnabled(true, identifier)
      #expect(scene.control.status == .enabled)
      #expect(
        scene.context
          == LiveCallerIDLookupExtensionContext(
            serviceURL: try #require(URL(string: "https://lookup.example.com")),
            tokenIssuerURL: try #require(URL(string: "https://issuer.example.com")), userTierToken: Data()))
      scene.services.lookups.setEnabled(false, identifier)
      #expect(scene.control.status == .off)
    }

    @Test("a token in Base64 is stored, and iOS asks the extension for it at once")
    func token() async throws {
      let scene = try Scene()
      scene.services.lookups.setEnabled(true, identifier)
      try await scene.control.use(token: "BBBB")
      #expect(scene.context?.userTierToken == Data([0x04, 0x10, 0x41]))
      #expect(scene.services.lookups.resets(identifier) == 0)
      for text in ["", "B", "not Base64!"] {
        await #expect(throws: UserTokenError.notBase64) { try await scene.control.use(token: text) }
      }
      #expect(scene.control.token.data == Data([0x04, 0x10, 0x41]))
    }

    @Test("refreshing fetches the parameters, and resetting asks the extension again")
    func actions() async throws {
      let scene = try Scene()
      scene.services.lookups.setEnabled(true, identifier)
      try await scene.control.refreshParameters()
      #expect(scene.services.lookups.parameterRefreshes(identifier) == 1)
      try scene.control.token.set("AAAA")
      #expect(scene.context?.userTierToken == Data())
      try await scene.control.reset()
      #expect(scene.services.lookups.resets(identifier) == 1)
      #expect(scene.context?.userTierToken == Data([0, 0, 0]))
    }

    @Test("without the extension, actions fail and the status is off")
    func missing() async throws {
      let scene = try Scene()
      let other = LookupControl("com.example.other", group: FileManager.default.temporaryDirectory)
      await #expect(throws: (any Error).self) { try await other.reset() }
      await #expect(throws: (any Error).self) { try await other.refreshParameters() }
      #expect(other.status == .off)
      scene.services.uninstall()
      await #expect(throws: (any Error).self) { try await scene.control.openSettings() }
    }

    @Test(
      "servers that are missing or not URLs are not accepted",
      arguments: [
        [:], ["PIRServerURL": "https://a.example"], ["PrivacyPassIssuerURL": "https://a.example"],
        ["PIRServerURL": "", "PrivacyPassIssuerURL": "https://a.example"],
      ])
    func servers(keys: [String: String]) {
      #expect(LookupServers(["NSPIRConfiguration": keys]) == nil)
      #expect(LookupServers(keys) == nil)
    }
  }
}
