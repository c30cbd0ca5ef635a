// The cells that `cdpipe annotate` adds to the rows of a workbook, and the names that its outputs may have.

import BasicContainers
import InputStages
import RecordStages
import Records
import SystemIO
import SystemPackage

/// The cells of the added columns.
final class AnnotatedCells: SheetCells {
  let columnCount: Int
  private var numbers: RowNumbers
  private var text: AddedText
  /// The reasons that outcomes stand for, counted down from the largest number; numbers of E.164 are below. The first one
  /// stands for a header.
  private var reasons = [""]

  init(_ options: AnnotateOptions) {
    columnCount = options.columns.items.count
    numbers = RowNumbers(options.normalize)
    text = AddedText(options.columns, .table(separator: Byte.tab, isQuoted: false))
  }

  var hasOnlyNationalNumbers: Bool { text.hasOnlyNationalNumbers }

  func outcomes(of found: borrowing LocatedRecords) -> [UInt64] {
    numbers.read(found.texts)
    var outcomes: [UInt64] = []
    var row = 0
    for index in 0..<found.records.count {
      let record = found.records[index]
      switch record.kind {
      case .number:
        let result = numbers.results[row]
        row += 1
        outcomes.append(
          result < RowNumbers.reasonMin ? result : outcome(numbers.reasons[Int(UInt64.max - result)]))
      case .reject: outcomes.append(outcome(found.reasons[Int(record.reason)]))
      case .header: outcomes.append(.max)
      case .other: outcomes.append(0)
      }
    }
    return outcomes
  }

  private func outcome(_ reason: String) -> UInt64 {
    let index = reasons.firstIndex(of: reason) ?? reasons.count
    if index == reasons.count { reasons.append(reason) }
    return UInt64.max - UInt64(index)
  }

  func text(of outcome: UInt64) -> ContiguousArray<UInt8> {
    if outcome == .max { return text.header }
    if outcome < RowNumbers.reasonMin { return text.text(of: outcome) }
    return text.text(reason: reasons[Int(UInt64.max - outcome)])
  }
}

extension AnnotateOptions {
  private static let workbookEndings = ["xlsx", "xlsm"]
  private static let textEndings = ["csv", "tsv", "txt", "json", "jsonl", "ndjson"]

  /// Throws if the output is named like another format, or if a workbook would be written to a terminal.
  func checkOutput(of input: String, isWorkbook: Bool) throws(Failure) {
    guard let output else { return }
    let isStandard = output == OutputFile.standardOutput
    if isWorkbook, isStandard ? RunningProcess.isOutputTerminal : RunningProcess.isTerminal(output) {
      throw Failure(
        nil, .usage, "usage", "a workbook can't be written to a terminal",
        hint: "write it to a file: -o NAME.xlsx")
    }
    let (own, named) = (Self.ending(input), Self.ending(output))
    let isOther =
      isWorkbook
      ? Self.textEndings.contains(named)
        || Self.workbookEndings.contains(own) && Self.workbookEndings.contains(named) && own != named
      : Self.workbookEndings.contains(named)
    guard isOther else { return }
    let endings = isWorkbook ? Self.workbookEndings : Self.textEndings
    throw Failure(
      nil, .usage, "usage",
      "the output has the format of the input, \(isWorkbook ? "a workbook" : "text"), and "
        + "'\(PrintableText.line(output))' is named like another one",
      hint: "name it NAME.\(endings.contains(own) ? own : endings[0])")
  }

  private static func ending(_ path: String) -> String {
    (FilePath(path).lastComponent?.extension ?? "").lowercased()
  }
}
