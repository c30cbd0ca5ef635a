// Why a project can't be created, and the checks of names and bundle identifiers.
//
// Not for errors of writing a project (ProjectFolderError).

/// Why a project can't be created.
package enum ScaffoldError: Error, Equatable, Sendable {
  /// The name is not valid for a target and a module.
  case badName(String, NameErrorReason)
  /// Apple would not accept the bundle identifier.
  case badBundleIdentifier(String, IdentifierErrorReason)
  /// Fewer than one extension, or more than ``ProjectPlan/extensionsMax``.
  case badExtensionCount(Int, limit: Int)
  /// The location of the package is invalid.
  case badPackage(String, PackageErrorReason)
  /// Apple would not accept the bundle identifier of the lookup extension.
  case badExtensionIdentifier(String, IdentifierErrorReason)
  /// An option that the kind of project needs is missing.
  case missing(RequiredOption, ProjectKind)
  /// The URL of an option would not be accepted by iOS.
  case badURL(option: String, String, ServerURLErrorReason)
  /// An option that only other kinds of projects have.
  case wrongKind(option: String, of: [ProjectKind], used: ProjectKind)
}

/// An option without which a kind of project makes no sense.
package enum RequiredOption: Equatable, Sendable {
  /// The folder from which a list is downloaded.
  case list
  /// Rules in the project or on a server, or a server that filters.
  case rules
  /// The server that answers lookups.
  case server
}

/// Why a name is invalid.
package enum NameErrorReason: Equatable, Sendable {
  /// The name does not begin with a letter, or contains characters other than ASCII letters and digits.
  case characters
  /// The name is empty or longer than the limit.
  case length(limit: Int)
  /// The name is that of a module that the project imports.
  case taken
  /// The name is a keyword of Swift, which no module can have.
  case keyword
}

/// Why a bundle identifier is invalid.
package enum IdentifierErrorReason: Equatable, Sendable {
  /// The identifier contains characters other than ASCII letters, digits, hyphens and periods.
  case characters
  /// The identifier has only one part, or an empty part.
  case parts
  /// The identifier is longer than the limit.
  case length(limit: Int)
  /// The extension's identifier does not begin with the app's and a period.
  case prefix(app: String)
}

extension NameErrorReason {
  /// The maximum length of a name in characters: it becomes part of file and module names.
  static let lengthMax = 64
  /// The reserved words of Swift that consist of letters.
  /// Source: The Swift Programming Language, Lexical Structure, Keywords and Punctuation.
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class",
    "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "open",
    "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static",
    "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// Checks a name; nil if it is valid. A target with the name of a module in `modules` would hide that module.
  init?(ofName name: String, modules: Set<String>) {
    if name.isEmpty || name.utf8.count > Self.lengthMax {
      self = .length(limit: Self.lengthMax)
    } else if !name.utf8.allSatisfy(isLetterOrDigit) || name.utf8.first.map(isDigit) != false {
      self = .characters
    } else if Self.keywords.contains(name) {
      self = .keyword
    } else if modules.contains(name) {
      self = .taken
    } else {
      return nil
    }
  }
}

extension IdentifierErrorReason {
  /// The maximum length of a bundle identifier in the App Store.
  package static let lengthMax = 155

  /// Checks a bundle identifier; nil if it is valid.
  package init?(of identifier: String, lengthMax: Int = IdentifierErrorReason.lengthMax) {
    guard identifier.utf8.count <= lengthMax else {
      self = .length(limit: lengthMax)
      return
    }
    let period = UInt8(ascii: ".")
    let hyphen = UInt8(ascii: "-")
    guard identifier.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == period || $0 == hyphen }) else {
      self = .characters
      return
    }
    let parts = identifier.utf8.split(separator: period, omittingEmptySubsequences: false)
    guard parts.count < 2 || parts.contains(where: \.isEmpty) else { return nil }
    self = .parts
  }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

/// Whether a byte is an ASCII letter.
func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

/// Whether a byte is an ASCII letter or digit.
func isLetterOrDigit(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
