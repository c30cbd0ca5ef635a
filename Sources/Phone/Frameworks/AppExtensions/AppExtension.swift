// ExtensionFoundation's protocol for the entry point of an ExtensionKit extension. Name and signatures are Apple's.
//
// Not for connections to the host: an extension compiles, and FrameworkServices calls it; nothing launches it.

/// The configuration of an extension's connection to its host.
@MainActor @preconcurrency
public protocol AppExtensionConfiguration: Sendable {}

/// The entry point of an ExtensionKit extension.
public protocol AppExtension {
  /// The type of the configuration.
  associatedtype Configuration: AppExtensionConfiguration
  /// The configuration.
  @MainActor @preconcurrency var configuration: Configuration { get }
  /// Creates the extension.
  @MainActor @preconcurrency init()
}

extension AppExtension {
  /// Would run the extension's process. On Linux it returns at once.
  public static func main() throws {}
}
