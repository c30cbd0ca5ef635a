// The installed phone, which `PKPushRegistry` calls. None of this is public, so that apps see only Apple's names.

package import Foundation
import Synchronization

/// The implementation of registries.
package protocol PushingPhone: AnyObject, Sendable {
  /// Registers an app for the types that its registry wants. The phone references the registry weakly.
  func register(_ registry: PKPushRegistry)
  /// The token of a type; nil if there is none.
  func token(of type: PKPushType) -> Data?
}

/// The installed phone for pushes.
package enum InstalledPushPhone {
  private static let installed = Mutex<(any PushingPhone)?>(nil)

  /// The phone; nil if none is installed.
  package static var phone: (any PushingPhone)? { installed.withLock { $0 } }

  /// Installs a phone, replacing the previous one; nil for none.
  package static func install(_ phone: (any PushingPhone)?) {
    installed.withLock { $0 = phone }
  }
}
