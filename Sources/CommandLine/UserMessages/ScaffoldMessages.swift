// Messages about a project that was written.

/// Messages about a project that was written.
public enum ScaffoldMessages {
  /// How the lookup server's data are made for the extension.
  public static func extensionIdentifier(_ identifier: String) -> String {
    "cdpipe scaffold: the extension is \(identifier): write the server's data with "
      + "'cdpipe emit --format pir --bundle-id \(identifier)'"
  }
}
