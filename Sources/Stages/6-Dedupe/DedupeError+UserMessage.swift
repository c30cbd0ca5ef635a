// Messages for errors and notices of `dedupe`.

package import Records

extension DedupeError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .notSorted(let row, let previous, let number):
      UserMessage(
        "row \(row): \(number) comes after \(previous): input is not sorted",
        hint: "add 'cdpipe sort' before this stage")
    case .widerRangeAfter(let row, let number):
      UserMessage(
        "row \(row): a range that starts at \(number) comes after a shorter one: input is not sorted, "
          + "and --keep=most-frequent needs sorted input", hint: "add 'cdpipe sort' before this stage")
    case .tooManyOverlaps(let number, let limit):
      UserMessage("more than \(Figures.grouped(UInt64(limit))) ranges overlap at \(number)")
    case .overlapsTooLarge(let number, let bytesMax):
      UserMessage(
        "the labels of the ranges that overlap at \(number) exceed \(Figures.bytes(bytesMax)) in total")
    case .labelsTooLarge(let number, let bytesMax):
      UserMessage(
        "the distinct labels of \(number) exceed \(Figures.bytes(bytesMax)) in total",
        hint: "use another --keep: only most-frequent counts labels")
    case .badLabelMap(let path, let line, let error): error.userMessage(at: "\(path):\(line)")
    case .labelMapTooLarge(let path, let limit):
      UserMessage("'\(path)' is larger than \(Figures.bytes(limit)): is it a label map?")
    }
  }
}

extension LabelMapError {
  fileprivate func userMessage(at place: String) -> UserMessage {
    switch self {
    case .noEquals:
      UserMessage("\(place): '=' is missing", hint: "write 'label = new label', or start a comment with #")
    case .badEscape:
      UserMessage(
        "\(place): invalid escape: not one of \\\\ \\= \\# \\* \\? \\- \\t \\n \\r and backslash space",
        hint: "write a backslash as \\\\")
    case .notUTF8: UserMessage("\(place): not UTF-8")
    }
  }
}

extension DedupeNotice {
  /// The notice as a line.
  package var line: String {
    switch self {
    case .leftOut(let reason, let records, let numbers):
      "left out \(Self.counted(records, numbers)) \(reason.clause)"
    case .sourcesWithoutRecords(let names):
      "--priority names sources without records: "
        + names.map { "'\(PrintableText.line($0))'" }.joined(separator: ", ")
    }
  }

  /// `1 record`, `12 records`, `12 records (1,011 numbers)`.
  private static func counted(_ records: UInt64, _ numbers: UInt64) -> String {
    let text = Figures.counted(records, "record")
    return numbers == records ? text : "\(text) (\(Figures.grouped(numbers)) numbers)"
  }
}

extension LeftOutReason {
  fileprivate var clause: String {
    switch self {
    case .mapped: "whose label --map-labels drops"
    case .score: "below --min-score"
    case .limit: "beyond --limit"
    }
  }
}
