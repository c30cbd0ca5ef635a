// The options of a project that only some kinds have.

/// The options that only some kinds of projects have.
package struct ProjectOptions: Equatable, Sendable {
  /// The number of Call Directory extensions.
  package var extensions = 1

  /// The URL of the published folder from which the app downloads its list.
  package var listURL: String?
  /// The public keys of the list's publisher, in their text form. Without any, the app accepts unsigned lists.
  package var listKeys: [String] = []
  /// How the server offers the list's files.
  package var listEncoding = ListEncoding.plain

  /// Whether the project has compiled rules.
  package var hasRules = false
  /// The URL from which the app downloads compiled rules.
  package var rulesURL: String?
  /// The URL of the server to which iOS sends messages that no rule matches.
  package var filterURL: String?

  /// The URL of the server that answers lookups: https and a host.
  package var serverURL: String?
  /// The URL of the issuer of Privacy Pass tokens; nil if it is the same server.
  package var issuerURL: String?
  /// The bundle identifier of the lookup extension; nil for the app's with ``ProjectPlan/lookupSuffix``.
  package var lookupIdentifier: String?

  /// The default of every option.
  package init() {}
}

/// How a server offers the files that a list's manifest names.
package enum ListEncoding: String, Sendable, CaseIterable {
  /// Under their names.
  case plain
  /// Compressed with gzip, as `NAME.gz`.
  case gzip
}
