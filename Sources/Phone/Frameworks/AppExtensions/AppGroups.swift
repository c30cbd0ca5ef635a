// The shared containers of app groups: folders that a phone or a test sets.

public import Foundation
import Synchronization

/// The locations of app groups' containers.
package enum AppGroups {
  private static let folder = Mutex<URL?>(nil)

  /// Sets the folder that contains a container for each group; nil for none, as for an app without the entitlement.
  package static func setFolder(_ url: URL?) {
    folder.withLock { $0 = url }
  }

  /// Returns the folder of a group; creates it if it is missing.
  static func container(_ identifier: String) -> URL? {
    guard let base = folder.withLock({ $0 }), !identifier.contains("/"), identifier != "..", identifier != "."
    else {
      return nil
    }
    let url = base.appendingPathComponent(identifier, isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      return nil
    }
    return url
  }
}

extension FileManager {
  /// The folder that the apps and extensions of a group share; nil if the app does not belong to the group.
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    AppGroups.container(groupIdentifier)
  }
}
