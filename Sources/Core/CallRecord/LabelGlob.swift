// Does a label fit a pattern? For `emit --block '诈骗*'` and the label maps of dedupe.
//
// Not for: file names. Their patterns have classes and slashes, and are the C library's.

/// A pattern in which `*` stands for any text and `?` for any character.
public struct LabelGlob: Sendable {
  /// One place of a pattern.
  public enum Part: Equatable, Sendable {
    /// Any text, or none.
    case anyText
    /// Any one character.
    case anyCharacter
    /// This character.
    case character(Character)
  }

  private let pattern: [Part]

  /// Makes a pattern of a text; each `*` and `?` in it is a wildcard.
  public init(_ text: String) {
    pattern = text.map { $0 == "*" ? .anyText : $0 == "?" ? .anyCharacter : .character($0) }
  }

  /// Makes a pattern of its parts, for who has a way to write a `*` that is none.
  public init(_ parts: [Part]) {
    pattern = parts
  }

  /// Whether the whole label fits.
  ///
  /// - Complexity: O(label × pattern) at worst; a `*` that failed is never tried again from the front.
  public func fits(_ label: String) -> Bool {
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
        // The star takes one character more.
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
