// Selects the versions to remove, and the versions that deltas start from.

/// Decides which versions are kept.
enum Retention {
  private static let daySeconds: Int64 = 86_400

  /// The ids of the versions to remove: all but the newest `keep`, and those older than `keepDays`. The current version
  /// is always kept, as are the versions that the next version's deltas will start from.
  ///
  /// `result`, the version that the sources resulted in last, is kept if it was rolled back. Its mark is lost when it
  /// is removed, and the next run would publish it again.
  static func expired(
    _ history: [PublishState.HistoryEntry], current: String, result: String?, now: Int64,
    _ options: PublishOptions
  ) -> Set<String> {
    var kept: Set<String> = [current]
    if let withdrawn = history.first(where: { $0.id == result && $0.isWithdrawn }) {
      kept.insert(withdrawn.id)
    }
    kept.formUnion(deltaSources(history, current: current, count: options.deltas))
    var slotsLeft = max(0, options.keep - kept.count)
    for entry in history.reversed() where !kept.contains(entry.id) {
      let isOld = options.keepDays.map { now &- entry.published > Int64($0) &* daySeconds } ?? false
      if !isOld, slotsLeft > 0 {
        kept.insert(entry.id)
        slotsLeft -= 1
      }
    }
    return Set(history.map(\.id)).subtracting(kept)
  }

  /// The versions that deltas to a new version start from, the current one first.
  static func deltaSources(_ history: [PublishState.HistoryEntry], current: String, count: Int) -> [String] {
    guard count > 0 else { return [] }
    let others = history.reversed().filter { $0.id != current && !$0.isWithdrawn }.map(\.id)
    return [current] + others.prefix(count - 1)
  }
}
