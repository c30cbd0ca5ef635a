// The general formats of text: the text form, CSV, JSON lines.

import BasicContainers
package import Records

extension EmitFormat {
  package static let tsv = EmitFormat(
    rawValue: "tsv", what: "the text form of records", group: .text, extensions: ["tsv"], fields: .all,
    ranges: .bounds, hasNumberForms: true
  ) { (options, context) throws(Failure) in
    if options.writesDigits { return try TextFormTarget(options.output, context) }
    return try EntryTarget(TextRow(), .bounds, options, context)
  }
  package static let csv = entries(
    "csv", "CSV with a header line", .text, extensions: ["csv"], fields: .common, ranges: .bounds,
    hasDayColumn: true, hasNumberForms: true, form: { CSVRow(isSafe: $0.isCSVSafe, hasDay: $0.hasDay) })
  package static let jsonl = entries(
    "jsonl", "one JSON object per line", .text, extensions: ["jsonl", "ndjson"], shared: ["json"],
    fields: .all, ranges: .bounds, hasNumberForms: true,
    form: { JSONRow(quote: $0.writesDigits ? "" : "\"") })
}

/// The text form, for numbers in other forms.
struct TextRow: EntryForm {
  var betweenNumbers: [UInt8] { Array("..".utf8) }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    let bytes = RecordFields.bytes(fields)
    return ([], (bytes.isEmpty ? [] : [Byte.tab]) + bytes + [Byte.lineFeed])
  }
}

/// `number,label,source,score[,day]` with quotes where they are needed (RFC 4180); a range as `first..last`.
struct CSVRow: EntryForm {
  /// Whether texts that a spreadsheet would take for formulas are disarmed.
  let isSafe: Bool
  let hasDay: Bool
  var header: [UInt8] { Array("number,label,source,score\(hasDay ? ",day" : "")\r\n".utf8) }
  var betweenNumbers: [UInt8] { Array("..".utf8) }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    let score = fields.score.map { String($0) } ?? ""
    let day = hasDay ? ",\(fields.day?.text ?? "")" : ""
    return ([], Array(",\(quoted(fields.label)),\(quoted(fields.source)),\(score)\(day)\r\n".utf8))
  }

  private func quoted(_ field: String) -> String {
    CSVQuoting.quoted(isSafe ? CSVFormula.disarmed(field) : field)
  }
}

/// `{"number":…,"label":"…"}`, for a range with `"last"`; empty fields are left out.
struct JSONRow: EntryForm {
  /// A quote if numbers are strings, because they are not written as digits.
  var quote = ""
  var betweenNumbers: [UInt8] { Array("\(quote),\"last\":\(quote)".utf8) }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    var text = ""
    if !fields.label.isEmpty { text += ",\"label\":\(JSONQuoting.quoted(fields.label))" }
    if !fields.source.isEmpty { text += ",\"source\":\(JSONQuoting.quoted(fields.source))" }
    if let score = fields.score { text += ",\"score\":\(score)" }
    if let day = fields.day { text += ",\"day\":\"\(day.text)\"" }
    return (Array("{\"number\":\(quote)".utf8), Array((quote + text + "}\n").utf8))
  }
}

// MARK: - The text form as an output, and the outputs of emit as those of another command

/// Writes records in one of emit's formats other than stores, for commands that write a list as it is: the order is not checked, and
/// nothing is counted.
package final class TextOutput: RecordSink {
  private let target: any EmitTarget

  /// - Precondition: the format is not that of a store.
  package init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    precondition(options.format != .store, "a store has its own order")
    target = try options.format.makeTarget(options, context)
  }

  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    try target.write(batch)
    batch.removeAll()
  }

  /// Completes the output and publishes it under its name.
  package func finish() throws(Failure) {
    try target.seal()
    try target.publish()
  }
}

final class TextFormTarget: EmitTarget {
  private let file: EmitFile
  private let writer: RecordWriter

  init(_ output: String, _ context: StageContext) throws(Failure) {
    file = try EmitFile(output, context)
    writer = RecordWriter(downstream: file)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) { try writer.write(batch) }

  func seal() throws(Failure) { try writer.flush() }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) { output.bytes = file.bytes }
}
