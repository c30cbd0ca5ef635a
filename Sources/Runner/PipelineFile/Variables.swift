// `${NAME}` and `${NAME:-otherwise}` in the values of a pipeline file.
//
// A name is looked up in `--set vars.NAME=…`, then in the environment, then in the file's own `vars`. Values are not
// expanded again.

import Records

/// Looks up and replaces the variables of a pipeline file.
struct Variables {
  /// The key of the file's own variables.
  static let key = "vars"
  /// The maximum size of a value after replacement, in bytes: larger than any option needs.
  static let valueBytesMax = 1 << 16

  private let environment: (String) -> String?
  private var own: [String: (text: String, isFromCommandLine: Bool)] = [:]

  /// Reads the file's own variables; their values must be texts.
  init(
    _ root: YAMLNode, environment: @escaping (String) -> String?
  ) throws(PipelineFileError) {
    self.environment = environment
    guard case .mapping(let entries, _) = root, let vars = entries.entry(Self.key) else { return }
    for entry in try vars.value.entries(of: Self.key) {
      guard case .scalar(let text, _, let mark) = entry.value else {
        throw .wrongShape(entry.value.mark, key: entry.key, wanted: .scalar)
      }
      own[entry.key] = (text, mark.isFromCommandLine)
    }
  }

  /// Returns the file with all variables replaced by their values and without the key `vars`.
  func applied(toFile root: YAMLNode) throws(PipelineFileError) -> YAMLNode {
    guard case .mapping(let entries, let mark) = root else { return try applied(to: root) }
    return try applied(to: .mapping(entries.filter { $0.key != Self.key }, mark))
  }

  private func applied(to node: YAMLNode) throws(PipelineFileError) -> YAMLNode {
    switch node {
    case .scalar(let text, let isPlain, let mark):
      let value = try applied(to: text, mark)
      // YAML requires quotes around braces, so a value that replaces a variable does not count as quoted.
      return .scalar(value, isPlain: isPlain || value != text, mark)
    case .sequence(let items, let mark):
      var replaced: [YAMLNode] = []
      for item in items { replaced.append(try applied(to: item)) }
      return .sequence(replaced, mark)
    case .mapping(let entries, let mark):
      var replaced: [YAMLEntry] = []
      for entry in entries {
        var entry = entry
        entry.value = try applied(to: entry.value)
        replaced.append(entry)
      }
      return .mapping(replaced, mark)
    }
  }

  private func applied(to text: String, _ mark: Mark) throws(PipelineFileError) -> String {
    guard text.contains("${") else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      let before = rest[..<start.lowerBound]
      // `$${NAME}` is a literal `${NAME}`.
      if before.last == "$" {
        result += before.dropLast()
        result += "${"
        rest = rest[start.upperBound...]
        continue
      }
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
        throw .badVariable(mark, text: String(rest[start.lowerBound...].prefix(40)))
      }
      result += before
      result += try value(rest[start.upperBound..<end], mark)
      rest = rest[rest.index(after: end)...]
      guard result.utf8.count <= Self.valueBytesMax else {
        throw .badVariable(mark, text: String(text.prefix(40)))
      }
    }
    return result + rest
  }

  private func value(_ inside: Substring, _ mark: Mark) throws(PipelineFileError) -> String {
    let otherwise = inside.firstRange(of: ":-")
    let name = String(otherwise.map { inside[..<$0.lowerBound] } ?? inside)
    guard let first = name.unicodeScalars.first, first == "_" || Self.isLetter(first),
      name.unicodeScalars.allSatisfy({ $0 == "_" || Self.isLetter($0) || ("0"..."9").contains($0) })
    else { throw .badVariable(mark, text: "${\(inside)}") }
    if let own = own[name], own.isFromCommandLine { return own.text }
    let named = environment(name).flatMap { $0.isEmpty ? nil : $0 }
    if let value = named ?? own[name]?.text { return value }
    if let otherwise { return String(inside[otherwise.upperBound...]) }
    throw .unknownVariable(mark, name: name)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }
}
