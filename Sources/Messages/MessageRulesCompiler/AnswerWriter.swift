// The answers of `cdpipe classify`, as JSON or CSV.

package import MessageRules
package import Records
import SystemIO

/// Writes answers, one line per message.
package struct AnswerWriter {
  private let sink: FileSink
  /// Whether answers are CSV; nil before the first input is recognised.
  private var isTable: Bool?
  private let isCSVSafe: Bool
  /// The text after the row's number, cached by rule; nil if no rule matches.
  private var answers: [Int?: String] = [:]
  private var chunk: [UInt8] = []

  package init(_ sink: FileSink, isCSVSafe: Bool) {
    self.sink = sink
    self.isCSVSafe = isCSVSafe
  }

  private static func text(_ verdict: MessageVerdict, _ name: String?, isTable: Bool) -> String {
    guard isTable else {
      let rule = name.map { "\"rule\":\(JSONQuoting.quoted($0))," } ?? ""
      return ",\"action\":\"\(verdict.action.name)\",\(rule)\"subAction\":\"\(verdict.subAction.name)\"}"
    }
    let isPlain = (name ?? "").utf8.allSatisfy { $0 > 0x22 && $0 != 0x2C }
    let quoted =
      "\""
      + (name ?? "").split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
    return ",\(verdict.action.name),\(verdict.subAction.name),\(isPlain ? name ?? "" : quoted)"
  }

  /// Begins the answers to an input. The first input's format decides theirs.
  package mutating func begin(_ format: MessageFormat) throws(Failure) {
    guard isTable == nil else { return }
    isTable = format != .json
    if format != .json { try write(line: "row,action,subAction,rule") }
  }

  package mutating func write(
    _ verdict: MessageVerdict, of rules: borrowing CompiledRules, row: UInt64
  ) throws(Failure) {
    let answer = answer(verdict, rules)
    try write(line: isTable == true ? "\(row)\(answer)" : "{\"row\":\(row)\(answer)")
  }

  private mutating func answer(_ verdict: MessageVerdict, _ rules: borrowing CompiledRules) -> String {
    if let known = answers[verdict.rule] { return known }
    let isTable = isTable == true
    let name = verdict.rule.map { rules.name(ofRule: $0) }
    let answer = Self.text(
      verdict, isCSVSafe && isTable ? name.map(CSVFormula.disarmed) : name, isTable: isTable)
    answers[verdict.rule] = answer
    return answer
  }

  package mutating func write(line: String) throws(Failure) {
    chunk.append(contentsOf: line.utf8)
    chunk.append(0x0A)
    if chunk.count >= ByteChunk.defaultBytes / 2 { try flush() }
  }

  private mutating func flush() throws(Failure) {
    var bytes = ByteChunk(capacity: max(chunk.count, 1))
    let written = ContiguousArray(chunk)
    bytes.append(written.span)
    chunk.removeAll(keepingCapacity: true)
    if !bytes.isEmpty { try sink.receive(&bytes) }
  }

  package mutating func finish() throws(Failure) {
    try flush()
    try sink.finish()
  }
}
