// `include: common.yaml`: parts that several pipeline files share.
//
// A mapping may include one or more files. The mapping's own keys take precedence, then those of the first file.
// Mappings are merged key by key; other values are replaced completely. Every node keeps its position in the file that
// it comes from.

import SystemIO
import SystemPackage
import Records

/// Resolves the included files.
struct Inclusion {
  /// The key for included files.
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
  init(_ read: @escaping (String) throws(PipelineFileError) -> YAMLNode) {
    self.read = read
  }

  /// Returns the node with all includes resolved. `chain` lists the files that include each other, this one last.
  mutating func resolve(_ node: YAMLNode, chain: [String]) throws(PipelineFileError) -> YAMLNode {
    switch node {
    case .scalar: return node
    case .sequence(let items, let mark):
      var resolved: [YAMLNode] = []
      for item in items { resolved.append(try resolve(item, chain: chain)) }
      return .sequence(resolved, mark)
    case .mapping(let entries, let mark):
      var own: [YAMLEntry] = []
      for entry in entries where entry.key != Self.key {
        var entry = entry
        entry.value = try resolve(entry.value, chain: chain)
        own.append(entry)
      }
      guard let include = entries.entry(Self.key) else { return .mapping(own, mark) }
      var merged = YAMLNode.mapping(own, mark)
      for place in try Self.places(include) {
        merged = merged.completed(by: try piece(place, chain))
      }
      return merged
    }
  }

  private static func places(
    _ include: YAMLEntry
  ) throws(PipelineFileError) -> [(path: String, mark: Mark)] {
    let nodes: [YAMLNode]
    if case .sequence(let items, _) = include.value { nodes = items } else { nodes = [include.value] }
    var places: [(path: String, mark: Mark)] = []
    for node in nodes {
      guard case .scalar(let path, _, let mark) = node, !path.isEmpty else {
        throw .wrongShape(node.mark, key: key, wanted: .scalar)
      }
      places.append((path, mark))
    }
    return places
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
      if case .unreadable(let failure) = error { throw .unreadableInclude(place.mark, failure) }
      throw error
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
