// Reads nodes with the shape that a pipeline file requires; throws an error with the position otherwise.

import Records

extension YAMLNode {
  var isMapping: Bool {
    if case .mapping = self { true } else { false }
  }

  /// Returns the entries of a mapping.
  func entries(of owner: String) throws(PipelineFileError) -> [YAMLEntry] {
    guard case .mapping(let entries, _) = self else {
      throw .wrongShape(mark, key: owner, wanted: .mapping)
    }
    return entries
  }

  /// Returns the items of a list. A single mapping counts as a list of one.
  func items(key: String) throws(PipelineFileError) -> [YAMLNode] {
    switch self {
    case .sequence(let items, _): return items
    case .mapping: return [self]
    case .scalar: throw .wrongShape(mark, key: key, wanted: .sequence)
    }
  }
}

extension YAMLEntry {
  /// Returns the values of an option: a single value or the items of a list.
  func values() throws(PipelineFileError) -> [SettingValue] {
    switch value {
    case .scalar(let text, let isPlain, _): return [SettingValue(text: text, isPlain: isPlain)]
    case .mapping: throw .wrongShape(value.mark, key: key, wanted: .scalar)
    case .sequence(let items, _):
      var values: [SettingValue] = []
      for item in items {
        guard case .scalar(let text, let isPlain, _) = item else {
          throw .wrongShape(item.mark, key: key, wanted: .scalar)
        }
        values.append(SettingValue(text: text, isPlain: isPlain))
      }
      return values
    }
  }
}

extension [YAMLEntry] {
  func entry(_ key: String) -> YAMLEntry? { first { $0.key == key } }

  func value(_ key: String) -> YAMLNode? { entry(key)?.value }

  /// Returns a text, or nil if the key is missing.
  func text(_ key: String) throws(PipelineFileError) -> String? {
    guard let value = value(key) else { return nil }
    guard case .scalar(let text, _, _) = value else {
      throw .wrongShape(value.mark, key: key, wanted: .scalar)
    }
    return text
  }

  func rejectUnknown(_ known: [String]) throws(PipelineFileError) {
    for entry in self where !known.contains(entry.key) {
      throw .unknownKey(entry.keyMark, key: entry.key, known: known)
    }
  }
}
