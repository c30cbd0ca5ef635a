// Messages for failed checks of single sources.

public import PipeRunner
public import PipeStage

extension SourceCheckError: UserMessageConvertible {
  /// Describes the error for users.
  public func userMessage(of _: StageName?) -> UserMessage {
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
    }
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
