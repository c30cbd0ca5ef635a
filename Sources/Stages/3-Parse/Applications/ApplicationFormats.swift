// The table of all formats: those of applications, and the general ones of ParseStage.

extension FormatTable {
  /// All formats.
  package static let all =
    FormatTable([
      .sqlite, .xlsx, .propertyList, .phoneBook, .vCard, .saracroche, .phoneBlock, .asterisk, .dataSlice,
    ]) + .general
}
