// What the owner reads for every error of an update, and the settings of a list.

import CallDirectoryKit
import CallManifest
import Foundation
import SampleShared
import Testing

@testable import CallerID

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Errors of an update")
struct UpdateNoticeTests {
  /// An error, and what the owner reads.
  struct Shown: CustomTestStringConvertible, Sendable {
    let error: any Error
    let text: String
    let remedy: String
    var action: DirectoryNotice.Action? = .retry
    var testDescription: String { "\(error)" }

    init(_ error: any Error, _ text: String, _ remedy: String, _ action: DirectoryNotice.Action? = .retry) {
      (self.error, self.text, self.remedy, self.action) = (error, text, remedy, action)
    }

    /// The error of a manifest that is not trusted.
    init(_ error: ManifestSignatureError, _ text: String, _ remedy: String) {
      self.init(DirectoryUpdateError.untrusted(error) as any Error, text, remedy)
    }

    /// Another error of an update.
    init(
      _ error: DirectoryUpdateError, _ text: String, _ remedy: String,
      _ action: DirectoryNotice.Action? = .retry
    ) {
      self.init(error as any Error, text, remedy, action)
    }
  }

  private static let another = "Try another network, or try again later."
  private static let changed = "The list on the server was changed after it was signed. It was not used."
  private static let tooOld = "The list needs a newer version of this app."
  private static let store = "Update the app in the App Store."
  private static let noSpace = "There is not enough storage for the list."
  private static let freeUp = "Free up storage in Settings under General, then try again."
  private static let insecure = "There is no secure connection to the server."

  static let errors: [Shown] = [
    Shown(
      URLError(.notConnectedToInternet), "There is no internet connection.",
      "Check Wi-Fi and mobile data, then try again."),
    Shown(
      URLError(.dataNotAllowed), "There is no internet connection.",
      "Check Wi-Fi and mobile data, then try again."),
    Shown(URLError(.serverCertificateUntrusted), insecure, "Try another network."),
    Shown(URLError(.secureConnectionFailed), insecure, "Try another network."),
    Shown(
      URLError(.timedOut), "The server can’t be reached (-1001).",
      "Check the internet connection, or try again later."),
    Shown(
      .refused(name: "manifest.json", status: 404), "The server reported an error (404).", "Try again later."),
    Shown(
      .insecureRedirect(name: "manifest.json"), "The server redirected to an insecure address.",
      "Try another network."),
    Shown(.unsigned, "The list on the server is not signed. It was not used.", another),
    Shown(
      .wrongKey(signedBy: ["a"]), "The list on the server is signed with an unknown key. It was not used.",
      "Update the app in the App Store. If there is no update, try another network."),
    Shown(
      .olderThanAccepted(serial: 1, accepted: 2),
      "The list on the server is older than the one in use. It was not used.", another),
    Shown(
      .expired(at: 1), "The list on the server has expired. It was not used.",
      "Check the date and time in Settings, or try again later."),
    Shown(.altered, changed, another), Shown(.damaged, changed, another),
    Shown(ManifestSignatureError.manifest(.notAManifest), changed, another),
    Shown(.unsupportedVersion(2), tooOld, store),
    Shown(ManifestSignatureError.manifest(.unsupportedVersion(2)), tooOld, store),
    Shown(DirectoryUpdateError.manifest(.unsupportedVersion(2)), tooOld, store),
    Shown(.missingExtension(4), tooOld, store),
    Shown(
      DirectoryUpdateError.manifest(.notJSON(line: 1, column: 1)), "The server’s answer is not a list.",
      "If this Wi-Fi network has a sign-in page, sign in. Then try again."),
    Shown(.tooLarge(name: "a"), "A downloaded file is damaged.", "Try again later."),
    Shown(DirectoryUpdateError.damaged(name: "a"), "A downloaded file is damaged.", "Try again later."),
    Shown(.disk(code: ENOSPC, path: "/a"), noSpace, freeUp),
    Shown(CocoaError(.fileWriteOutOfSpace), noSpace, freeUp),
    Shown(
      .disk(code: EIO, path: "/a"), "The list could not be saved (5).", "Restart the device, then try again."),
    Shown(
      CocoaError(.fileWriteNoPermission), "The list could not be saved (513).",
      "Restart the device, then try again."),
    Shown(.inProgress, "Another update is in progress.", "Wait until it has ended.", nil),
    Shown(
      CancellationError(), "The update was cancelled.", "The next update continues where this one ended."),
    Shown(ListSettingsError.invalidKey("a"), "The app does not know where its list is.", store, nil),
  ]

  @Test("every error has a text and a way out", arguments: errors)
  func notice(shown: Shown) {
    let notice = DirectoryNotice(updateError: shown.error)
    #expect(notice.text == shown.text && notice.remedy == shown.remedy && notice.action == shown.action)
  }
}

@Suite("The settings of a list")
struct ListSettingsTests {
  private static let key = "ed25519:8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f"

  @Test("are keys of the Info.plist")
  func settings() throws {
    let settings = try ListSettings(info: [
      "ListURL": "https://lists.example.com/spam", "ListKey": [Self.key, Self.key], "ListEncoding": "gzip",
    ])
    #expect(settings.url.absoluteString == "https://lists.example.com/spam/")
    guard case .signed(let keys, _) = settings.trust, case .gzip = settings.encoding else {
      Issue.record("\(settings)")
      return
    }
    #expect(keys == [try #require(ManifestKey(Self.key)), try #require(ManifestKey(Self.key))])
    let plain = try ListSettings(info: ["ListURL": "https://lists.example.com/"])
    guard case .unsigned = plain.trust, case .plain = plain.encoding else {
      Issue.record("\(plain)")
      return
    }
    #expect(plain.url.appendingPathComponent("a").absoluteString == "https://lists.example.com/a")
  }

  @Test("an invalid one is an error: a wrong key never means that any list is accepted")
  func invalid() {
    func error(_ info: [String: Any]) -> ListSettingsError? {
      do {
        _ = try ListSettings(info: info)
        return nil
      } catch {
        return error
      }
    }
    let url = "https://lists.example.com"
    #expect(error([:]) == .invalidURL(""))
    #expect(error(["ListURL": "http://lists.example.com"]) == .invalidURL("http://lists.example.com"))
    #expect(error(["ListURL": "https://"]) == .invalidURL("https://"))
    #expect(error(["ListURL": url, "ListKey": ["ed25519:"]]) == .invalidKey("ed25519:"))
    #expect(error(["ListURL": url, "ListKey": [Self.key, ""]]) == .invalidKey(""))
    #expect(error(["ListURL": url, "ListKey": [String]()]) == .invalidKey("[]"))
    #expect(error(["ListURL": url, "ListKey": Self.key]) == .invalidKey(Self.key))
    #expect(error(["ListURL": url, "ListEncoding": "brotli"]) == .unknownEncoding("brotli"))
  }
}
