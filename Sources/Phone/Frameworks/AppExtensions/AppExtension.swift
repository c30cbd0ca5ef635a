// The parts of Foundation and ExtensionFoundation for app extensions that are missing on Linux, and the containers of
// app groups. Names and signatures are Apple's; the code is this project's. FrameworkServices calls an extension;
// nothing launches it.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation
import Synchronization

open class NSExtensionContext: NSObject {
  open var inputItems: [Any] { [] }

  /// Ends the request with an error. The base class has no request and does nothing.
  open func cancelRequest(withError error: any Error) {}
}

public protocol NSExtensionRequestHandling: NSObjectProtocol {
  func beginRequest(with context: NSExtensionContext)
}

/// Runs a closure. On Apple platforms it also frees autoreleased objects, which don't exist here.
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}

@MainActor @preconcurrency
public protocol AppExtensionConfiguration: Sendable {}

public protocol AppExtension {
  associatedtype Configuration: AppExtensionConfiguration
  @MainActor @preconcurrency var configuration: Configuration { get }
  @MainActor @preconcurrency init()
}

extension AppExtension {
  /// Would run the extension's process. On Linux it returns at once.
  public static func main() throws {}
}

package enum AppGroups {
  private static let folder = Mutex<URL?>(nil)

  /// Sets the folder that contains a container for each group; nil for none, as for an app without the entitlement.
  package static func setFolder(_ url: URL?) { folder.withLock { $0 = url } }

  /// Returns the folder of a group; creates it if it is missing.
  static func container(_ identifier: String) -> URL? {
    guard let base = folder.withLock({ $0 }), !identifier.contains("/"), identifier != "..", identifier != "."
    else { return nil }
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
