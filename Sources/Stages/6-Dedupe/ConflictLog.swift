// Every decision of a dedupe, one a line, for who wants to know what became of a record.

import CallRecord
import PipeStage
import SystemIO

/// Why one record stands for the numbers of another.
enum Decision: String {
  /// Both say the same.
  case same
  /// It came first.
  case first
  /// It came last.
  case last
  /// It is for fewer numbers.
  case moreSpecific = "more-specific"
}

/// Writes `numbers TAB kept label TAB dropped label TAB why`, with the sources behind where there are any.
struct ConflictLog: ~Copyable {
  private var file: OutputFile
  private var line: [UInt8] = []

  init(_ path: String, calls: any SystemCalls) throws(SystemFailure) {
    file = try OutputFile(path, calls: calls)
  }

  mutating func add(
    first: UInt64, last: UInt64, kept: Span<UInt8>, dropped: Span<UInt8>, _ decision: Decision
  ) throws(SystemFailure) {
    if line.count > 60_000 { try flush() }
    let winner = Annotation.fields(kept)
    let loser = Annotation.fields(dropped)
    line.append(contentsOf: String(first).utf8)
    if first != last { line.append(contentsOf: "..\(last)".utf8) }
    append(winner.label)
    append(loser.label)
    append(decision.rawValue)
    if !winner.source.isEmpty || !loser.source.isEmpty {
      append(winner.source)
      append(loser.source)
    }
    line.append(UInt8(ascii: "\n"))
  }

  private mutating func append(_ text: String) {
    line.append(UInt8(ascii: "\t"))
    line.append(contentsOf: Annotation.bytes(Annotation.Fields(label: text)))
  }

  mutating func flush() throws(SystemFailure) {
    let bytes = line
    try file.write(bytes.span)
    line.removeAll(keepingCapacity: true)
  }

  consuming func publish() throws(SystemFailure) {
    try file.publish(durably: false)
  }
}
