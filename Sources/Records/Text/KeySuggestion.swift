// Suggestions for misspelt keys, values and commands.

/// Suggests what may have been meant.
package enum KeySuggestion {
  /// The hint for an unknown key: the most similar known key, or all of them if none is similar.
  package static func hint(_ key: String, _ known: [String]) -> String {
    if let nearest = nearest(key, known) { return "did you mean '\(nearest)'?" }
    return "use one of: \(known.joined(separator: ", "))"
  }

  /// The most similar known key, the first one of several; nil if none is similar.
  package static func nearest(_ key: String, _ known: [String]) -> String? {
    // A word in capitals is not another word.
    let typed = key.lowercased()
    let nearest = known.map { (name: $0, distance: distance(typed, $0.lowercased())) }
      .min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= max(1, key.count / 3) else { return nil }
    return nearest.name
  }

  /// The number of letters to add, remove, replace or swap (optimal string alignment).
  private static func distance(_ one: String, _ other: String) -> Int {
    let one = Array(one)
    let other = Array(other)
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
