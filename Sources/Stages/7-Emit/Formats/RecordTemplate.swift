// Records through a template: for each number, a text with fields in braces, such as `{+e164};{label|csv}`.

import BasicContainers
import NumberPlan
package import Records

extension EmitFormat {
  package static let template = EmitFormat(
    rawValue: "template", what: "a text of your own for each number (--template)", group: .text, fields: .all,
    ranges: .numbers
  ) { (options, context) throws(Failure) in
    try TemplateTarget(options.template ?? TemplateOptions(), options, context)
  }
}

/// The texts of an output through a template.
package struct TemplateOptions: Equatable, Sendable {
  package var record: String
  package var header: String
  package var footer: String
  /// The text between records. If it is nil, header, records and footer are lines: each ends with a line feed.
  package var join: String?

  package init(record: String = "", header: String = "", footer: String = "", join: String? = nil) {
    self.record = record
    self.header = header
    self.footer = footer
    self.join = join
  }
}

package struct RecordTemplate: Sendable {
  enum Field: String, CaseIterable {
    case e164
    case plus = "+e164"
    case national, international, country, label, source, score, day
  }

  enum Quoting: String, CaseIterable {
    case csv, json, xml
  }

  enum Part {
    case text([UInt8])
    case field(Field, Quoting?)
  }

  private let parts: [Part]
  private let isCSVSafe: Bool
  let header: [UInt8]
  let footer: [UInt8]
  let separator: [UInt8]
  /// Whether the separator also follows the last record.
  let endsLines: Bool

  package init(_ options: TemplateOptions, isCSVSafe: Bool = false) throws(Failure) {
    self.isCSVSafe = isCSVSafe
    parts = try Self.parts(options.record)
    let end = options.join == nil ? "\n" : ""
    header = try Self.unescaped(options.header.isEmpty ? "" : options.header + end)
    footer = try Self.unescaped(options.footer.isEmpty ? "" : options.footer + end)
    separator = try Self.unescaped(options.join ?? end)
    endsLines = options.join == nil
  }

  // MARK: Reading a template

  private static func parts(_ template: String) throws(Failure) -> [Part] {
    var parts: [Part] = []
    var literal = ""
    var rest = template[...]
    while let character = rest.popFirst() {
      if character == "{" || character == "}", rest.first == character {
        literal.append(rest.removeFirst())
      } else if character == "{", let end = rest.firstIndex(of: "}") {
        parts += [.text(try unescaped(literal)), try part(rest[..<end])]
        literal = ""
        rest = rest[rest.index(after: end)...]
      } else if character == "{" || character == "}" {
        throw invalid("'\(character)' without its counterpart; write '\(character)\(character)' for a brace")
      } else {
        literal.append(character)
      }
    }
    return parts + [.text(try unescaped(literal))]
  }

  private static func part(_ text: Substring) throws(Failure) -> Part {
    let words = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let field = Field(rawValue: words[0]) else {
      throw invalid(
        "'\(words[0])' is not a field; fields are \(Field.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    if words.count == 1 { return .field(field, nil) }
    guard let quoting = Quoting(rawValue: words[1]) else {
      throw invalid(
        "'\(words[1])' is not a quoting; they are \(Quoting.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    return .field(field, quoting)
  }

  /// The text with `\n`, `\t`, `\r` and `\\` as the characters that they stand for.
  private static func unescaped(_ text: String) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == Byte.backslash else {
        bytes.append(byte)
        continue
      }
      guard let escaped = rest.popFirst(), Byte.isEscaped(escaped) else {
        throw invalid(#"a backslash starts \n, \t, \r or \\"#)
      }
      bytes.append(Byte.unescaped(escaped))
    }
    return bytes
  }

  private static func invalid(_ reason: String) -> Failure {
    Failure(.emit, .usage, "invalid-template", "\(option: "template"): \(reason)")
  }

  // MARK: Writing records

  var hasFields: Bool { parts.contains { if case .field = $0 { true } else { false } } }

  /// The parts for records with these fields: texts, and the fields that depend on the number.
  func parts(_ fields: RecordFields.Fields) -> [Part] {
    var result: [Part] = []
    var text: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let bytes): text += bytes
      case .field(.label, let quoting): text += quoted(fields.label, quoting).utf8
      case .field(.source, let quoting): text += quoted(fields.source, quoting).utf8
      case .field(.day, let quoting): text += quoted(fields.day?.text ?? "", quoting).utf8
      case .field(.score, let quoting):
        text += (fields.score.map { String($0) } ?? (quoting == .json ? "null" : "")).utf8
      case .field:
        result += [.text(text), part]
        text = []
      }
    }
    return result + [.text(text)]
  }

  private func quoted(_ text: String, _ quoting: Quoting?) -> String {
    switch quoting {
    case .csv: CSVQuoting.quoted(isCSVSafe ? CSVFormula.disarmed(text) : text)
    case .json: JSONQuoting.quoted(text)
    case .xml: XMLText.escaped(text)
    case nil: text
    }
  }

  /// The fields that are written as XML, and that XML can't represent.
  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet {
    var replaced: RecordFieldSet = []
    for case .field(let field, .xml?) in parts {
      if field == .label, !XMLText.canRepresent(fields.label) { replaced.insert(.label) }
      if field == .source, !XMLText.canRepresent(fields.source) { replaced.insert(.source) }
    }
    return replaced
  }

  /// Appends a field that depends on the number, with a `#` for each open digit of a pattern, which only `e164` and
  /// `+e164` have. No form of a number has characters that must be quoted.
  static func append(_ field: Field, of block: NumberBlock, _ quoting: Quoting?, to text: inout [UInt8]) {
    if quoting == .json { text.append(UInt8(ascii: "\"")) }
    switch field {
    case .national: NumberPlan.append(block.prefix, as: .national, to: &text)
    case .international: NumberPlan.append(block.prefix, as: .international, to: &text)
    case .country: text += (NumberPlan.region(ofDigits: block.prefix)?.code ?? "").utf8
    default:
      if field == .plus { text.append(UInt8(ascii: "+")) }
      block.append(to: &text, placeholder: UInt8(ascii: "#"))
    }
    if quoting == .json { text.append(UInt8(ascii: "\"")) }
  }
}

/// Writes records through a template.
final class TemplateTarget: ListTarget, EmitTarget {
  private let template: RecordTemplate
  private let ranges: EntryRanges

  /// Opens the output. `patterns` is how many open digits a pattern may have; nil if ranges are all of their numbers.
  init(
    _ text: TemplateOptions, patterns: ClosedRange<Int>? = nil, _ options: EmitOptions,
    _ context: StageContext
  ) throws(Failure) {
    template = try RecordTemplate(text, isCSVSafe: options.isCSVSafe)
    ranges =
      patterns.map { EntryRanges(.patterns, options, openDigits: $0) } ?? EntryRanges(.numbers, options)
    try super.init(header: template.header, options, context)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    var parts: [[RecordTemplate.Part]] = []
    for index in 0..<batch.fieldsTable.count {
      let fields = RecordFields.fields(batch.fieldsTable[index])
      parts.append(template.parts(fields))
      replaced.formUnion(template.replaced(in: fields))
    }
    for index in 0..<batch.count {
      let parts = parts[Int(batch.fieldsIndices[index])]
      try ranges.forEach(in: batch.firsts[index]...batch.lasts[index]) { (block) throws(Failure) in
        if entries > 0 { text += template.separator }
        for part in parts {
          switch part {
          case .text(let bytes): text += bytes
          case .field(let field, let quoting):
            RecordTemplate.append(field, of: block, quoting, to: &text)
          }
        }
        try endEntry()
      }
    }
  }

  func seal() throws(Failure) {
    if entries > 0, template.endsLines { text += template.separator }
    text += template.footer
    try file.drain(&text)
  }
}
