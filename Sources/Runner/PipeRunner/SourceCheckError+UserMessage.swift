// Messages for failed checks of single sources.

package import Records

extension SourceCheckError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .tooFewRows(let source, let count, let min):
      UserMessage(
        "source '\(source)': \(Figures.counted(count, "usable row")), fewer than min-rows (\(Figures.grouped(min)))",
        hint: Self.allowOnce(source, "min-rows", "0"))
    case .tooManyRejects(let source, let count, let rows, let limit):
      UserMessage(
        "source '\(source)': \(Figures.grouped(count)) of \(Figures.grouped(rows)) rows were rejected, "
          + "more than max-rejects (\(Figures.plain(limit))%)",
        hint: Self.allowOnce(source, "max-rejects", "100%"))
    case .changedTooMuch(let source, let count, let before, let limit):
      UserMessage(
        "source '\(source)': \(Figures.counted(count, "usable row")), previously \(Figures.grouped(before)): "
          + "a change of more than max-change (\(Figures.plain(limit))%)",
        hint: Self.allowOnce(source, "max-change", "\(Self.percent(from: before, to: count))%"))
    case .tooManyRows(let source, let limit):
      UserMessage(
        "source '\(source)': more than \(Figures.counted(limit, "row")), the limit of max-rows",
        hint: Self.raise("max-rows"))
    case .tooManyNumbers(let source, let limit, let range):
      UserMessage(
        "source '\(source)': more than \(Figures.grouped(limit)) numbers, the limit of max-numbers"
          + (range.map { ": the range \($0.lowerBound)..\($0.upperBound) exceeds it" } ?? ""),
        hint: Self.raise("max-numbers"))
    case .tooManyOverlaps(let source, let number, let limit):
      UserMessage(
        "source '\(source)': more than \(Figures.grouped(limit)) ranges contain \(number), the limit of max-overlaps",
        hint: Self.raise("max-overlaps"))
    case .overlapsTooLarge(let source, let number, let limit):
      UserMessage(
        "source '\(source)': the labels of the ranges that contain \(number) are longer than \(Figures.bytes(limit))"
      )
    case .pipeTimedOut(let source, let path, let seconds):
      UserMessage(
        "source '\(source)': the pipe '\(PrintableText.line(path))' did not end within "
          + "\(Figures.plain(seconds)) seconds, the limit of pipe-timeout",
        hint: Self.raise("pipe-timeout"))
    }
  }

  /// The hint to raise a limit of the source.
  private static func raise(_ key: String) -> String {
    "if the source is valid, set a larger '\(key)' for it"
  }

  /// The hint that sets a limit for one run.
  private static func allowOnce(_ source: String, _ key: String, _ value: String) -> String {
    // In an override, a dot in a name would separate keys.
    let name = source.contains(".") ? "NUMBER" : source
    return "to allow it once, use --set \(ShellQuoting.quoted("sources.\(name).\(key)=\(value)"))"
  }

  /// The change between two counts in percent of the first, rounded up.
  private static func percent(from before: UInt64, to count: UInt64) -> UInt64 {
    let difference = before > count ? before - count : count - before
    return UInt64(exactly: (Double(difference) * 100 / Double(max(1, before))).rounded(.up)) ?? 100
  }
}
