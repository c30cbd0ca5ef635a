// The server that iOS asks about messages that no rule matches. Its URL is in the Info.plist of the filter, where iOS
// reads it; the app reads it there, too, to say who gets messages.

import Foundation

/// Finds the filter's server.
nonisolated enum FilterServer {
  /// The host of the server of the filter in an app's bundle; nil if the filter has none.
  static func host(in app: Bundle = .main) -> String? {
    let urls = app.builtInPlugInsURL.flatMap {
      try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }
    return (urls ?? []).lazy.compactMap { Bundle(url: $0)?.infoDictionary.flatMap(host(inInfo:)) }.first
  }

  /// The host in the Info.plist of an extension; nil if it is not a message filter, or has no server.
  static func host(inInfo info: [String: Any]) -> String? {
    guard let own = info["NSExtension"] as? [String: Any],
      let attributes = own["NSExtensionAttributes"] as? [String: Any],
      let url = attributes["ILMessageFilterExtensionNetworkURL"] as? String
    else { return nil }
    return URL(string: url)?.host
  }
}
