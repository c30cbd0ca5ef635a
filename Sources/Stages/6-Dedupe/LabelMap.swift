// A label map: what becomes of labels before the decision.
//
// A rule a line, `label = other label`; `#` begins a line of comment. On the left `*` stands for any text and `?` for
// any character. The first rule that fits is the one. An empty right side takes the label away; `-` takes the record.
//
// Not for: what is done with the records (RecordFilter).

import CallRecord
import PipeStage
import SystemIO

/// What becomes of the labels that a file names.
struct LabelMap {
  /// The most bytes of a label map; a long one has some thousand rules.
  static let fileBytesMax = 1 << 20
  /// So many labels are remembered at the most; lists repeat few labels, and those come early.
  private static let cacheMax = 4096

  /// What becomes of a label.
  enum Action: Equatable {
    case keep
    /// The new label, escaped as the text form has it.
    case rename([UInt8])
    case dropRecord
  }

  private struct Rule {
    let pattern: LabelPattern
    let action: Action
  }

  /// The rules without wildcards, by their labels: each one's index among all rules.
  private var literals: [String: Int] = [:]
  private var globs: [(index: Int, glob: LabelGlob)] = []
  private var actions: [Action] = []
  /// What was answered before, by the label as it stands in the record fields.
  private var cache: [[UInt8]: Action] = [:]

  /// Reads a file. Throws ``DedupeError/badLabelMap(path:line:_:)`` with the first line that is no rule.
  init(path: String, calls: any SystemCalls) throws(StageError) {
    let text = try asStageError(.dedupe) { () throws(SystemError) in try Self.read(path, calls) }
    guard text.count <= Self.fileBytesMax else {
      throw StageError(.dedupe, DedupeError.labelMapTooLarge(path: path, limit: Self.fileBytesMax))
    }
    // A byte order mark is what an editor may have left there.
    var start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var line = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
      line += 1
      do throws(LabelMapError) {
        if let rule = try Self.rule(text.span.extracting(start..<end)) { add(rule) }
      } catch {
        throw StageError(.dedupe, DedupeError.badLabelMap(path: path, line: line, error))
      }
      start = end + 1
    }
  }

  /// What becomes of a record's fields' label.
  ///
  /// - Complexity: O(label) for one that was asked for before, else O(label × patterns).
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
