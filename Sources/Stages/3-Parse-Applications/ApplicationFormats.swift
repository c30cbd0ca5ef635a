// The table of all formats: those of applications, and the general ones of ParseStage.

public import ParseStage

extension FormatTable {
  /// All formats.
  public static let all =
    FormatTable([
      .sqlite, .xlsx, .propertyList, .phoneBook, .vCard, .saracroche, .phoneBlock, .asterisk, .dataSlice,
    ]) + .general
}
