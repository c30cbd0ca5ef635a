// The general formats of text: the text form, CSV, JSON lines.

import BasicContainers
package import Records

extension EmitFormat {
  package static let tsv = EmitFormat(
    "tsv", "the text form of records", .text, extensions: ["tsv"], fields: .all, ranges: .bounds
  ) { (options, context) throws(Failure) in try TextFormTarget(options.output, context) }
  package static let csv = EmitFormat(
    "csv", "CSV with a header line", .text, extensions: ["csv"], fields: .all, ranges: .bounds
  ) { (options, context) throws(Failure) in
    try RowTarget(CSVRow(isSafe: options.isCSVSafe), options.output, context)
  }
  package static let jsonl = EmitFormat(
    "jsonl", "one JSON object per line", .text, extensions: ["jsonl", "ndjson"], shared: ["json"],
    fields: .all, ranges: .bounds
  ) { (options, context) throws(Failure) in try RowTarget(JSONRow(), options.output, context) }
}

/// The form of a record's line: the texts before and after the number. The text after it depends only on the record
/// fields.
protocol RowForm {
  /// The bytes before the first line.
  var header: [UInt8] { get }
  var beforeNumber: [UInt8] { get }
  /// The bytes between the first and the last number of a range.
  var betweenNumbers: [UInt8] { get }
  /// The bytes after a number, with the line end.
  func afterNumber(_ fields: RecordFields.Fields) -> [UInt8]
}

/// `number,label,source,score` with quotes where they are needed (RFC 4180); a range as `first..last`.
struct CSVRow: RowForm {
  /// Whether texts that a spreadsheet would take for formulas are disarmed.
  var isSafe = false
  var header: [UInt8] { Array("number,label,source,score\r\n".utf8) }
  var beforeNumber: [UInt8] { [] }
  var betweenNumbers: [UInt8] { Array("..".utf8) }

  func afterNumber(_ fields: RecordFields.Fields) -> [UInt8] {
    let score = fields.score.map { String($0) } ?? ""
    return Array(",\(quoted(fields.label)),\(quoted(fields.source)),\(score)\r\n".utf8)
  }

  private func quoted(_ field: String) -> String {
    CSVQuoting.quoted(isSafe ? CSVFormula.disarmed(field) : field)
  }
}

/// `{"number":…,"label":"…"}`, for a range with `"last"`; empty fields are left out.
struct JSONRow: RowForm {
  var header: [UInt8] { [] }
  var beforeNumber: [UInt8] { Array("{\"number\":".utf8) }
  var betweenNumbers: [UInt8] { Array(",\"last\":".utf8) }

  func afterNumber(_ fields: RecordFields.Fields) -> [UInt8] {
    var text = ""
    if !fields.label.isEmpty { text += ",\"label\":\(JSONQuoting.quoted(fields.label))" }
    if !fields.source.isEmpty { text += ",\"source\":\(JSONQuoting.quoted(fields.source))" }
    if let score = fields.score { text += ",\"score\":\(score)" }
    return Array((text + "}\n").utf8)
  }
}

/// Writes records as lines. The text after the number is made once for each distinct record fields of a batch.
final class RowTarget<Form: RowForm>: EmitTarget {
  private let form: Form
  private let file: EmitFile
  private var lines: [UInt8]

  init(_ form: Form, _ output: String, _ context: StageContext) throws(Failure) {
    self.form = form
    lines = form.header
    file = try EmitFile(output, context)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    var after: [[UInt8]] = []
    for index in 0..<batch.fieldsTable.count {
      after.append(form.afterNumber(RecordFields.fields(batch.fieldsTable[index])))
    }
    let before = form.beforeNumber
    let between = form.betweenNumbers
    for index in 0..<batch.count {
      lines += before
      lines += String(batch.firsts[index]).utf8
      if batch.lasts[index] != batch.firsts[index] {
        lines += between
        lines += String(batch.lasts[index]).utf8
      }
      lines += after[Int(batch.fieldsIndices[index])]
      if lines.count >= EmitFile.flushBytes { try file.drain(&lines) }
    }
  }

  func seal() throws(Failure) { try file.drain(&lines) }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) { output.bytes = file.bytes }
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
