// Writes a list as text: texts around the number of each entry.

import BasicContainers
import NumberPlan
import Records

/// The form of a list: a header, entries with a separator between them, a footer.
protocol EntryForm: SendableMetatype {
  /// The bytes before the first entry.
  var header: [UInt8] { get }
  /// The bytes between two entries.
  var separator: [UInt8] { get }
  /// The bytes after the last entry.
  var footer: [UInt8] { get }
  /// The bytes between the first and the last number, if the format writes ranges as their bounds.
  var betweenNumbers: [UInt8] { get }
  /// The bytes before and after the number of an entry. They depend only on the other fields of the record.
  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8])
  /// Appends a number, or the pattern of a block if the format writes ranges as patterns.
  func append(_ block: NumberBlock, to text: inout [UInt8])
  /// The fields whose contents the format can't represent, so that ``surroundings(_:)`` writes something else.
  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet
}

extension EntryForm {
  var header: [UInt8] { [] }
  var separator: [UInt8] { [] }
  var footer: [UInt8] { [] }
  var betweenNumbers: [UInt8] { [] }
  func append(_ block: NumberBlock, to text: inout [UInt8]) { text += String(block.prefix).utf8 }
  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet { [] }
}

/// What the targets of lists have in common: a file, the text that is not written yet, and the counts of the report.
class ListTarget {
  final var file: EmitFile
  final var text: [UInt8]
  final var entries: UInt64 = 0
  final var replaced: RecordFieldSet = []

  init(header: [UInt8] = [], _ options: EmitOptions, _ context: StageContext) throws(Failure) {
    file = try EmitFile(options.paths[0], context)
    text = header
  }

  /// Counts an entry that was added to the text, and writes the text if it is long.
  final func endEntry() throws(Failure) {
    entries &+= 1
    if text.count >= EmitFile.flushBytes { try file.drain(&text) }
  }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) {
    output.bytes = file.bytes
    output.entries = entries
    output.replaced = replaced
  }
}

extension EmitFormat {
  static func entries<Form: EntryForm>(
    _ name: String, names: [String] = [], _ what: String, _ group: Group = .lists, extensions: [String] = [],
    shared: [String] = [], fields: RecordFieldSet, ranges: RangeForm, hasDayColumn: Bool = false,
    hasNumberForms: Bool = false,
    form: @escaping @Sendable (EmitOptions) -> Form
  ) -> EmitFormat {
    EmitFormat(
      rawValue: name, otherNames: names, what: what, group: group, extensions: extensions,
      sharedExtensions: shared, fields: fields, ranges: ranges, hasDayColumn: hasDayColumn,
      hasNumberForms: hasNumberForms
    ) { (options, context) throws(Failure) in
      try EntryTarget(form(options), ranges, options, context)
    }
  }
}

/// Writes records as the entries of a form. The texts around the numbers are made once for each distinct record fields
/// of a batch.
final class EntryTarget<Form: EntryForm>: ListTarget, EmitTarget {
  private let form: Form
  private let ranges: EntryRanges
  private let usesBounds: Bool
  private let numbers: NumberForm

  init(
    _ form: Form, _ ranges: RangeForm, _ options: EmitOptions, _ context: StageContext
  ) throws(Failure) {
    self.form = form
    self.ranges = EntryRanges(ranges, options)
    usesBounds = ranges == .bounds
    numbers = options.numbers ?? .e164
    try super.init(header: form.header, options, context)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    var surroundings: [(before: [UInt8], after: [UInt8])] = []
    for index in 0..<batch.fieldsTable.count {
      let fields = RecordFields.fields(batch.fieldsTable[index])
      surroundings.append(form.surroundings(fields))
      replaced.formUnion(form.replaced(in: fields))
    }
    let separator = form.separator
    let between = form.betweenNumbers
    for index in 0..<batch.count {
      let (before, after) = surroundings[Int(batch.fieldsIndices[index])]
      if usesBounds {
        text += before
        NumberPlan.append(batch.firsts[index], as: numbers, to: &text)
        if batch.lasts[index] != batch.firsts[index] {
          text += between
          NumberPlan.append(batch.lasts[index], as: numbers, to: &text)
        }
        text += after
        try endEntry()
        continue
      }
      try ranges.forEach(in: batch.firsts[index]...batch.lasts[index]) { (block) throws(Failure) in
        if entries > 0 { text += separator }
        text += before
        form.append(block, to: &text)
        text += after
        try endEntry()
      }
    }
  }

  func seal() throws(Failure) {
    text += form.footer
    try file.drain(&text)
  }
}

/// The entries of ranges: the blocks of their patterns, or all of their numbers up to a limit.
final class EntryRanges {
  private let usesPatterns: Bool
  private let format: EmitFormat
  private let limit: UInt64
  private let openDigits: ClosedRange<Int>
  private var expanded: UInt64 = 0

  /// `openDigits` is how many open digits a pattern may have. Numbers outside of such blocks are written one by one.
  init(
    _ ranges: RangeForm, _ options: EmitOptions, openDigits: ClosedRange<Int> = NumberBlock.anyOpenDigits
  ) {
    self.openDigits = openDigits
    usesPatterns = ranges == .patterns
    format = options.format
    limit = options.expandMax
  }

  /// Calls `body` with the entries of a record. Throws if the ranges so far have more numbers or need more
  /// patterns than the limit.
  func forEach(
    in range: ClosedRange<UInt64>, _ body: (NumberBlock) throws(Failure) -> Void
  ) throws(Failure) {
    if range.lowerBound == range.upperBound {
      return try body(NumberBlock(prefix: range.lowerBound, openDigits: 0))
    }
    if usesPatterns {
      return try NumberBlock.forEach(in: range, openDigits: openDigits) { (block) throws(Failure) in
        guard expanded < limit else {
          throw Failure(
            .emit, .badData, "too-many-patterns",
            "'\(format.rawValue)' writes ranges as patterns, and these records need more than \(Figures.grouped(limit))",
            hint:
              "allow more with \(option: "expand-max"), or choose a format with ranges: cdpipe emit --formats"
          )
        }
        expanded += 1
        try body(block)
      }
    }
    let count = range.upperBound - range.lowerBound
    guard count < limit - expanded else {
      throw Failure(
        .emit, .badData, "ranges-too-long",
        "'\(format.rawValue)' has no ranges, and those of the records have more than \(Figures.grouped(limit)) numbers",
        hint:
          "allow more with \(option: "expand-max"), or choose a format with ranges or patterns: cdpipe emit --formats"
      )
    }
    expanded += count + 1
    for number in range { try body(NumberBlock(prefix: number, openDigits: 0)) }
  }
}

// Ranges as the blocks of numbers that patterns stand for: the first digits, and the number of digits that
// follow.

/// All numbers of a length that begin with the same digits.
struct NumberBlock: Equatable {
  var prefix: UInt64
  /// The number of digits that follow; 0 for a single number.
  var openDigits: Int

  static let anyOpenDigits = 1...18

  /// Calls `body` with the fewest blocks that make up a range, in ascending order. A block has as many open digits as
  /// `openDigits` allows, or none.
  ///
  /// - Complexity: O(digits): at most 18 blocks per digit, if `openDigits` allows any number.
  static func forEach<E: Error>(
    in range: ClosedRange<UInt64>, openDigits: ClosedRange<Int> = anyOpenDigits,
    _ body: (NumberBlock) throws(E) -> Void
  ) throws(E) {
    var first = range.lowerBound
    while first <= range.upperBound {
      var size: UInt64 = 1
      var open = 0
      // A block ten times as large must begin here, have at least one fixed digit, and end within the range. Blocks of
      // more than 10^18 numbers could overflow.
      while open < openDigits.upperBound, first != 0, first % (size * 10) == 0,
        range.upperBound - first >= size * 10 - 1
      {
        size *= 10
        open += 1
      }
      if open < openDigits.lowerBound { (size, open) = (1, 0) }
      try body(NumberBlock(prefix: first / size, openDigits: open))
      let next = first.addingReportingOverflow(size)
      if next.overflow { return }
      first = next.partialValue
    }
  }

  /// Appends the digits, followed by one `placeholder` per open digit.
  func append(to text: inout [UInt8], placeholder: UInt8) {
    text += String(prefix).utf8
    text.append(contentsOf: repeatElement(placeholder, count: openDigits))
  }
}

// MARK: - Text as the content of XML elements and attributes

enum XMLText {
  /// The text with `&`, `<`, `>`, quotes and carriage returns escaped. Characters that XML 1.0 doesn't allow are replaced
  /// by U+FFFD.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // A parser converts it to a line feed otherwise.
      case "\r": escaped += "&#13;"
      default: escaped.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return escaped
  }

  static func canRepresent(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isAllowed) }

  /// Source: XML 1.0, production 2 (Char). A scalar is never a surrogate.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
