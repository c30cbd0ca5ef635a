// Distinguishes an app's extensions: they share one source and differ in the number at the end of their bundle
// identifiers.

import Foundation

/// An extension's number, and the shard that belongs to it.
public nonisolated struct ExtensionIndex: Hashable, Comparable, Sendable {
  /// The extension that blocks the numbers of the user's own list. It has no shard.
  public static let ownList = ExtensionIndex(number: 0)

  /// The number: at least 1, or that of ``ownList``.
  public let number: Int

  private init(number: Int) { self.number = number }

  /// Parses the number at the end of a bundle identifier such as `com.example.block070.directory7`; nil if there is
  /// none.
  public init?(_ identifier: String) {
    let last = identifier.utf8.split(separator: UInt8(ascii: ".")).last ?? ""[...].utf8
    let digits = last.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.reversed()
    let text = String(decoding: Array(digits), as: UTF8.self)
    guard digits.count < last.count, let number = Int(text), number >= 0 else { return nil }
    self.number = number
  }

  /// The shard's id, such as `0007`: the prefix of the file names that `cdpipe emit` writes.
  public var shard: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// Orders extensions by their numbers.
  public static func < (one: ExtensionIndex, other: ExtensionIndex) -> Bool { one.number < other.number }
}

/// An extension of an app.
public nonisolated struct InstalledExtension: Sendable {
  /// The extension's bundle identifier.
  public let identifier: String
  /// The extension's number.
  public let index: ExtensionIndex
  /// The folder with the extension's resources: its bundle.
  public let resources: URL
  /// The extension's name in Settings; nil if its Info.plist has none.
  public let name: String?

  /// Parses a bundle identifier; nil if it does not end with a number.
  public init?(_ identifier: String, resources: URL, name: String? = nil) {
    guard let index = ExtensionIndex(identifier) else { return nil }
    self.identifier = identifier
    self.index = index
    self.resources = resources
    self.name = name
  }

  /// The running extension: in its process, the main bundle is its own.
  public static var running: InstalledExtension? {
    let bundle = Bundle.main
    return InstalledExtension(
      bundle.bundleIdentifier ?? "", resources: bundle.resourceURL ?? bundle.bundleURL)
  }

  /// The extensions in an app's bundle, ordered by number.
  public static func all(in app: Bundle = .main) -> [InstalledExtension] {
    let urls = app.builtInPlugInsURL.flatMap {
      try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }
    return (urls ?? []).compactMap { url in
      guard let bundle = Bundle(url: url), let identifier = bundle.bundleIdentifier else { return nil }
      return InstalledExtension(
        identifier, resources: bundle.resourceURL ?? url,
        name: bundle.object(forInfoDictionaryKey: "CFBundleDisplayName") as? String)
    }.sorted { $0.index < $1.index }
  }
}
