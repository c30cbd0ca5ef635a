// The folder that an app shares with its extensions; all sample apps use it. Not for the folder's contents.

import Foundation

#if canImport(AppExtensions)
  // On Linux, the simulated phone provides app groups.
  import AppExtensions
#endif

/// The app group named in a bundle's Info.plist.
public nonisolated enum AppGroup {
  /// The key in the Info.plist of the app and of its extensions.
  public static let key = "AppGroup"

  /// The group's folder; nil if Info.plist does not name a group or the entitlement is missing.
  public static func folder(of bundle: Bundle = .main) -> URL? {
    let group = bundle.object(forInfoDictionaryKey: key) as? String
    return group.flatMap {
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0)
    }
  }
}
