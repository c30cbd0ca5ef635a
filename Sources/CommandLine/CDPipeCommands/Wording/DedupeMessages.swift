// What dedupe tells and why it fails, in sentences.

import DedupeStage

enum DedupeMessages {
  static func sentence(_ failure: DedupeError) -> UserMessage {
    switch failure {
    case .notSorted(let row, let previous, let number):
      UserMessage(
        "the input is not sorted: row \(row) has \(number) behind \(previous)",
        hint: "put 'cdpipe sort' before it")
    case .widerRangeAfter(let row, let number):
      UserMessage(
        "row \(row): a range from \(number) on stands behind a shorter one, and --keep most-frequent counts records "
          + "that follow each other", hint: "put 'cdpipe sort' before it")
    case .tooManyOverlaps(let number, let limit):
      UserMessage("more than \(Figures.grouped(UInt64(limit))) ranges overlap at \(number)")
    case .overlapsTooLarge(let number, let bytesMax):
      UserMessage(
        "the labels of the ranges that overlap at \(number) are longer than \(ByteSize.text(UInt64(bytesMax))) together"
      )
    case .labelsTooLarge(let number, let bytesMax):
      UserMessage(
        "the different labels of \(number) take more than \(ByteSize.text(UInt64(bytesMax))), too much to count",
        hint: "any other --keep needs no count")
    case .badLabelMap(let path, let line, let mistake): sentence(mistake, "\(path):\(line)")
    case .labelMapTooLarge(let path, let limit):
      UserMessage("'\(path)' is larger than \(ByteSize.text(UInt64(limit))): is it a label map?")
    }
  }

  private static func sentence(_ mistake: LabelMapError, _ place: String) -> UserMessage {
    switch mistake {
    case .noEquals:
      UserMessage(
        "\(place): there is no '='", hint: "a line is 'label = other label', or begins with #")
    case .badEscape:
      UserMessage(
        "\(place): a backslash that starts none of \\\\ \\= \\# \\* \\? \\- \\t \\n \\r and backslash space",
        hint: "a backslash itself is \\\\")
    case .notUTF8: UserMessage("\(place): not UTF-8")
    }
  }

  /// What is worth saying at the end.
  static func line(_ notice: DedupeNotice) -> String {
    switch notice {
    case .leftOut(let reason, let records, let numbers):
      "cdpipe dedupe: left out \(counted(records, numbers)) \(cause(reason))"
    case .sourcesWithoutRecords(let names):
      "cdpipe dedupe: no record has the source \(names.map { "'\(RejectMessages.printable($0))'" }.joined(separator: ", ")) "
        + "that --priority names"
    }
  }

  /// `1 record`, `12 records`, `12 records (1,011 numbers)`.
  private static func counted(_ records: UInt64, _ numbers: UInt64) -> String {
    let text = "\(Figures.grouped(records)) record\(records == 1 ? "" : "s")"
    return numbers == records ? text : "\(text) (\(Figures.grouped(numbers)) numbers)"
  }

  private static func cause(_ reason: LeftOutReason) -> String {
    switch reason {
    case .mapped: "whose label --map-labels drops"
    case .score: "below --min-score"
    case .limit: "beyond --limit"
    }
  }
}
