// Names the keys of a pipeline file in messages that name the options of commands: `--number NAME` becomes
// `parse: { number: NAME }`.
//
// Messages are written for commands. A run of a pipeline file has the same stages, whose options are keys there.

package import Records

/// Replaces options in messages by the keys of pipeline files.
package struct KeyNames: Sendable {
  /// A key of a stage.
  package struct Key: Equatable, Sendable {
    /// The stage.
    package var stage: StageName
    /// The key.
    package var name: String

    /// Creates a key.
    package init(_ stage: StageName, _ name: String) {
      self.stage = stage
      self.name = name
    }
  }

  /// An option in a text, with the signs around it.
  private struct Option {
    var before: Substring
    var key: Key
    /// The value, such as `NAME`; nil if there is none.
    var value: String?
    var after: Substring
    /// The number of words.
    var count: Int
  }

  private static let signsBefore: Set<Character> = ["("]
  private static let signsAfter: Set<Character> = [")", ",", ";", ":", ".", "?"]

  private let key: @Sendable (_ option: String, _ stage: StageName?) -> Key?

  /// Creates names. `key` returns the key that an option without its dashes is, preferably of the stage; nil for an
  /// option that is not a key, such as one of `cdpipe run`.
  package init(_ key: @escaping @Sendable (_ option: String, _ stage: StageName?) -> Key?) {
    self.key = key
  }

  /// Returns a message that names keys. Options in quoted text and in commands (`cdpipe …`) stay.
  ///
  /// - Parameters:
  ///   - stage: the stage that the message is about.
  ///   - kept: the options that stay.
  package func message(
    _ message: UserMessage, of stage: StageName?, keeping kept: Set<String> = []
  ) -> UserMessage {
    UserMessage(
      text(message.message, of: stage, keeping: kept),
      hint: message.hint.map { text($0, of: stage, keeping: kept) })
  }

  /// Returns a text that names keys: `parse: { number: NAME }` for an option with a value, `'parse.number'` without.
  package func text(_ text: String, of stage: StageName?, keeping kept: Set<String> = []) -> String {
    guard text.contains("-") else { return text }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    var result: [String] = []
    var index = 0
    var isQuoted = false
    while index < words.count {
      let word = words[index]
      if isQuoted {
        if Self.closesQuote(word) { isQuoted = false }
      } else if word == "cdpipe", !(words[(index + 1)...].first?.hasSuffix(":") ?? true) {
        result += words[index...].map(String.init)
        break
      } else if let first = option(words[index...], stage, kept) {
        var options = [first]
        index += first.count
        // Options with values that follow each other are keys of one stage.
        while let last = options.last, last.value != nil, last.after.isEmpty,
          let next = option(words[index...], stage, kept), next.key.stage == first.key.stage,
          next.value != nil, next.before.isEmpty
        {
          options.append(next)
          index += next.count
        }
        result.append(Self.text(options))
        continue
      } else if Self.opensQuote(word) {
        isQuoted = true
      }
      result.append(String(word))
      index += 1
    }
    return result.joined(separator: " ")
  }

  /// Returns an option parser's message about a key, with the key's name in place of the option: `'--keep <which>'` and
  /// `--keep` become `'keep'`.
  package static func message(_ message: String, aboutKey key: String, option: String) -> String {
    var message = message
    while let start = message.firstRange(of: "'--\(option) <"),
      let end = message[start.upperBound...].firstRange(of: ">'")
    {
      message.replaceSubrange(start.lowerBound..<end.upperBound, with: "'\(key)'")
    }
    let words = message.split(separator: " ", omittingEmptySubsequences: false)
    return words.map { word in
      word == "--\(option)" ? "'\(key)'" : word == "'--\(option)'" ? "'\(key)'" : String(word)
    }.joined(separator: " ")
  }

  // MARK: Words

  /// Returns the option that the words start with, with its value; nil if there is none.
  private func option(_ words: ArraySlice<Substring>, _ stage: StageName?, _ kept: Set<String>) -> Option? {
    guard var word = words.first else { return nil }
    let before = word.prefix { Self.signsBefore.contains($0) }
    word = word.dropFirst(before.count)
    var after = Self.signs(after: word)
    word = word.dropLast(after.count)
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let isShort = word == "-o"
    guard isShort || word.hasPrefix("--"), let dashed = parts.first else { return nil }
    let name = isShort ? "output" : String(dashed.dropFirst(2))
    guard !name.isEmpty, !kept.contains(name), let key = key(name, stage) else { return nil }
    var value = parts.count > 1 ? String(parts[1]) : nil
    var count = 1
    if value == nil, after.isEmpty, let next = words.dropFirst().first, Self.isValue(next) {
      var rest = words.dropFirst()
      var typed: [Substring] = []
      repeat {
        typed.append(rest.removeFirst())
      } while !rest.isEmpty && next.hasPrefix("'")
        && !Self.closesQuote(typed[typed.count - 1])
      after = Self.signs(after: typed[typed.count - 1])
      typed[typed.count - 1] = typed[typed.count - 1].dropLast(after.count)
      value = typed.joined(separator: " ")
      count += typed.count
    }
    if isShort, value == nil { return nil }
    return Option(before: before, key: key, value: value, after: after, count: count)
  }

  private static func text(_ options: [Option]) -> String {
    guard let first = options.first, let last = options.last else { return "" }
    let keys =
      first.value == nil
      ? "'\(first.key.stage.rawValue).\(first.key.name)'"
      : "\(first.key.stage.rawValue): { "
        + options.map { "\($0.key.name): \($0.value ?? "")" }.joined(separator: ", ") + " }"
    return "\(first.before)\(keys)\(last.after)"
  }

  /// Whether a word after an option is its value: a placeholder such as `NAME`, a number, or quoted text.
  private static func isValue(_ word: Substring) -> Bool {
    guard let first = word.first else { return false }
    return first == "'" || first.isASCII && (first.isUppercase || first.isNumber)
  }

  private static func signs(after word: Substring) -> Substring {
    word.suffix(word.reversed().prefix { signsAfter.contains($0) }.count)
  }

  private static func opensQuote(_ word: Substring) -> Bool {
    let text = word.drop { signsBefore.contains($0) }
    return text.first == "'" && !(text.count > 1 && closesQuote(text.dropFirst()))
  }

  private static func closesQuote(_ word: Substring) -> Bool {
    word.dropLast(signs(after: word).count).last == "'"
  }
}
