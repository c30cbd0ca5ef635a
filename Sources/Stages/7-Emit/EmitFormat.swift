// The formats of an output as data. To add one that is a text for each number, add a row to `EmitFormat.templates`. For
// another one, write its target and its row in a file of Formats/, and name the row in `EmitFormat.all`.

import Records
import SystemPackage

package struct RecordFieldSet: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let label = RecordFieldSet(rawValue: 1)
  package static let source = RecordFieldSet(rawValue: 2)
  package static let score = RecordFieldSet(rawValue: 4)
  package static let day = RecordFieldSet(rawValue: 8)
  /// Those that a list has whose rows are not dated.
  package static let common: RecordFieldSet = [.label, .source, .score]
  package static let all: RecordFieldSet = [.common, .day]

  /// The fields that are not empty in record fields, as the text form writes them.
  init(of fields: Span<UInt8>) {
    self = []
    var field = RecordFieldSet.label
    for index in fields.indices {
      if fields[index] == UInt8(ascii: "\t") {
        field = RecordFieldSet(rawValue: field.rawValue << 1)
      } else {
        insert(field)
      }
    }
  }

  var names: [String] {
    let names: [(RecordFieldSet, String)] = [
      (.label, "label"), (.source, "source"), (.score, "score"), (.day, "day"),
    ]
    return names.filter { contains($0.0) }.map(\.1)
  }

  var phrase: String {
    let names = names.map { $0 + "s" }
    return names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? "")
  }
}

/// How a format represents ranges.
enum RangeForm: String {
  /// As their first and last number.
  case bounds
  /// As patterns: the first digits, and the number of digits that follow.
  case patterns
  case numbers
}

package struct ContactNumbers: Sendable {
  /// The maximum number of numbers in a contact if none was chosen.
  let standard: Int
  /// The highest maximum that can be chosen.
  package let max: Int
}

/// A format: its name, what it can represent, and how it is written.
package struct EmitFormat: Sendable {
  /// What a format is for, in the order of `--formats`.
  enum Group: Int {
    case store, text, contacts, lists, databases
  }

  /// The name that users type.
  package let rawValue: String
  /// Other names that users type, besides the extensions that stand for the format.
  var otherNames: [String] = []
  let what: String
  let group: Group
  /// The extensions of a file's name that stand for the format, without the dot.
  var extensions: [String] = []
  /// The extensions that the format's files have, too, but that do not stand for it alone.
  var sharedExtensions: [String] = []
  let fields: RecordFieldSet
  let ranges: RangeForm
  /// Whether the format has a column for the day if the option asks for it.
  package var hasDayColumn = false
  /// Whether people read the format, so that its numbers may have any ``NumberForm``.
  package var hasNumberForms = false
  /// Whether the format is not text.
  var isBinary = false
  /// The number of entries that programs which read the format accept; nil if no limit is known.
  var entriesMax: UInt64?
  /// How many numbers a contact has; nil if the format has no contacts.
  package var contactNumbers: ContactNumbers?
  let makeTarget: @Sendable (EmitOptions, StageContext) throws(Failure) -> any EmitTarget

  /// All formats, in the order of help. Those of a group are in the order of `--formats`.
  private static let all: [EmitFormat] =
    [.store, .tsv, .csv, .jsonl, .template, .asterisk, .sqlite, .spamblocker] + templates
    + [.phoneblock, .yacb, .vcard, .vcard4, .phonebook, .pir]
}

/// A format is known by its name.
extension EmitFormat: RawRepresentable, CaseIterable, Hashable, CustomStringConvertible {
  package static var allCases: [EmitFormat] { all }

  /// The format with a name; an alias is one, too.
  package init?(rawValue: String) {
    let format = Self.all.first { $0.rawValue == rawValue || $0.aliases.contains(rawValue) }
    guard let format else { return nil }
    self = format
  }

  package var aliases: [String] { (extensions + otherNames).filter { $0 != rawValue } }

  package static func == (one: EmitFormat, other: EmitFormat) -> Bool { one.rawValue == other.rawValue }
  package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
  package var description: String { rawValue }
}

// MARK: - The format of a name

extension EmitFormat {
  /// The format that the extension of an output's name stands for, ignoring its case; the text form if there is none, or
  /// if it stands for no single format.
  package static func named(_ output: String) -> EmitFormat { ownFormat(fileExtension(output)) ?? .tsv }

  /// What is wrong with an output's name, and what to do: it is that of a directory, or its extension is one of other
  /// formats than the chosen one or, if none was chosen, it stands for none alone. Nil also if no format has it and one
  /// was chosen.
  package static func nameError(_ output: String, chosen: EmitFormat?) -> String? {
    let name = fileExtension(output)
    let format = chosen ?? named(output)
    if output.hasSuffix("/"), format != .pir, !EmitOptions(format: format, output: output).isDirectory {
      return "'\(output)' is a directory, and \(format) is one file; add its name, such as "
        + "'\(output)list.\(format.ownExtension ?? "txt")'"
    }
    if name.isEmpty { return nil }
    let fitting = fitting(name)
    let unwritten = Self.unwritten.first { $0.extensions.contains(name) }
    guard let chosen else {
      if texts.contains(name) || ownFormat(name) != nil { return nil }
      return fitting.isEmpty
        ? "'\(output)': "
          + (unwritten?.reason ?? "no format has this extension; choose one with \(option: "format", "NAME")")
        : "'\(output)' may have several formats; choose one with \(option: "format"): "
          + fitting.map(\.rawValue).joined(separator: ", ")
    }
    // A template may be that of any text.
    let isTemplate = chosen == .template
    if fitting.isEmpty {
      return unwritten.flatMap { isTemplate && $0.isText ? nil : "'\(output)': \($0.reason)" }
    }
    if fitting.contains(where: { isTemplate ? !$0.isBinary : $0 == chosen }) { return nil }
    let others = texts.contains(name) ? "text" : fitting.map(\.rawValue).joined(separator: ", ")
    var other = FilePath(output)
    other.extension = chosen.ownExtension ?? (chosen.isBinary ? nil : "txt")
    return "'\(output)' is a name for \(others), not for \(chosen); choose another, such as '\(other)'"
  }

  private var ownExtension: String? { (extensions + sharedExtensions).first }

  /// The extensions that any format of text may have.
  private static let texts: Set<String> = ["txt", "text"]

  /// The formats that may have an extension; the one that it stands for is the first.
  private static func fitting(_ name: String) -> [EmitFormat] {
    if texts.contains(name) { return all.filter { !$0.isBinary } }
    let own = ownFormat(name)
    return (own.map { [$0] } ?? []) + grouped.filter { $0.sharedExtensions.contains(name) && $0 != own }
  }

  private static func ownFormat(_ name: String) -> EmitFormat? { all.first { $0.extensions.contains(name) } }

  /// The extension of a name in lower case; empty if there is none.
  private static func fileExtension(_ output: String) -> String {
    (FilePath(output).lastComponent?.extension ?? "").lowercased()
  }

  /// The extensions of formats that are not written, and what to do instead.
  private static let unwritten: [(extensions: Set<String>, isText: Bool, reason: String)] = [
    (
      ["xlsx", "xlsm", "xlsb", "xls", "ods", "numbers"], false,
      "spreadsheets are written as CSV; choose a name in .csv"
    ),
    (
      ["parquet", "arrow", "feather", "orc", "avro", "duckdb"], false,
      "this format is not written; write .csv or .jsonl and convert that"
    ),
    (
      ["gz", "tgz", "zip", "xz", "bz2", "zst", "7z", "rar", "lz4", "tar"], false,
      "the output is not compressed; write it with another name, or to a pipe: cdpipe emit … | gzip"
    ),
    (
      ["pdf", "doc", "docx", "odt"], false, "this format is not written; choose a name in .csv"
    ),
    (
      ["html", "htm", "yaml", "yml"], true,
      "this format is not written; choose a name in .csv, or use \(option: "template")"
    ),
  ]
}

// MARK: - The list of formats

extension EmitFormat {
  private static var grouped: [EmitFormat] {
    all.enumerated().sorted {
      ($0.element.group.rawValue, $0.offset) < ($1.element.group.rawValue, $1.offset)
    }
    .map(\.element)
  }

  /// What `cdpipe emit --formats` prints, as ``TextTable`` formats it.
  package static func table(width: Int? = nil) -> String {
    TextTable.lines(
      [["format", "names", "fields", "ranges", "what it is"]]
        + grouped.map { format in
          [
            format.rawValue,
            (format.extensions.map { "." + $0 } + format.otherNames).joined(separator: " "),
            format.fields.names.joined(separator: " "), format.ranges.rawValue, format.what,
          ]
        }, width: width)
  }

  package static func json() -> String {
    grouped.map { format in
      JSONLine.text(
        Document(
          format: format.rawValue, aliases: format.aliases, description: format.what,
          extensions: format.extensions, fields: format.fields.names, ranges: format.ranges.rawValue,
          entriesMax: format.entriesMax)) + "\n"
    }.joined()
  }

  private struct Document: Encodable {
    var format: String
    var aliases: [String]
    var description: String
    var extensions: [String]
    var fields: [String]
    var ranges: String
    var entriesMax: UInt64?
  }
}
