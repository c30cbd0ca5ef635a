// Live Caller ID Lookup: the extension's protocol, its context, and the app's interface to it. On an iPhone, iOS asks
// the server; here, nothing does.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import AppExtensions
public import FoundationEssentials
import Synchronization

public let extensionPointName = "com.apple.live-lookup"

public enum CallLookupExtensionStatus: Hashable, Sendable {
  case disabled
  case enabled
}

public struct LiveCallerIDLookupExtensionContext: Codable, Hashable, Sendable {
  public let serviceURL: URL
  public let tokenIssuerURL: URL
  public let userTierToken: Data

  public init(serviceURL: URL, tokenIssuerURL: URL, userTierToken: Data) {
    self.serviceURL = serviceURL
    self.tokenIssuerURL = tokenIssuerURL
    self.userTierToken = userTierToken
  }
}

public protocol LiveCallerIDLookupExtensionConfiguration: AppExtensionConfiguration {}

public protocol LiveCallerIDLookupProtocol: AppExtension {
  var context: LiveCallerIDLookupExtensionContext { get }
}

extension LiveCallerIDLookupProtocol {
  /// The configuration, which is empty here.
  @MainActor @preconcurrency
  public var configuration: some LiveCallerIDLookupExtensionConfiguration { EmptyLookupConfiguration() }
}

private struct EmptyLookupConfiguration: LiveCallerIDLookupExtensionConfiguration {}

public class LiveCallerIDLookupManager {
  /// The shared manager; it has no state.
  public static var shared: LiveCallerIDLookupManager { only.value }

  private static let only = SendableBox(LiveCallerIDLookupManager())

  private init() {}

  public func status(forExtensionWithIdentifier identifier: String) -> CallLookupExtensionStatus {
    InstalledLookupPhone.phone?.status(identifier) ?? .disabled
  }

  public func openSettings() async throws { try Self.phone().openSettings() }

  public func refreshPIRParameters(forExtensionWithIdentifier identifier: String) async throws {
    try Self.phone().perform(.refreshParameters, identifier)
  }

  public func refreshExtensionContext(forExtensionWithIdentifier identifier: String) async throws {
    try Self.phone().perform(.refreshContext, identifier)
  }

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
