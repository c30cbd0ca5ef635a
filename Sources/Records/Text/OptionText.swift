// Options in messages, as values: `"add \(option: "number", "NAME")"` is `--number NAME` for a command, and
// `parse: { number: NAME }` in a run of a pipeline file, whose keys are the options.
//
// Until a message is shown, an option in it stands between marks: characters that no text has.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// An option that a message names.
public struct NamedOption: Equatable, Sendable {
  /// The name without dashes; one letter for a short one, such as `o`.
  public var name: String
  /// What follows it, such as `NAME`; nil for nothing.
  public var value: String?
  /// Whether an equals sign is between them, not a space.
  public var isJoined = false
  /// Whether it is in single quotes when it is typed.
  public var isQuoted = false

  /// As it is typed: `--number NAME`, `--number=NAME`, `-o FILE`.
  public var typed: String {
    let text = (name.count == 1 ? "-" : "--") + name + (value.map { (isJoined ? "=" : " ") + $0 } ?? "")
    return isQuoted ? "'\(text)'" : text
  }
}

extension DefaultStringInterpolation {
  /// An option without its dashes, with a value or a placeholder for one: `"number", "NAME"`, or `"number=", "NAME"` for
  /// an equals sign between them.
  public mutating func appendInterpolation(option name: String, _ value: String? = nil) {
    appendLiteral(
      "\(OptionText.start)\(name)" + (value.map { "\(OptionText.middle)\($0)" } ?? "") + "\(OptionText.end)")
  }

  public mutating func appendInterpolation(quotedOption name: String, _ value: String? = nil) {
    appendInterpolation(option: "'" + name, value)
  }
}

public enum OptionText {
  // Private-use characters. A name from outside that has them is at worst shown as an option.
  fileprivate static let start: Unicode.Scalar = "\u{F8A1}"
  fileprivate static let middle: Unicode.Scalar = "\u{F8A2}"
  fileprivate static let end: Unicode.Scalar = "\u{F8A3}"

  public static func typed(_ text: String) -> String {
    shown(text) { $0.map(\.typed).joined(separator: " ") }
  }

  /// The text with options as they are typed in a command that has other names for some.
  public static func typed(_ text: String, renaming newName: (String) -> String?) -> String {
    shown(text) { options in
      options.map { option in
        var option = option
        option.name = newName(option.name) ?? option.name
        return option.typed
      }.joined(separator: " ")
    }
  }

  /// The text with each run of options that follow each other, separated by spaces, replaced by what `show` returns.
  public static func shown(_ text: String, _ show: ([NamedOption]) -> String) -> String {
    guard text.unicodeScalars.contains(start) else { return text }
    var result = ""
    var run: [NamedOption] = []
    // A mark is one character with an accent that follows it: the scalars are compared.
    var rest = text.unicodeScalars[...]
    while let next = rest.firstIndex(of: start), let last = rest[next...].firstIndex(of: end) {
      let before = String(rest[..<next])
      if !run.isEmpty, before != " " {
        result += show(run)
        run = []
      }
      if run.isEmpty { result += before }
      let parts = rest[rest.index(after: next)..<last].split(
        separator: middle, maxSplits: 1, omittingEmptySubsequences: false
      ).map { String($0) }
      let isJoined = parts[0].hasSuffix("=")
      let isQuoted = parts[0].hasPrefix("'")
      let name = parts[0].dropFirst(isQuoted ? 1 : 0).dropLast(isJoined ? 1 : 0)
      run.append(
        NamedOption(
          name: String(name), value: parts.count > 1 ? parts[1] : nil, isJoined: isJoined,
          isQuoted: isQuoted))
      rest = rest[rest.index(after: last)...]
    }
    return result + (run.isEmpty ? "" : show(run)) + String(rest)
  }
}

/// The keys of pipeline files that options are.
public struct OptionKeys: Sendable {
  public struct Key: Equatable, Sendable {
    public var stage: StageName
    public var name: String

    public init(_ stage: StageName, _ name: String) {
      self.stage = stage
      self.name = name
    }
  }

  private let key: @Sendable (_ option: String, _ stage: StageName?) -> Key?

  /// `key` returns the key that an option without its dashes is, preferably of the stage; nil for an option that is not
  /// a key, such as one of `cdpipe run`.
  public init(_ key: @escaping @Sendable (_ option: String, _ stage: StageName?) -> Key?) {
    self.key = key
  }

  /// A text that names keys: `parse: { number: NAME }` for an option with a value, `'parse.number'` without. Options
  /// with values that follow each other are keys of one stage. `own` is the option whose key the text is about: `'number'`.
  public func text(
    _ text: String, of stage: StageName?, own: (option: String, key: String)? = nil
  ) -> String {
    OptionText.shown(text) { options in
      var parts: [String] = []
      var open: (stage: StageName, keys: [String])?
      func close() {
        if let open { parts.append("\(open.stage.rawValue): { \(open.keys.joined(separator: ", ")) }") }
        open = nil
      }
      for option in options {
        if option.name != own?.option, let key = key(option.name, stage), let value = option.value {
          if open?.stage != key.stage { close() }
          open = (key.stage, (open?.keys ?? []) + ["\(key.name): \(value)"])
          continue
        }
        close()
        if let own, option.name == own.option {
          parts.append("'\(own.key)'" + (option.value.map { " \($0)" } ?? ""))
        } else if let key = key(option.name, stage) {
          parts.append("'\(key.stage.rawValue).\(key.name)'")
        } else {
          parts.append(option.typed)
        }
      }
      close()
      return parts.joined(separator: " ")
    }
  }
}
