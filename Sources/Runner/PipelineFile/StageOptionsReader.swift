// The keys of a stage in a pipeline file, read as the options of a command, so that files and commands behave the same.
// The command layer's option parser defines what an option means.

package import Records

/// How a key of a pipeline file becomes an argument of a command. A key without traits has one value.
package struct KeyTraits: Sendable {
  /// Whether the value is a path, relative to the pipeline file.
  package var isPath = false
  /// Whether the key accepts several values.
  package var isList = false
  /// Whether the values are arguments without an option's name.
  package var isPositional = false
  /// Whether the previous stage's data is the first of the values.
  package var startsWithInput = false
  /// The option's name if it differs from the key.
  package var option: String?
  /// A value that is a keyword, not a path.
  package var word: String?
  /// The value that the Boolean `false` means; nil for a key that `false` leaves unset, such as a flag.
  package var falseText: String?
  /// Whether an empty text is a value; elsewhere, it is a missing one.
  package var mayBeEmpty = false
  /// Values that the option accepts besides the ones that it lists.
  package var aliases: [String] = []
  /// Whether the option decides which numbers are listed, so that `--check` shows it.
  package var decides = false
  /// Replaces the paths in a value that is more than a path.
  package var replacesPaths: (@Sendable (_ value: String, _ path: (String) -> String) -> String)?

  package init(
    isPath: Bool = false, isList: Bool = false, isPositional: Bool = false,
    startsWithInput: Bool = false, option: String? = nil, word: String? = nil, falseText: String? = nil,
    mayBeEmpty: Bool = false, aliases: [String] = [], decides: Bool = false,
    replacesPaths: (@Sendable (_ value: String, _ path: (String) -> String) -> String)? = nil
  ) {
    self.isPath = isPath
    self.isList = isList
    self.isPositional = isPositional
    self.startsWithInput = startsWithInput
    self.option = option
    self.word = word
    self.falseText = falseText
    self.mayBeEmpty = mayBeEmpty
    self.aliases = aliases
    self.decides = decides
    self.replacesPaths = replacesPaths
  }

  package static let path = KeyTraits(isPath: true)
  package static let list = KeyTraits(isList: true)
  package static let text = KeyTraits(mayBeEmpty: true)
  package static let decision = KeyTraits(decides: true)
}

extension [String: KeyTraits] {
  package func key(of option: String) -> String { first { $0.value.option == option }?.key ?? option }

  /// The keys of a stage with these traits, whose options are `names`.
  package func stageKeys(of names: [String]) -> [String] {
    names.filter { key(of: $0) == $0 } + keys.filter { !names.contains($0) }.sorted()
  }
}

package struct StageOptionsError: Error {
  /// The position of the key or value.
  package let mark: Mark
  package let message: String
  /// The key that the error is about; nil if only its position is known.
  package let key: String?

  package init(_ mark: Mark, _ message: String, key: String? = nil) {
    self.mark = mark
    self.message = message
    self.key = key
  }
}

/// Reads settings with a command's option parser.
package struct StageOptionsReader<Options> {
  private let traits: [String: KeyTraits]
  private let names: () -> [String]
  private let parse: ([String]) throws -> Options
  private let reason: (_ error: any Error, _ key: String) -> String

  /// Creates a reader. `names` are the names of the options, without dashes; `parse` parses arguments; `reason` describes
  /// the errors that it throws.
  package init(
    _ traits: [String: KeyTraits], names: @escaping () -> [String],
    parse: @escaping ([String]) throws -> Options,
    reason: @escaping (_ error: any Error, _ key: String) -> String
  ) {
    self.traits = traits
    self.names = names
    self.parse = parse
    self.reason = reason
  }

  /// Returns the settings as arguments, with the options parsed from them.
  ///
  /// Parsing options dominates the time of a short run, so all are parsed at once. Only if that fails are they added
  /// one by one to find the invalid key.
  package func read(_ settings: [StageSetting]) throws -> (arguments: [String], options: Options) {
    let all = settings.flatMap { arguments($0) }
    var failure: (any Error)?
    if settings.allSatisfy({ wrong($0) == nil && traits.key(of: $0.key) == $0.key }) {
      do { return (all, try parse(all)) } catch { failure = error }
    }
    // Report misspelt keys first: they may be the reason why another key is incomplete.
    for setting in settings {
      if let error = unknown(setting) { throw error }
    }
    var typed: [String] = []
    for setting in settings {
      if let error = wrong(setting) { throw error }
      typed += arguments(setting)
      do {
        _ = try parse(typed)
      } catch {
        // Options that depend on each other are valid only together.
        if failure == nil, (try? parse(all)) != nil { continue }
        let mark = setting.valueMark.isFromCommandLine ? setting.valueMark : setting.mark
        throw StageOptionsError(mark, reason(error, setting.key))
      }
    }
    // Without settings, no key can be at fault.
    if let failure { throw failure }
    return (all, try parse(all))
  }

  /// Describes that no option has a key's name, and which key may be meant; nil if one has.
  private func unknown(_ setting: StageSetting) -> StageOptionsError? {
    let key = setting.key
    var meant: String? = traits.key(of: key)
    if meant == key {
      let keys = traits.stageKeys(of: names())
      if keys.contains(key) { return nil }
      meant = KeySuggestion.nearest(key, keys)
    }
    return StageOptionsError(
      setting.mark, "unknown key '\(key)'" + (meant.map { "; did you mean '\($0)'?" } ?? ""), key: key)
  }

  /// Detects errors that the parser does not: it would use the last value of a list, and ignore an empty one.
  private func wrong(_ setting: StageSetting) -> StageOptionsError? {
    if setting.isList, !(traits[setting.key]?.isList ?? false) {
      let count = setting.values.count
      return StageOptionsError(
        setting.valueMark,
        count > 1
          ? "'\(setting.key)' takes one value, got \(count)" : "'\(setting.key)' takes one value, not a list",
        key: setting.key)
    }
    return nil
  }

  private func arguments(_ setting: StageSetting) -> [String] {
    let traits = traits[setting.key] ?? KeyTraits()
    func text(_ value: SettingValue) -> String {
      func resolved(_ path: String) -> String { PipelineDocument.resolve(path, at: setting.valueMark) }
      if let replacesPaths = traits.replacesPaths { return replacesPaths(value.text, resolved) }
      return traits.isPath && value.text != traits.word ? resolved(value.text) : value.text
    }
    if traits.isPositional {
      return setting.values.map { value in
        let text = text(value)
        return traits.isPath && text.hasPrefix("-") && text != "-" ? "./" + text : text
      }
    }
    let option = "--\(traits.option ?? setting.key)"
    return setting.values.flatMap { value -> [String] in
      if value.isPlain || setting.valueMark.isFromCommandLine, value.text == "true" { return [option] }
      if value.isPlain || setting.valueMark.isFromCommandLine, value.text == "false" {
        return traits.falseText.map { ["\(option)=\($0)"] } ?? []
      }
      let typed = text(value)
      return typed.isEmpty && traits.mayBeEmpty ? [option, typed] : ["\(option)=\(typed)"]
    }
  }
}
