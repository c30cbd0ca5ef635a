// YAML as a tree with the line and column of every node, for error messages. JSON is YAML too.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CLibYAML

/// A position in a document. Lines and columns start at 1.
public struct Mark: Equatable, Sendable {
  /// The file, or a description of where the text came from.
  public var file: String
  /// The line, or 0 for a text without lines, such as `--set`.
  public var line: Int
  public var column: Int

  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  public var isFromCommandLine: Bool { line == 0 }
}

public indirect enum YAMLNode: Sendable {
  /// Text; plain if it was written without quotes.
  case scalar(String, isPlain: Bool, Mark)
  case sequence([YAMLNode], Mark)
  /// Keys and values in document order; keys are unique.
  case mapping([YAMLEntry], Mark)

  public var mark: Mark {
    switch self {
    case .scalar(_, _, let mark), .sequence(_, let mark), .mapping(_, let mark): mark
    }
  }
}

public struct YAMLEntry: Sendable {
  public var key: String
  public var keyMark: Mark
  public var value: YAMLNode

  public init(key: String, keyMark: Mark, value: YAMLNode) {
    self.key = key
    self.keyMark = keyMark
    self.value = value
  }
}

@safe
public struct YAMLReader: ~Copyable {
  /// The deepest nesting. Pipeline files have four levels, rules a few more.
  private static let depthMax = 32

  private let parser: OpaquePointer
  private let file: String
  private let firstLine: Int

  /// Reads the only document in `text`, which begins at a line of the file. An empty document is an empty mapping.
  public static func read(_ text: [UInt8], file: String, firstLine: Int = 1) throws(YAMLError) -> YAMLNode {
    let result = unsafe text.withUnsafeBufferPointer { bytes -> Result<YAMLNode, YAMLError> in
      guard let parser = unsafe cdp_yaml_open(bytes.baseAddress, bytes.count) else {
        return .failure(.notYAML(Mark(file: file, line: firstLine, column: 1), reason: "no memory"))
      }
      let reader = unsafe YAMLReader(parser: parser, file: file, firstLine: firstLine)
      do throws(YAMLError) {
        let first = try reader.next()
        if case .end = first.kind { return .success(.mapping([], first.mark)) }
        let node = try reader.node(first, depth: 0)
        _ = try reader.next()
        return .success(node)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private init(parser: OpaquePointer, file: String, firstLine: Int) {
    unsafe self.parser = parser
    self.file = file
    self.firstLine = firstLine
  }

  deinit {
    unsafe cdp_yaml_close(parser)
  }

  private struct Event {
    enum EventKind {
      case end, scalar(String, isPlain: Bool), sequence, sequenceEnd, mapping, mappingEnd, alias
    }
    var kind: EventKind
    var mark: Mark
  }

  private borrowing func next() throws(YAMLError) -> Event {
    let event = unsafe cdp_yaml_next(parser)
    let mark = unsafe Mark(file: file, line: event.line + firstLine - 1, column: event.column)
    let kind: Event.EventKind
    switch unsafe event.kind {
    case CDP_YAML_END: kind = .end
    case CDP_YAML_SCALAR: kind = unsafe .scalar(Self.text(event), isPlain: event.is_plain != 0)
    case CDP_YAML_SEQUENCE_START: kind = .sequence
    case CDP_YAML_SEQUENCE_END: kind = .sequenceEnd
    case CDP_YAML_MAPPING_START: kind = .mapping
    case CDP_YAML_MAPPING_END: kind = .mappingEnd
    case CDP_YAML_ALIAS: kind = .alias
    default: throw unsafe .notYAML(mark, reason: Self.text(event))
    }
    return Event(kind: kind, mark: mark)
  }

  private static func text(_ event: cdp_yaml_event) -> String {
    let bytes = unsafe UnsafeRawBufferPointer(start: event.text, count: event.length)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  private borrowing func node(_ event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    guard depth < Self.depthMax else { throw .tooDeep(event.mark, limit: Self.depthMax) }
    switch event.kind {
    case .scalar(let text, let isPlain): return .scalar(text, isPlain: isPlain, event.mark)
    case .sequence:
      var items: [YAMLNode] = []
      while true {
        let next = try next()
        if case .sequenceEnd = next.kind { return .sequence(items, event.mark) }
        items.append(try node(next, depth: depth + 1))
      }
    case .mapping: return .mapping(try entries(depth: depth), event.mark)
    case .alias: throw .notSupported(event.mark, what: .alias)
    case .end, .sequenceEnd, .mappingEnd: throw .notYAML(event.mark, reason: "unexpected end")
    }
  }

  private borrowing func entries(depth: Int) throws(YAMLError) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    var lines: [String: Int] = [:]
    while true {
      let key = try next()
      if case .mappingEnd = key.kind { return entries }
      guard case .scalar(let name, _) = key.kind else { throw .notSupported(key.mark, what: .complexKey) }
      if let first = lines.updateValue(key.mark.line, forKey: name) {
        throw .repeatedKey(key.mark, key: name, firstLine: first)
      }
      entries.append(
        YAMLEntry(key: name, keyMark: key.mark, value: try node(try next(), depth: depth + 1)))
    }
  }
}

public enum YAMLError: Error, Equatable, Sendable {
  /// Features of YAML that are not supported.
  public enum Unsupported: Sendable {
    /// `*name`
    case alias
    /// A key that is a list or a mapping.
    case complexKey
  }

  /// The text is not YAML.
  case notYAML(Mark, reason: String)
  /// Nested too deeply.
  case tooDeep(Mark, limit: Int)
  /// A feature of YAML that is not supported.
  case notSupported(Mark, what: Unsupported)
  /// A key occurs twice in one mapping.
  case repeatedKey(Mark, key: String, firstLine: Int)

  public var mark: Mark {
    switch self {
    case .notYAML(let mark, _), .tooDeep(let mark, _), .notSupported(let mark, _),
      .repeatedKey(let mark, _, _):
      mark
    }
  }
}

extension YAMLError {
  public var userMessage: UserMessage {
    switch self {
    case .notYAML(let mark, let reason): UserMessage("\(mark.place): not YAML: \(reason)")
    case .tooDeep(let mark, let limit): UserMessage("\(mark.place): nested deeper than \(limit) levels")
    case .notSupported(let mark, let feature):
      UserMessage(
        "\(mark.place): \(feature == .alias ? "aliases (*name)" : "keys that are lists") are not supported")
    case .repeatedKey(let mark, let key, let line):
      UserMessage("\(mark.place): repeated key '\(key)'; the first is at line \(line)")
    }
  }
}

extension Mark {
  /// The place in a message: file, line and column.
  public var place: String { line == 0 ? file : "\(file):\(line):\(column)" }
}
