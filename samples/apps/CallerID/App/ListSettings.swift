// Where the list is, and who may have signed it: keys of the app's Info.plist. Not for downloading it (CallerDirectory).

import CallDirectoryKit
import Foundation

/// Why an app's settings of its list can't be used.
nonisolated enum ListSettingsError: Error, Equatable {
  /// `ListURL` is missing, or is not an https URL.
  case invalidURL(String)
  /// An item of `ListKey` is not a public key as `cdpipe keys generate` prints it, or the list of keys is empty.
  case invalidKey(String)
  /// `ListEncoding` is neither `plain` nor `gzip`.
  case unknownEncoding(String)
}

/// An app's settings of its list.
nonisolated struct ListSettings: Sendable {
  /// The URL of the published folder.
  let url: URL
  /// Which manifests are accepted.
  let trust: UpdateTrust
  /// How the server offers stores and deltas.
  let encoding: UpdateEncoding

  /// Creates settings.
  init(url: URL, trust: UpdateTrust, encoding: UpdateEncoding) {
    self.url = url
    self.trust = trust
    self.encoding = encoding
  }

  /// Reads the keys of an Info.plist: `ListURL`, `ListKey` (the publisher's public keys; without it, lists need no
  /// signature) and `ListEncoding` (`plain`, the default, or `gzip`).
  init(info: [String: Any]) throws(ListSettingsError) {
    let address = info["ListURL"] as? String ?? ""
    guard let url = URL(string: address), url.scheme?.lowercased() == "https", url.host?.isEmpty == false
    else {
      throw .invalidURL(address)
    }
    // File names are appended to it: without the slash, the last component would be replaced.
    self.url = address.hasSuffix("/") ? url : url.appendingPathComponent("", isDirectory: true)
    trust = try Self.trust(info["ListKey"])
    switch info["ListEncoding"] as? String ?? "plain" {
    case "plain": encoding = .plain
    case "gzip": encoding = .gzip
    case let other: throw .unknownEncoding(other)
    }
  }

  /// The app's own settings.
  init() throws(ListSettingsError) { try self.init(info: Bundle.main.infoDictionary ?? [:]) }

  /// A key that can't be read is an error: an app with a wrong key must not accept unsigned lists.
  private static func trust(_ value: Any?) throws(ListSettingsError) -> UpdateTrust {
    guard let value else { return .unsigned }
    let texts = value as? [String] ?? []
    if texts.isEmpty { throw .invalidKey("\(value)") }
    var keys: [ManifestKey] = []
    for text in texts {
      guard let key = ManifestKey(text) else { throw .invalidKey(text) }
      keys.append(key)
    }
    return .signed(by: keys)
  }
}
