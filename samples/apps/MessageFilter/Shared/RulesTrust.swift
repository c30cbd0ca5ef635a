// Who must have signed downloaded rules: keys of Info.plist. The app and the filter check it, each for itself.
//
// Rules in a bundle need no signature: iOS checks the bundle's.

import CallManifest
import Foundation

/// Which rules are used.
nonisolated struct RulesTrust: Equatable, Sendable {
  /// The key in the Info.plist of the app and of its filter: an array of public keys, as `cdpipe keys generate` prints
  /// them. Without it, rules need no signature.
  static let infoKey = "RulesKey"
  /// Any rules.
  static let anyone = RulesTrust(keys: nil)

  /// The trusted keys; nil if rules need no signature.
  let keys: [ManifestKey]?

  /// Trusts keys; nil: any rules.
  init(keys: [ManifestKey]?) {
    self.keys = keys
  }

  /// Reads the value in Info.plist. If a key can't be read, no rules are trusted: an app with a wrong key must not accept
  /// unsigned rules.
  init(info value: Any?) {
    guard let value else {
      self = .anyone
      return
    }
    let keys = (value as? [String] ?? []).map { ManifestKey($0) }
    self.init(keys: keys.contains(nil) ? [] : keys.compactMap { $0 })
  }

  /// The keys of a bundle.
  init(of bundle: Bundle = .main) { self.init(info: bundle.object(forInfoDictionaryKey: Self.infoKey)) }

  /// The file with the signature of rules.
  static func signature(of rules: URL) -> URL { rules.appendingPathExtension("sig") }

  /// The file with the signature of rules that are about to be replaced, until it takes the place of the former one. The
  /// rules are replaced between the two, so whenever the app is terminated, one of the signatures is theirs.
  static func nextSignature(of rules: URL) -> URL { signature(of: rules).appendingPathExtension("next") }

  /// Whether a trusted key signed the rules in a file. An expired signature suffices: it was valid when the rules were
  /// downloaded, and without rules every message would be shown.
  ///
  /// - Parameter sha256: computes the SHA-256 of the rules; not called if rules need no signature.
  func accepts(_ sha256: () -> [UInt8], of rules: URL) -> Bool {
    guard let keys else { return true }
    let signatures = [Self.signature(of: rules), Self.nextSignature(of: rules)].compactMap { url in
      try? ManifestSignature(
        bytes: Array(Data(contentsOf: url).prefix(ManifestSignature.bytesMax + 1)), of: .rules, keys: keys,
        lastAccepted: nil, now: 0)
    }
    if signatures.isEmpty { return false }
    let hash = sha256()
    return signatures.contains { $0.covers(sha256: hash) }
  }
}
