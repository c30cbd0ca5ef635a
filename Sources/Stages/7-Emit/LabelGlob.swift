// `--block '诈骗*'`: does a label fit a pattern?

/// A pattern in which `*` stands for any text and `?` for any character.
struct LabelGlob {
  private let pattern: [Character]

  init(_ text: String) {
    pattern = Array(text)
  }

  /// Whether the whole label fits.
  ///
  /// - Complexity: O(label × pattern) at worst; a `*` that failed is never tried again from the front.
  func fits(_ label: String) -> Bool {
    let label = Array(label)
    var at = 0
    var place = 0
    var star: (place: Int, at: Int)?
    while at < label.count {
      if place < pattern.count, pattern[place] == "*" {
        star = (place, at)
        place += 1
      } else if place < pattern.count, pattern[place] == "?" || pattern[place] == label[at] {
        place += 1
        at += 1
      } else if let last = star {
        // The star takes one character more.
        star = (last.place, last.at + 1)
        place = last.place + 1
        at = last.at + 1
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
