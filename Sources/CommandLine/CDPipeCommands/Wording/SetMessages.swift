// Lists that a set operation can't take, in sentences.

import PipeStage
import SetStage

enum SetMessages {
  static func sentence(_ failure: SetError) -> UserMessage {
    switch failure {
    case .notSorted(let list, let line, let previous, let number):
      UserMessage(
        "\(place(list, line)): not sorted: \(number) stands behind \(previous)",
        hint: list == "-"
          ? "put 'cdpipe sort' before it" : "cdpipe sort \(PipeText.quoted(list)) gives a sorted list")
    case .widerRangeAfter(let list, let line, let number):
      UserMessage(
        "\(place(list, line)): not sorted: a wider record from \(number) on stands behind a narrower one",
        hint: list == "-"
          ? "put 'cdpipe sort' before it" : "cdpipe sort \(PipeText.quoted(list)) gives a sorted list")
    case .overlapsItself(let list, let line, let number):
      UserMessage(
        "\(place(list, line)): \(number) is in the record before, too, and the list must be disjoint",
        hint: list == "-"
          ? "put 'cdpipe dedupe' before it" : "cdpipe dedupe \(PipeText.quoted(list)) gives a disjoint list")
    case .notARecord(let list, let line, let reason, let text):
      UserMessage(
        "\(place(list, line)): \(RejectMessages.reasons(reason)): \(RejectMessages.quoted(text))",
        hint:
          "a list that people write is made records by: cdpipe parse \(list == "-" ? "" : PipeText.quoted(list) + " ")"
          + "| cdpipe normalize --region CC | cdpipe sort | cdpipe dedupe")
    case .store(let error, let list): StoreMessages.sentence(error, list == "-" ? "standard input" : list)
    case .noManifest(let directory):
      UserMessage(
        "'\(directory)' is a directory without manifest.json",
        hint: "'cdpipe emit --format store -o DIRECTORY' writes shards with one")
    case .tooManyLists(let count, let limit):
      UserMessage(
        "\(count) lists, and \(limit) is the most",
        hint: "unite some of them first: cdpipe union LIST… -o FILE")
    }
  }

  /// `allow.tsv:17`
  private static func place(_ list: String, _ line: UInt64) -> String {
    "\(list == "-" ? "standard input" : list):\(line)"
  }
}
