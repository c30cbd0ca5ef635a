// The texts of an app's screens in the user's language. Not for the texts themselves: they are in the string catalogs
// beside the screens, whose keys are the English texts.

import Foundation

/// The texts of one string catalog.
///
///     let texts = TextCatalog("Directory")            // Directory.xcstrings
///     texts("Blocking is off")
///     texts("%lld numbers loaded", 1_999_999)
///     texts("Caller: %@", name as NSString)
public nonisolated struct TextCatalog: Sendable {
  private let name: String

  /// Creates the texts of a catalog.
  ///
  /// - Parameter name: the name of the catalog's file, without its suffix.
  public init(_ name: String) {
    self.name = name
  }

  /// The text of a key with its values in place; the key itself if the catalog has no such text.
  public func callAsFunction(_ key: String, _ values: any CVarArg...) -> String {
    let format = NSLocalizedString(key, tableName: name, bundle: .main, value: key, comment: "")
    return values.isEmpty ? format : String(format: format, locale: .current, arguments: values)
  }
}
