// `include: common.yaml`: parts that several pipeline files share.
//
// A mapping may include one or more files. The mapping's own keys take precedence, then those of the first file.
// Mappings are merged key by key; other values are replaced completely. Every node keeps its position in the file that
// it comes from.

import Records
import SystemPackage

struct Inclusion {
  static let key = "include"
  /// The maximum nesting depth of includes.
  static let depthMax = 8
  /// The maximum number of files in total, so that files that include each other many times can't multiply without
  /// limit.
  static let filesMax = 64

  private let read: (String) throws(PipelineFileError) -> YAMLNode
  private var files = 0
  /// The paths of the files that were read; a file that was read twice is listed twice.
  private(set) var paths: [String] = []

  /// Creates a resolver. `read` reads and parses one file.
  init(_ read: @escaping (String) throws(PipelineFileError) -> YAMLNode) { self.read = read }

  /// Returns the node with all includes resolved. `chain` lists the files that include each other, this one last.
  mutating func resolve(_ node: YAMLNode, chain: [String]) throws(PipelineFileError) -> YAMLNode {
    switch node {
    case .scalar: return node
    case .sequence(let items, let mark):
      return .sequence(
        try items.map { (item) throws(PipelineFileError) in try resolve(item, chain: chain) }, mark)
    case .mapping(let entries, let mark):
      var own = entries.filter { $0.key != Self.key }
      for index in own.indices { own[index].value = try resolve(own[index].value, chain: chain) }
      guard let include = entries.entry(Self.key) else { return .mapping(own, mark) }
      var merged = YAMLNode.mapping(own, mark)
      for place in try Self.places(include) { merged = merged.completed(by: try piece(place, chain)) }
      return merged
    }
  }

  private static func places(
    _ include: YAMLEntry
  ) throws(PipelineFileError) -> [(path: String, mark: Mark)] {
    let nodes = if case .sequence(let items, _) = include.value { items } else { [include.value] }
    return try nodes.map { (node) throws(PipelineFileError) in
      guard case .scalar(let path, _, let mark) = node, !path.isEmpty else {
        throw .wrongShape(node.mark, key: key, wanted: .scalar)
      }
      return (path, mark)
    }
  }

  private mutating func piece(
    _ place: (path: String, mark: Mark), _ chain: [String]
  ) throws(PipelineFileError) -> YAMLNode {
    let normalized = FilePath(PipelineDocument.resolve(place.path, at: place.mark)).lexicallyNormalized()
    let path = normalized.isEmpty ? "." : normalized.string
    if chain.contains(path) { throw .circularInclude(place.mark, file: path) }
    guard chain.count < Self.depthMax else { throw .tooManyIncludes(place.mark, limit: Self.depthMax) }
    files += 1
    guard files <= Self.filesMax else { throw .tooManyIncludes(place.mark, limit: Self.filesMax) }
    paths.append(path)
    let node: YAMLNode
    do throws(PipelineFileError) {
      node = try read(path)
    } catch {
      throw error.failure.systemError == nil ? error : .unreadableInclude(place.mark, error.failure)
    }
    guard node.isMapping else { throw .wrongShape(node.mark, key: path, wanted: .mapping) }
    return try resolve(node, chain: chain + [path])
  }
}

extension YAMLNode {
  /// Returns this mapping, completed with the keys that only the other one has.
  fileprivate func completed(by other: YAMLNode) -> YAMLNode {
    guard case .mapping(var entries, let mark) = self, case .mapping(let others, _) = other else {
      return self
    }
    for entry in others {
      if let index = entries.firstIndex(where: { $0.key == entry.key }) {
        entries[index].value = entries[index].value.completed(by: entry.value)
      } else {
        entries.append(entry)
      }
    }
    return .mapping(entries, mark)
  }
}

// MARK: - `--set sources.marked.normalize.region=KR`

/// One override: a path of keys and the new value.
struct Override {
  let text: String
  let keys: [String]
  let value: String

  init(_ text: String) throws(PipelineFileError) {
    guard let equals = text.firstIndex(of: "=") else { throw .badOverride(text) }
    self.text = text
    keys = text[..<equals].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    value = String(text[text.index(after: equals)...])
    guard keys.allSatisfy({ !$0.isEmpty }) else { throw .badOverride(text) }
  }

  /// The position in messages: the option's text instead of a line and column.
  var mark: Mark { Mark(file: "--set \(text)", line: 0, column: 0) }
}

extension YAMLNode {
  /// Applies an override.
  ///
  /// An item of a list is selected by its number, starting at 1, or by its name; a list with one item needs neither. If
  /// there is only one source, its keys may be written without `sources`.
  mutating func apply(_ override: Override, _ layout: PipelineLayout) throws(PipelineFileError) {
    var keys = override.keys[...]
    let fileKeys = layout.fileKeys
    let ofSource = layout.sourceKeys.filter { !fileKeys.contains($0) }
    if let first = keys.first, ofSource.contains(first) { keys = ["sources"] + keys }
    try set(keys, override)
  }

  private mutating func set(_ keys: ArraySlice<String>, _ override: Override) throws(PipelineFileError) {
    guard let key = keys.first else {
      self = .scalar(override.value, isPlain: false, override.mark)
      return
    }
    switch self {
    case .scalar("", isPlain: true, let mark):
      self = .mapping([], mark)
      try set(keys, override)
    case .scalar: throw .badOverride(override.text)
    case .mapping(var entries, let mark):
      if let index = entries.firstIndex(where: { $0.key == key }) {
        try entries[index].value.set(keys.dropFirst(), override)
      } else {
        var value = YAMLNode.mapping([], override.mark)
        try value.set(keys.dropFirst(), override)
        entries.append(YAMLEntry(key: key, keyMark: override.mark, value: value))
      }
      self = .mapping(entries, mark)
    case .sequence(var items, let mark):
      let named = items.firstIndex { item in
        guard case .mapping(let entries, _) = item, case .scalar(let name, _, _)? = entries.value("name")
        else {
          return false
        }
        return name == key
      }
      if let index = named ?? Int(key).map({ $0 - 1 }), items.indices.contains(index) {
        try items[index].set(keys.dropFirst(), override)
      } else if items.count == 1 {
        try items[0].set(keys, override)
      } else {
        throw .ambiguousOverride(override.text, key: key, count: items.count)
      }
      self = .sequence(items, mark)
    }
  }
}

// MARK: - `${NAME}` and `${NAME:-otherwise}` in the values of a pipeline file
//
// A name is looked up in `--set vars.NAME=…`, then in the environment, then in the file's own `vars`. Values are not
// expanded again.

struct Variables {
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
      return .sequence(
        try items.map { (item) throws(PipelineFileError) in try applied(to: item) }, mark)
    case .mapping(var entries, let mark):
      for index in entries.indices { entries[index].value = try applied(to: entries[index].value) }
      return .mapping(entries, mark)
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
