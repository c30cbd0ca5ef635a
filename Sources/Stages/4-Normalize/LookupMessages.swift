// Messages of `cdpipe lookup` about its arguments, and about numbers that are not found.

package import NumberPlan
package import Records

/// Describes arguments of a lookup that can't be used, and numbers that are not found.
package enum LookupMessages {
  /// The maximum number of missing numbers that a message names.
  package static let namedNumbersMax = 20

  /// No argument is a list.
  ///
  /// - Parameter files: the numbers that are also the names of files or directories.
  package static func noList(_ numbers: [String], files: [String]) -> UserMessage {
    let understood =
      numbers.isEmpty ? "" : ": \(quoted(numbers)) \(numbers.count == 1 ? "is a number" : "are numbers")"
    return UserMessage(
      "no list to search\(understood)",
      hint: files.first.map { "for the list of that name, type ./\($0)" }
        ?? "add a store, a manifest or a directory of shards: cdpipe lookup NUMBER… FILE…")
  }

  /// Every argument is the name of a file or a directory.
  package static func noNumber(_ lists: [String]) -> UserMessage {
    UserMessage(
      "no number to look up: \(quoted(lists)) "
        + (lists.count == 1 ? "is a file or a directory" : "are files or directories"),
      hint: "add numbers, or '-' to read them from standard input")
  }

  /// An argument is neither the name of a file nor a number that can be looked up.
  package static func unreadable(_ text: String, _ reason: NormalizeReject, _ region: Region?) -> UserMessage {
    switch reason {
    case .severalNumbers:
      UserMessage(
        "'\(text)' is neither a file nor a single number",
        hint: "for all records of a pattern: cdpipe generate PATTERN | cdpipe intersect FILE -")
    case .notANumber: UserMessage("'\(text)' is neither a file nor a phone number")
    default: NumberMessages.unreadable(text, reason, region)
    }
  }

  /// Numbers that no list contains.
  ///
  /// - Parameters:
  ///   - numbers: the first missing numbers.
  ///   - count: the number of missing numbers.
  ///   - lists: the names of the lists that were searched.
  package static func missing(_ numbers: [String], count: UInt64, in lists: [String]) -> UserMessage {
    let place = lists.count == 1 ? "'\(lists[0])'" : "any of the \(lists.count) lists"
    let others = count - min(count, UInt64(numbers.count))
    return UserMessage(
      "not in \(place): \(numbers.map(PrintableText.line).joined(separator: ", "))"
        + (others == 0 ? "" : ", and \(Figures.counted(others, "more number"))"))
  }

  /// Lines of standard input that are not numbers.
  package static func unreadableLines(_ count: UInt64, of lines: UInt64) -> UserMessage {
    UserMessage(
      "\(Figures.grouped(count)) of \(Figures.counted(lines, "line")) could not be read as a number")
  }

  /// The first arguments in quotes.
  private static func quoted(_ texts: [String]) -> String {
    let named = texts.prefix(namedNumbersMax).map { "'\(PrintableText.line($0))'" }
    return named.joined(separator: ", ") + (texts.count > named.count ? ", …" : "")
  }
}
