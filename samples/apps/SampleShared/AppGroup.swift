// The folder that an app shares with its extensions, as far as all sample apps have it in common. Not for: what stands in it.

import Foundation

#if canImport(AppExtensions)
  // On Linux, app groups are the simulated phone's.
  import AppExtensions
#endif

/// The app group that a bundle's Info.plist names.
public enum AppGroup {
  /// The key of Info.plist, in the app's and in the extensions'.
  public static let key = "AppGroup"

  /// The group's folder; nil when Info.plist names none, or the entitlement is missing.
  public static func folder(of bundle: Bundle = .main) -> URL? {
    let group = bundle.object(forInfoDictionaryKey: key) as? String
    return group.flatMap {
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0)
    }
  }
}
