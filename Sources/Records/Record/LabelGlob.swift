// Matches labels against patterns, for `emit --block '诈骗*'` and the label maps of dedupe.
//
// Not for: file names, whose patterns also have classes and slashes (FilePattern).

/// A pattern in which `*` stands for any text and `?` for any character.
package struct LabelGlob: Sendable {
  /// A part of a pattern.
  package enum Part: Equatable, Sendable {
    /// Any text, or none.
    case anyText
    /// Any one character.
    case anyCharacter
    /// This character.
    case character(Character)
  }

  private let pattern: [Part]

  /// Creates a pattern from text. Every `*` and `?` in it is a wildcard.
  package init(_ text: String) {
    pattern = text.map { $0 == "*" ? .anyText : $0 == "?" ? .anyCharacter : .character($0) }
  }

  /// Creates a pattern from its parts, for syntaxes in which a `*` can be escaped.
  package init(_ parts: [Part]) {
    pattern = parts
  }

  /// Whether the whole label matches.
  ///
  /// - Complexity: O(label × pattern) in the worst case. Only the last `*` is ever extended.
  package func matches(_ label: String) -> Bool {
    let label = Array(label)
    var at = 0
    var place = 0
    var star: (place: Int, at: Int)?
    while at < label.count {
      if place < pattern.count, pattern[place] == .anyText {
        star = (place, at)
        place += 1
      } else if place < pattern.count,
        pattern[place] == .anyCharacter || pattern[place] == .character(label[at])
      {
        place += 1
        at += 1
      } else if let last = star {
        // The star matches one more character.
        star = (last.place, last.at + 1)
        place = last.place + 1
        at = last.at + 1
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == .anyText }
  }
}
