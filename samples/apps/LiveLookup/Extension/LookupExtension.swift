// The extension's entry point. iOS asks it for the servers and the token, when it registers the extension and after a
// refresh. It does not run during a call, and it never learns who calls.

import Foundation
import IdentityLookup

#if canImport(SampleShared)
  import SampleShared
#endif

/// Returns the servers in Info.plist, and the token that the app has set.
#if !canImport(SampleShared)
  // In cdpipe's package, app and extension are one library, which has no entry point.
  @main
#endif
nonisolated struct LookupExtension: LiveCallerIDLookupProtocol {
  var context: LiveCallerIDLookupExtensionContext {
    guard let servers = LookupServers(Bundle.main.infoDictionary ?? [:]) else {
      fatalError("Info.plist has no servers under \(LookupServers.key)")
    }
    return servers.context(AppGroup.folder().map { UserToken($0).data } ?? Data())
  }
}

/// The servers in the extension's Info.plist. From iOS 27.3, iOS reads these keys itself; before, it asks the extension.
nonisolated struct LookupServers: Equatable, Sendable {
  /// The key of the dictionary in Info.plist.
  static let key = "NSPIRConfiguration"

  /// The server that answers lookups.
  let server: URL
  /// The issuer of Privacy Pass tokens.
  let issuer: URL

  /// Reads the servers; nil if one of them is missing or not a URL.
  init?(_ info: [String: Any]) {
    let keys = info[Self.key] as? [String: Any]
    guard let server = (keys?["PIRServerURL"] as? String).flatMap(URL.init(string:)),
      let issuer = (keys?["PrivacyPassIssuerURL"] as? String).flatMap(URL.init(string:))
    else { return nil }
    self.server = server
    self.issuer = issuer
  }

  /// The context for iOS.
  func context(_ token: Data) -> LiveCallerIDLookupExtensionContext {
    LiveCallerIDLookupExtensionContext(serviceURL: server, tokenIssuerURL: issuer, userTierToken: token)
  }
}
