// Label maps: renaming and dropping labels before duplicates are resolved.
//
// One rule per line, `label = other label`; lines that begin with `#` are comments. On the left, `*` matches any text
// and `?` any character. The first matching rule applies. An empty right side removes the label; `-` drops the record.
//
// Not for: applying the actions to records (RecordFilter).

import Records
import SystemIO

/// The actions for the labels that a file lists.
struct LabelMap {
  /// The maximum size of a label map; a long one has a few thousand rules.
  static let fileBytesMax = 1 << 20
  /// The maximum number of cached labels. Lists repeat few labels, and those appear early.
  private static let cacheMax = 4096

  /// What to do with a label.
  enum Action: Equatable {
    case keep
    /// The new label, escaped as in the text form.
    case rename([UInt8])
    case dropRecord
  }

  private struct Rule {
    let pattern: LabelPattern
    let action: Action
  }

  /// The rules without wildcards: label to rule index.
  private var literals: [String: Int] = [:]
  private var globs: [(index: Int, glob: LabelGlob)] = []
  private var actions: [Action] = []
  /// Cached actions, by the escaped label.
  private var cache: [[UInt8]: Action] = [:]

  /// Reads a file. Throws ``DedupeError/badLabelMap(path:line:_:)`` for the first invalid line.
  init(path: String, calls: any SystemCalls) throws(Failure) {
    let text = try asFailure(.dedupe) { () throws(SystemError) in try Self.read(path, calls) }
    guard text.count <= Self.fileBytesMax else {
      throw Failure(.dedupe, DedupeError.labelMapTooLarge(path: path, limit: Self.fileBytesMax))
    }
    // Some editors write a byte order mark.
    var start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var line = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
      line += 1
      do throws(LabelMapError) {
        if let rule = try Self.rule(text.span.extracting(start..<end)) { add(rule) }
      } catch {
        throw Failure(.dedupe, DedupeError.badLabelMap(path: path, line: line, error))
      }
      start = end + 1
    }
  }

  /// The action for the label in record fields.
  ///
  /// - Complexity: O(label) for a cached label, else O(label × patterns).
  mutating func action(for recordFields: Span<UInt8>) -> Action {
    let bytes = [UInt8](copying: recordFields.extracting(0..<RecordFields.labelLength(recordFields)))
    if let action = cache[bytes] { return action }
    let action = find(RecordFields.fields(bytes.span).label)
    if cache.count < Self.cacheMax { cache[bytes] = action }
    return action
  }

  private func find(_ label: String) -> Action {
    let literal = literals[label] ?? actions.count
    for (index, glob) in globs {
      if index > literal { break }
      if glob.matches(label) { return actions[index] }
    }
    return literal < actions.count ? actions[literal] : .keep
  }

  private mutating func add(_ rule: Rule) {
    switch rule.pattern {
    case .literal(let label):
      if literals[label] == nil { literals[label] = actions.count }
    case .glob(let glob): globs.append((actions.count, glob))
    }
    actions.append(rule.action)
  }

  // MARK: Reading

  private static func read(_ path: String, _ calls: any SystemCalls) throws(SystemError) -> [UInt8] {
    var file = try InputFile(path, calls: calls)
    var text: [UInt8] = []
    var chunk = ByteChunk()
    while text.count <= fileBytesMax, try file.read(into: &chunk) > 0 {
      text.append(copying: chunk.span)
      chunk.removeAll()
    }
    return text
  }

  private static func rule(_ line: Span<UInt8>) throws(LabelMapError) -> Rule? {
    guard UTF8Check.isValid(line) else { throw .notUTF8 }
    let text = String(decoding: [UInt8](copying: line), as: UTF8.self)
    var left = LabelMapSide()
    var right = LabelMapSide()
    var hasEquals = false
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        isEscaped = false
        guard let character = LabelMapSide.unescaped(scalar) else { throw .badEscape }
        if hasEquals { right.append(literal: character) } else { left.append(literal: character) }
      } else if scalar == "\\" {
        isEscaped = true
      } else if hasEquals {
        right.append(plain: scalar)
      } else if scalar == "=" {
        hasEquals = true
      } else {
        if scalar == "#", left.isEmpty { return nil }
        left.append(plain: scalar)
      }
    }
    if isEscaped { throw .badEscape }
    guard hasEquals else {
      if left.isEmpty { return nil }
      throw .noEquals
    }
    return Rule(
      pattern: left.pattern,
      action: right.isLoneDash
        ? .dropRecord : .rename(RecordFields.bytes(RecordFields.Fields(label: right.text))))
  }
}
