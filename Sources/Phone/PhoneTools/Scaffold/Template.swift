// The texts of a project: templates in Sources/Phone/ScaffoldTemplates, and their values.

/// A template with its values. `{{name}}` is a value; a line whose value is nil is left out. `{{name?}}` at the start of a
/// line keeps it only with a value, `{{name!}}` only without.
struct Template {
  let text: String

  /// All values must be used, and all names have a value, or nil.
  init(_ file: String, _ values: [String: String?]) {
    var unused = Set(values.keys)
    func value(_ name: String) -> String? {
      guard let value = values[name] else { fatalError("\(file): unknown name '\(name)'") }
      unused.remove(name)
      return value
    }
    text = EmbeddedFile.at("Sources/Phone/ScaffoldTemplates/\(file)").text
      .split(separator: "\n", omittingEmptySubsequences: false).compactMap { Self.rendered($0, value) }
      .joined(separator: "\n")
    guard unused.isEmpty else { fatalError("\(file): unused names \(unused.sorted())") }
  }

  /// A line with its values; nil if it is left out. Lines of a value have the same indentation as the first.
  private static func rendered(_ line: Substring, _ value: (String) -> String?) -> String? {
    let pieces = line.split(separator: "{{", omittingEmptySubsequences: false)
    let indent = line.prefix { $0 == " " || $0 == "\t" }
    var text = String(pieces[0])
    var isKept = true
    for piece in pieces.dropFirst() {
      let parts = piece.split(separator: "}}", maxSplits: 1, omittingEmptySubsequences: false)
      let inserted = value(parts[0].filter { $0 != "?" && $0 != "!" })
      isKept = isKept && (inserted == nil) == parts[0].hasSuffix("!")
      if let inserted, !parts[0].hasSuffix("?") { text += inserted.replacing("\n", with: "\n\(indent)") }
      text += parts[1]
    }
    return isKept ? text : nil
  }

  /// The sections with a name, in the template each after a line `== NAME`, without the empty line at their end. Those
  /// whose lines are all left out are not among them.
  func sections(_ name: String) -> [String] {
    ("\n" + text).split(separator: "\n== ").compactMap { section in
      let parts = section.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts[0] == name, parts.count == 2 else { return nil }
      let text = parts[1].hasSuffix("\n") ? parts[1].dropLast() : parts[1]
      return text.isEmpty ? nil : String(text)
    }
  }

  /// The section with a name; empty if there is none.
  subscript(_ name: String) -> String { sections(name).first ?? "" }

  /// The value of a name that has no text, for lines that depend on it.
  static func flag(_ isSet: Bool) -> String? { isSet ? "" : nil }
}
