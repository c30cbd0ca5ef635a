// Live Caller ID Lookup: the extension's protocol, its context, and the app's interface to it. On an iPhone, iOS asks
// the server; here, nothing does.

public import AppExtensions
public import FoundationEssentials
import Synchronization

/// The name of the extension point.
public let extensionPointName = "com.apple.live-lookup"

/// Whether the owner has enabled an extension.
public enum CallLookupExtensionStatus: Hashable, Sendable {
  /// The extension is disabled.
  case disabled
  /// The extension is enabled.
  case enabled
}

/// What an extension passes to iOS.
public struct LiveCallerIDLookupExtensionContext: Codable, Hashable, Sendable {
  /// The server that answers lookups.
  public let serviceURL: URL
  /// The issuer of Privacy Pass tokens.
  public let tokenIssuerURL: URL
  /// The token that authenticates the user to the issuer.
  public let userTierToken: Data

  /// Creates a context.
  public init(serviceURL: URL, tokenIssuerURL: URL, userTierToken: Data) {
    self.serviceURL = serviceURL
    self.tokenIssuerURL = tokenIssuerURL
    self.userTierToken = userTierToken
  }
}

/// The configuration of a lookup extension.
public protocol LiveCallerIDLookupExtensionConfiguration: AppExtensionConfiguration {}

/// The entry point of a lookup extension.
public protocol LiveCallerIDLookupProtocol: AppExtension {
  /// The servers and the token.
  var context: LiveCallerIDLookupExtensionContext { get }
}

extension LiveCallerIDLookupProtocol {
  /// The configuration, which is empty here.
  @MainActor @preconcurrency
  public var configuration: some LiveCallerIDLookupExtensionConfiguration { EmptyLookupConfiguration() }
}

private struct EmptyLookupConfiguration: LiveCallerIDLookupExtensionConfiguration {}

/// An app's interface to its lookup extension.
public class LiveCallerIDLookupManager {
  /// The shared manager; it has no state.
  public static var shared: LiveCallerIDLookupManager { only.value }

  private static let only = SendableBox(LiveCallerIDLookupManager())

  private init() {}

  /// Reports whether an extension is enabled.
  public func status(forExtensionWithIdentifier identifier: String) -> CallLookupExtensionStatus {
    InstalledLookupPhone.phone?.status(identifier) ?? .disabled
  }

  /// Opens the page of Settings on which extensions are enabled.
  public func openSettings() async throws { try Self.phone().openSettings() }

  /// Fetches the server's parameters.
  public func refreshPIRParameters(forExtensionWithIdentifier identifier: String) async throws {
    try Self.phone().perform(.refreshParameters, identifier)
  }

  /// Asks the extension for its context.
  public func refreshExtensionContext(forExtensionWithIdentifier identifier: String) async throws {
    try Self.phone().perform(.refreshContext, identifier)
  }

  /// Empties the cache of an extension and registers it again.
  public func reset(forExtensionWithIdentifier identifier: String) async throws {
    try Self.phone().perform(.reset, identifier)
  }

  private static func phone() throws -> any LiveLookupPhone {
    guard let phone = InstalledLookupPhone.phone else { throw LiveLookupError() }
    return phone
  }
}

package protocol LiveLookupPhone: Sendable {
  func status(_ identifier: String) -> CallLookupExtensionStatus
  func openSettings() throws
  func perform(_ action: LiveLookupAction, _ identifier: String) throws
}

package enum LiveLookupAction: Hashable, Sendable {
  case refreshParameters
  case refreshContext
  /// Empty the cache and ask the extension for its context.
  case reset
}

package enum InstalledLookupPhone {
  private static let installed = Mutex<(any LiveLookupPhone)?>(nil)

  package static var phone: (any LiveLookupPhone)? { installed.withLock { $0 } }

  package static func install(_ phone: (any LiveLookupPhone)?) { installed.withLock { $0 = phone } }
}

/// There is no phone, or it does not have the extension. Apple's errors are not documented.
package struct LiveLookupError: Error, Equatable {
  package init() {}
}
