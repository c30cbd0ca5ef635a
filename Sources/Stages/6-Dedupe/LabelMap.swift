// Label maps: renaming and dropping labels before duplicates are resolved.
//
// One rule per line, `label = other label`; lines that begin with `#` are comments. On the left, `*` matches any text
// and `?` any character. The first matching rule applies. An empty right side removes the label; `-` drops the record.

import BasicContainers
import Records
import SystemIO

struct LabelMap {
  /// The maximum size of a label map; a long one has a few thousand rules.
  static let fileBytesMax = 1 << 20
  /// The maximum number of cached labels. Lists repeat few labels, and those appear early.
  private static let cacheMax = 4096

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
  private var cache: [[UInt8]: Action] = [:]

  /// Reads a file. Throws for the first invalid line.
  init(path: String, calls: any SystemCalls) throws(Failure) {
    let text = try asFailure(.dedupe) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: Self.fileBytesMax, calls: calls)
    }
    guard text.count <= Self.fileBytesMax else {
      throw Failure(
        .dedupe, .badData, "label-map-too-large",
        "'\(path)' is larger than \(Figures.bytes(Self.fileBytesMax)): is it a label map?")
    }
    // Some editors write a byte order mark.
    var start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var line = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
      line += 1
      if let rule = try Self.rule(text.span.extracting(start..<end), path, line) { add(rule) }
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

  private static func rule(_ line: Span<UInt8>, _ path: String, _ number: Int) throws(Failure) -> Rule? {
    guard UTF8Check.isValid(line) else { throw Failure.badLabelMap(path, number, "not-utf8", "not UTF-8") }
    let text = String(decoding: [UInt8](copying: line), as: UTF8.self)
    var left = LabelMapSide()
    var right = LabelMapSide()
    var hasEquals = false
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        isEscaped = false
        guard let character = LabelMapSide.unescaped(scalar) else { throw Failure.badEscape(path, number) }
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
    if isEscaped { throw Failure.badEscape(path, number) }
    guard hasEquals else {
      if left.isEmpty { return nil }
      throw Failure.badLabelMap(
        path, number, "no-equals", "'=' is missing",
        hint: "write 'label = new label', or start a comment with #")
    }
    return Rule(
      pattern: left.pattern,
      action: right.isLoneDash
        ? .dropRecord : .rename(RecordFields.bytes(RecordFields.Fields(label: right.text))))
  }
}

extension Failure {
  fileprivate static func badLabelMap(
    _ path: String, _ line: Int, _ code: String, _ text: String, hint: String? = nil
  ) -> Failure {
    Failure(.dedupe, .badData, code, "\(path):\(line): \(text)", hint: hint)
  }

  fileprivate static func badEscape(_ path: String, _ line: Int) -> Failure {
    badLabelMap(
      path, line, "bad-escape",
      "invalid escape: not one of \\\\ \\= \\# \\* \\? \\- \\t \\n \\r and backslash space",
      hint: "write a backslash as \\\\")
  }
}

enum LabelPattern {
  case literal(String)
  case glob(LabelGlob)
}

/// One side of a rule while it is parsed: its characters, without surrounding spaces.
struct LabelMapSide {
  private var scalars: [(scalar: Unicode.Scalar, isPlain: Bool)] = []

  var isEmpty: Bool { scalars.isEmpty }

  /// The character that an escape stands for: itself, or the one that it means in the text form.
  static func unescaped(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\\", "=", "#", "*", "?", "-", " ": scalar
    case "t": "\t"
    case "n": "\n"
    case "r": "\r"
    default: nil
    }
  }

  mutating func append(literal scalar: Unicode.Scalar) { scalars.append((scalar, false)) }

  mutating func append(plain scalar: Unicode.Scalar) {
    if scalars.isEmpty, Self.isSpace(scalar) { return }
    scalars.append((scalar, true))
  }

  /// Spaces, tabs, and carriage returns, which some systems put at the end of a line.
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

// The step before duplicates are resolved: maps labels, and leaves records out.
//
// A batch has few different record fields, so each is evaluated once per batch.

struct RecordFilter: ~Copyable {
  private enum FieldsVerdict {
    case unknown
    /// Keep the record, with the fields at this index of the output batch.
    case pass(Int)
    case leaveOut(LeftOutReason)
    case reject
  }

  private let context: StageContext
  private let leftOut: LeftOutCounter
  private let minScore: Int64
  private var map: LabelMap?
  private var batch = RecordBatch()
  private var verdicts: [FieldsVerdict] = []

  init(_ map: LabelMap?, minScore: Int64?, _ context: StageContext, _ leftOut: LeftOutCounter) {
    self.map = map
    self.minScore = minScore ?? .min
    self.context = context
    self.leftOut = leftOut
  }

  /// Filters a batch into the resolver. Nothing is held back.
  mutating func apply(
    _ input: borrowing RecordBatch, isSingles: Bool, rowsBefore: UInt64, to resolver: inout DuplicateResolver
  ) throws(Failure) {
    resetVerdicts(count: input.fieldsTable.count)
    for index in 0..<input.count {
      let first = input.firsts[index]
      let last = input.lasts[index]
      let fieldsIndex = Int(input.fieldsIndices[index])
      if case .unknown = verdicts[fieldsIndex] {
        verdicts[fieldsIndex] = try verdict(for: input.fieldsTable[fieldsIndex], isSingles, &resolver)
      }
      switch verdicts[fieldsIndex] {
      case .unknown: break
      case .pass(let index):
        // There are at most as many output records as input records, so they fit.
        batch.append(first: first, last: last, fieldsIndex: index)
      case .leaveOut(let reason):
        try leftOut.add(first: first, last: last, input.fieldsTable[fieldsIndex], reason)
      case .reject:
        try context.reject(
          .row(rowsBefore + UInt64(index) + 1), DedupeReject.labelTooLong,
          text: input.fieldsTable[fieldsIndex]
        )
      }
    }
    try flush(isSingles, &resolver)
  }

  private mutating func resetVerdicts(count: Int) {
    verdicts.removeAll(keepingCapacity: true)
    verdicts.append(contentsOf: repeatElement(.unknown, count: count))
  }

  private mutating func flush(_ isSingles: Bool, _ resolver: inout DuplicateResolver) throws(Failure) {
    try resolver.receive(&batch, isSingles: isSingles)
    batch.removeAll()
  }

  private mutating func verdict(
    for recordFields: Span<UInt8>, _ isSingles: Bool, _ resolver: inout DuplicateResolver
  ) throws(Failure) -> FieldsVerdict {
    var mapped: [UInt8]?
    switch map?.action(for: recordFields) {
    case .none, .keep: break
    case .dropRecord: return .leaveOut(.mapped)
    case .rename(let label):
      let rest = recordFields.extracting(RecordFields.labelLength(recordFields)..<recordFields.count)
      let bytes = label + [UInt8](copying: rest)
      if bytes.count > RecordFields.bytesMax { return .reject }
      mapped = bytes
    }
    if RecordFields.score(recordFields) < minScore { return .leaveOut(.score) }
    if let mapped { return .pass(try intern(mapped.span, isSingles, &resolver)) }
    return .pass(try intern(recordFields, isSingles, &resolver))
  }

  /// The index of record fields in the output batch, which is flushed first if its labels would become too long.
  private mutating func intern(
    _ recordFields: Span<UInt8>, _ isSingles: Bool, _ resolver: inout DuplicateResolver
  ) throws(Failure) -> Int {
    if let index = batch.fieldsTable.intern(recordFields) { return index }
    try flush(isSingles, &resolver)
    resetVerdicts(count: verdicts.count)
    return batch.fieldsTable.intern(recordFields) ?? 0
  }
}
