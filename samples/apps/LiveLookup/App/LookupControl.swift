// The calls of iOS with which an app controls its lookup extension: its status, and the actions that iOS offers.
//
// Not for lookups: iOS makes them, without the app. Not for what is shown (LookupModel).

import Foundation
import IdentityLookup

#if canImport(SampleShared)
  import SampleShared
#endif

/// The app's control of its Live Caller ID Lookup extension.
nonisolated struct LookupControl: Sendable {
  /// The key in the app's Info.plist with the extension's bundle identifier.
  static let key = "LookupExtension"

  /// The extension's bundle identifier.
  let identifier: String
  /// The user's token.
  let token: UserToken

  init(_ identifier: String, group: URL) {
    self.identifier = identifier
    token = UserToken(group)
  }

  /// Reads the app's Info.plist; nil if the extension or the app group is missing.
  init?(of bundle: Bundle = .main) {
    guard let identifier = bundle.object(forInfoDictionaryKey: Self.key) as? String,
      let group = AppGroup.folder(of: bundle)
    else { return nil }
    self.init(identifier, group: group)
  }

  /// Whether the user has enabled the extension. Only Settings can change that.
  var status: LookupModel.Status {
    switch LiveCallerIDLookupManager.shared.status(forExtensionWithIdentifier: identifier) {
    case .enabled: .enabled
    case .disabled: .off
    @unknown default: .unknown
    }
  }

  /// Opens the page of Settings on which the extension is enabled.
  func openSettings() async throws {
    try await LiveCallerIDLookupManager.shared.openSettings()
  }

  /// Fetches the server's parameters now. iOS does so periodically; needed only after a change of the number of shards
  /// or of other parameters, not of the list.
  func refreshParameters() async throws {
    try await LiveCallerIDLookupManager.shared.refreshPIRParameters(forExtensionWithIdentifier: identifier)
  }

  /// Sets the user's token, in Base64, and makes iOS ask the extension for it.
  func use(token text: String) async throws {
    try token.set(text)
    if #available(iOS 18.1, *) {
      try await LiveCallerIDLookupManager.shared.refreshExtensionContext(
        forExtensionWithIdentifier: identifier)
    } else {
      try await reset()
    }
  }

  /// Removes what iOS has cached and registers the extension again.
  func reset() async throws {
    try await LiveCallerIDLookupManager.shared.reset(forExtensionWithIdentifier: identifier)
  }
}
