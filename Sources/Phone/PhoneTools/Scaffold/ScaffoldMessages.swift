// Messages about a project that was written.

package import Records

/// Messages about a project that was written.
package enum ScaffoldMessages {
  /// How the lookup server's data are made for the extension.
  package static func extensionIdentifier(_ identifier: String) -> String {
    "the extension is \(identifier): write the server's data with "
      + "'cdpipe emit --format pir --bundle-id \(identifier)'"
  }

  /// The app downloads lists without a signature.
  package static let unsigned =
    "without --list-key, the app accepts any list from its server: sign lists with "
    + "'publish: { sign: KEYFILE }'"

  /// A list has no bootstrap store.
  package static func noBootstrap(_ path: String) -> String {
    "'\(PrintableText.line(path))' has no bootstrap store, so the app starts without numbers: write one "
      + "with 'cdpipe emit --bootstrap N'"
  }

  /// A folder has descriptions of an earlier project, which were not replaced.
  package static func formerDescriptions(_ names: [String], in path: String) -> String {
    let shown = names.map { "'\(PrintableText.line($0))'" }.joined(separator: ", ")
    return
      "'\(PrintableText.line(path))' also has \(shown) of an earlier project: remove what you no "
      + "longer use"
  }

  /// A file has no public key.
  package static func notAPublicKey(_ path: String, isPrivate: Bool) -> UserMessage {
    let file = PrintableText.line(path)
    return isPrivate
      ? UserMessage(
        "'\(file)' has a private key, which must not be in an app",
        hint: "use its public key: cdpipe keys show \(ShellQuoting.quoted(path)) > list.pub")
      : UserMessage(
        "'\(file)' is not a public key",
        hint: "use a file with the output of 'cdpipe keys show FILE', one key per file")
  }
}
