// Which versions go.

/// Which versions go.
enum Retention {
  private static let daySeconds: Int64 = 86_400

  /// The ids of those that are kept no longer: all but the newest `keep`, and those that are older than `keepDays`. The
  /// current one stays, and so do those that the next version's deltas will lead from.
  ///
  /// So does `result`, what the sources brought last, if somebody went back from it: that they did is known for as long as
  /// it is there, and without that the next run would publish it again.
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

  /// The versions that deltas to a new one lead from, the current one first.
  static func deltaSources(_ history: [PublishState.HistoryEntry], current: String, count: Int) -> [String] {
    guard count > 0 else { return [] }
    let others = history.reversed().filter { $0.id != current && !$0.isWithdrawn }.map(\.id)
    return [current] + others.prefix(count - 1)
  }
}
