// Which of an app's extensions is which: they have one source, and differ by the number at the end of their bundle identifiers.

import Foundation

/// An extension's number, from 1 up, and the shard that belongs to it.
public struct ExtensionIndex: Hashable, Comparable, Sendable {
  /// The number.
  public let number: Int

  /// The number at the end of a bundle identifier such as `com.example.block070.directory7`; nil if there is none.
  public init?(_ identifier: String) {
    let last = identifier.utf8.split(separator: UInt8(ascii: ".")).last ?? ""[...].utf8
    let digits = last.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.reversed()
    let text = String(decoding: Array(digits), as: UTF8.self)
    guard digits.count < last.count, let number = Int(text), number > 0 else { return nil }
    self.number = number
  }

  /// The id of the shard, with which `cdpipe emit` begins the names of its files: `0007`.
  public var shard: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// Extensions stand in the order of their numbers.
  public static func < (one: ExtensionIndex, other: ExtensionIndex) -> Bool { one.number < other.number }
}

/// An extension of an app.
public struct InstalledExtension: Sendable {
  /// Its bundle identifier.
  public let identifier: String
  /// Which it is.
  public let index: ExtensionIndex
  /// The folder with its resources: its bundle.
  public let resources: URL

  /// Takes an identifier apart; nil if it ends with no number.
  public init?(_ identifier: String, resources: URL) {
    guard let index = ExtensionIndex(identifier) else { return nil }
    self.identifier = identifier
    self.index = index
    self.resources = resources
  }

  /// The extension that runs: iOS gives it its own bundle as the main one.
  public static var running: InstalledExtension? {
    let bundle = Bundle.main
    return InstalledExtension(
      bundle.bundleIdentifier ?? "", resources: bundle.resourceURL ?? bundle.bundleURL)
  }

  /// The extensions in an app's bundle, in the order of their numbers.
  public static func all(in app: Bundle = .main) -> [InstalledExtension] {
    let urls = app.builtInPlugInsURL.flatMap {
      try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }
    return (urls ?? []).compactMap { url in
      guard let bundle = Bundle(url: url), let identifier = bundle.bundleIdentifier else { return nil }
      return InstalledExtension(identifier, resources: bundle.resourceURL ?? url)
    }.sorted { $0.index < $1.index }
  }
}
