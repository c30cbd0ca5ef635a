// The table of all formats: the general ones of EmitStage, and those of applications.

import Records

extension EmitFormatTable {
  /// All formats.
  package static let all =
    general
    + EmitFormatTable([
      .vCard, .vCard4, .phoneBook, .asterisk, .spamBlocker, .saracroche, .phoneBlock, .begone, .dataSlice,
      .sqlite, .lookup,
    ])
}

extension EmitFormatDescription {
  /// A format that is a list of entries.
  static func entries(
    _ format: EmitFormat, extensions: [String] = [], fields: RecordFieldSet, ranges: RangeForm,
    entriesMax: UInt64? = nil, form: @escaping @Sendable (EmitOptions) -> any EntryForm
  ) -> EmitFormatDescription {
    EmitFormatDescription(
      format, extensions: extensions, fields: fields, ranges: ranges, entriesMax: entriesMax
    ) { (options, context) throws(Failure) in
      try EntryTarget(form(options), ranges, options, context)
    }
  }
}
