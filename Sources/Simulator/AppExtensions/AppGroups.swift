// The shared containers of app groups: folders that a phone, or a test, names.

public import Foundation
import Synchronization

/// Where the containers of app groups are.
package enum AppGroups {
  private static let folder = Mutex<URL?>(nil)

  /// Sets the folder in which each group has one of its own; nil for none, as for an app without the entitlement.
  package static func setFolder(_ url: URL?) {
    folder.withLock { $0 = url }
  }

  /// The folder of a group, made if it is not there.
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
  /// The folder that the apps and extensions of a group share; nil when the group is not theirs.
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    AppGroups.container(groupIdentifier)
  }
}
