// Lists of other programs that are one text for each number: a row is a format.
//
// A row's texts are those of `--template`, `--header`, `--footer` and `--join`. With `patterns`, a range is patterns
// that have this many open digits at the end, one `#` for each; otherwise it is all of its numbers.

import Records

extension EmitFormat {
  static let templates: [EmitFormat] = [
    // The digits without the plus sign, at most six of them open. The application requires the keys `version` and
    // `name`, and does not show them.
    //
    // Source: cbouvat/saracroche-ios/docs/french-list-arcep-operators.json, Services/ListService.swift, and
    // ViewModels/ListsViewModel.swift.
    row(
      "saracroche", "a pattern list of Saracroche", shared: ["json"], fields: .label, patterns: 1...6,
      TemplateOptions(
        record: #"{{"name":{label|json},"action":"block","pattern":"{e164}"}}"#,
        header: #"{"version":"1","name":"cdpipe","patterns":[\n"#, footer: #"\n]}\n"#, join: #",\n"#)),
    // Category 0: blocked.
    //
    // Source: oulixalt/BegoneListeFR, Begone-FR.xml (exported by the application); danroc/begone-fr, begone/convert.py;
    // lists that people share, in which a pattern has two to six `#`.
    row(
      "plist", names: ["begone"], "a list of Begone, as an XML property list", extensions: ["plist"],
      shared: ["xml"], fields: .label, patterns: 2...6,
      TemplateOptions(
        record: """
          \t<dict>
          \t\t<key>addNational</key>
          \t\t<string>true</string>
          \t\t<key>category</key>
          \t\t<string>0</string>
          \t\t<key>number</key>
          \t\t<string>{+e164}</string>
          \t\t<key>title</key>
          \t\t<string>{label|xml}</string>
          \t</dict>\n
          """,
        header: """
          <?xml version="1.0" encoding="UTF-8"?>
          <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
          <plist version="1.0">
          <array>\n
          """, footer: "</array>\n</plist>\n", join: "")),
    // The application's own patterns are not written: its `*` matches any number of digits, also numbers outside of the
    // range.
    //
    // Source: FossifyOrg/Commons, helpers/BlockedNumbersExporter.kt, BlockedNumbersImporter.kt (commas between numbers,
    // no white space), extensions/String.kt (`isPhoneNumber`: a plus sign is read), extensions/Context.kt (`*`). Simple
    // Mobile Tools' and Goodwy's applications have the same code.
    row(
      "fossify", "the blocked numbers of Fossify Phone, in one line", fields: [],
      TemplateOptions(record: "{+e164}", join: ",")),
    // Source: signalwire/freeswitch, mod_blacklist.c (`load_list`: a line is an entry, compared as a whole).
    row("freeswitch", "a list of FreeSWITCH's mod_blacklist", fields: [], TemplateOptions(record: "{e164}")),
    // A prefix matches every number that begins with it, so a range is not written as the digits that its numbers have
    // in common: they would match shorter and longer numbers. `allowlist` 0: blocked.
    //
    // Source: kamailio/kamailio, src/modules/userblocklist/README (columns, the longest prefix matches, a plus sign is
    // skipped), utils/kamctl/mysql/userblocklist-create.sql.
    row(
      "kamailio", "the table globalblocklist of Kamailio, as CSV", shared: ["csv"], fields: .label,
      TemplateOptions(record: "{e164},0,{label|csv}", header: "prefix,allowlist,description")),
  ]

  private static func row(
    _ name: String, names: [String] = [], _ what: String, extensions: [String] = [], shared: [String] = [],
    fields: RecordFieldSet, patterns: ClosedRange<Int>? = nil, _ text: TemplateOptions
  ) -> EmitFormat {
    EmitFormat(
      rawValue: name, otherNames: names, what: what, group: .lists, extensions: extensions,
      sharedExtensions: shared, fields: fields, ranges: patterns == nil ? .numbers : .patterns
    ) { (options, context) throws(Failure) in
      try TemplateTarget(text, patterns: patterns, options, context)
    }
  }
}
