// `--set sources.marked.normalize.region=KR`: replaces a value of a pipeline file from the command line.

import Records

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
