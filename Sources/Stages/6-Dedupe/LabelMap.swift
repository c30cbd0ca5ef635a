// A label map: what becomes of labels before the decision.
//
// A rule a line, `label = other label`; `#` begins a line of comment. On the left `*` stands for any text and `?` for
// any character. The first rule that fits is the one. An empty right side takes the label away; `-` takes the record.
//
// Not for: what is done with the records (RecordScreen).

import CallRecord
import PipeStage
import SystemIO

/// What becomes of the labels that a file names.
struct LabelMap {
  /// The most bytes of a label map; a long one has some thousand rules.
  static let fileBytesMax = 1 << 20
  /// So many labels are remembered at the most; lists repeat few labels, and those come early.
  private static let knownMax = 4096

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

  /// The rules without wildcards, by their labels: each one's place among all rules.
  private var literals: [String: Int] = [:]
  private var globs: [(place: Int, glob: LabelGlob)] = []
  private var actions: [Action] = []
  /// What was answered before, by the label as it stands in the record fields.
  private var known: [[UInt8]: Action] = [:]

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

  /// What becomes of a record\'s fields's label.
  ///
  /// - Complexity: O(label) for one that was asked for before, else O(label × patterns).
  mutating func action(for recordFields: Span<UInt8>) -> Action {
    let bytes = [UInt8](copying: recordFields.extracting(0..<RecordFields.labelLength(recordFields)))
    if let action = known[bytes] { return action }
    let action = find(RecordFields.fields(bytes.span).label)
    if known.count < Self.knownMax { known[bytes] = action }
    return action
  }

  private func find(_ label: String) -> Action {
    let literal = literals[label] ?? actions.count
    for (place, glob) in globs {
      if place > literal { break }
      if glob.fits(label) { return actions[place] }
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
      for index in 0..<chunk.count { text.append(chunk.span[index]) }
      chunk.removeAll()
    }
    return text
  }

  private static func rule(_ line: Span<UInt8>) throws(LabelMapError) -> Rule? {
    guard UTF8Check.isValid(line) else { throw .notUTF8 }
    let text = String(decoding: [UInt8](copying: line), as: UTF8.self)
    var left = LabelSide()
    var right = LabelSide()
    var hasEquals = false
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        isEscaped = false
        guard let meant = LabelSide.unescaped(scalar) else { throw .badEscape }
        if hasEquals { right.append(literal: meant) } else { left.append(literal: meant) }
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

/// The left side of a rule.
enum LabelPattern {
  case literal(String)
  case glob(LabelGlob)
}

/// One side of a rule while it is read: its characters, without the spaces around them.
private struct LabelSide {
  private var scalars: [(scalar: Unicode.Scalar, isPlain: Bool)] = []

  var isEmpty: Bool { scalars.isEmpty }

  /// What stands behind a backslash means itself, or what it means in the text form.
  static func unescaped(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\\", "=", "#", "*", "?", "-", " ": scalar
    case "t": "\t"
    case "n": "\n"
    case "r": "\r"
    default: nil
    }
  }

  mutating func append(literal scalar: Unicode.Scalar) {
    scalars.append((scalar, false))
  }

  mutating func append(plain scalar: Unicode.Scalar) {
    if scalars.isEmpty, Self.isSpace(scalar) { return }
    scalars.append((scalar, true))
  }

  /// A carriage return is what editors of other systems put at a line's end.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\r"
  }

  private var trimmed: ArraySlice<(scalar: Unicode.Scalar, isPlain: Bool)> {
    var all = scalars[...]
    while let last = all.last, last.isPlain, Self.isSpace(last.scalar) { all.removeLast() }
    return all
  }

  var text: String {
    var text = ""
    for part in trimmed { text.unicodeScalars.append(part.scalar) }
    return text
  }

  var isLoneDash: Bool {
    let all = trimmed
    return all.count == 1 && all.first?.scalar == "-" && all.first?.isPlain == true
  }

  var pattern: LabelPattern {
    var parts: [LabelGlob.Part] = []
    var isGlob = false
    var literal = ""
    func characters(_ text: String) -> [LabelGlob.Part] { text.map { .character($0) } }
    for part in trimmed {
      if part.isPlain, part.scalar == "*" || part.scalar == "?" {
        isGlob = true
        parts += characters(literal) + [part.scalar == "*" ? .anyText : .anyCharacter]
        literal = ""
      } else {
        literal.unicodeScalars.append(part.scalar)
      }
    }
    return isGlob ? .glob(LabelGlob(parts + characters(literal))) : .literal(literal)
  }
}
