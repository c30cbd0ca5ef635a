// Messages for errors of set operations.

import StoreWriting
package import Records

extension SetError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .notSorted(let list, let line, let previous, let number):
      UserMessage(
        "\(InputName.plain(list)):\(line): \(number) comes after \(previous): input is not sorted",
        hint: Self.remedy(list, "sort"))
    case .widerRangeAfter(let list, let line, let number):
      UserMessage(
        "\(InputName.plain(list)):\(line): a wider record that starts at \(number) comes after a narrower one: "
          + "input is not sorted", hint: Self.remedy(list, "sort"))
    case .overlapsItself(let list, let line, let number):
      UserMessage(
        "\(InputName.plain(list)):\(line): \(number) is also in the previous record: the list must not overlap itself",
        hint: Self.remedy(list, "dedupe"))
    case .notARecord(let list, let line, let reason, let text):
      UserMessage(
        "\(InputName.plain(list)):\(line): \(reason.text): \(PrintableText.quoted(text))",
        hint:
          "convert the list first: cdpipe parse \(list == "-" ? "" : ShellQuoting.quoted(list) + " ")"
          + "| cdpipe normalize --region CC | cdpipe sort | cdpipe dedupe")
    case .store(let error, let list): error.userMessage(path: InputName.plain(list))
    case .sharedPipe(let list):
      UserMessage(
        "\(InputName.quoted(list)) is a pipe, and can be read as one list only",
        hint: "save it to a file, and name the file twice")
    case .tooManyLists(let count, let limit):
      UserMessage(
        "\(count) lists; the maximum is \(limit)",
        hint: "combine some of them first: cdpipe union LIST… -o FILE")
    }
  }

  /// How to make a list that can be used: by a stage before this one, or by a command.
  private static func remedy(_ list: String, _ stage: String) -> String {
    list == "-"
      ? "add 'cdpipe \(stage)' before this stage" : "run 'cdpipe \(stage) \(ShellQuoting.quoted(list))' first"
  }
}
