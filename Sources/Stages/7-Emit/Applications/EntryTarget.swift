// Writes the list of another application: one entry per number, or per pattern of a range.

import BasicContainers
import Records

/// Writes records as the entries of a form. The texts around the numbers are made once for each distinct record fields
/// of a batch.
final class EntryTarget: EmitTarget {
  private let form: any EntryForm
  private let ranges: EntryRanges
  private let file: EmitFile
  private var text: [UInt8]
  private var entries: UInt64 = 0
  private var replaced: RecordFieldSet = []

  init(
    _ form: any EntryForm, _ ranges: RangeForm, _ options: EmitOptions, _ context: StageContext
  ) throws(Failure) {
    self.form = form
    self.ranges = EntryRanges(ranges, options, openDigits: form.openDigits)
    file = try EmitFile(options.output, context)
    text = form.header
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    var surroundings: [(before: [UInt8], after: [UInt8])] = []
    for index in 0..<batch.fieldsTable.count {
      let fields = RecordFields.fields(batch.fieldsTable[index])
      surroundings.append(form.surroundings(fields))
      replaced.formUnion(form.replaced(in: fields))
    }
    let separator = form.separator
    for index in 0..<batch.count {
      let (before, after) = surroundings[Int(batch.fieldsIndices[index])]
      try ranges.forEach(in: batch.firsts[index]...batch.lasts[index]) { (block) throws(Failure) in
        if entries > 0 { text += separator }
        entries &+= 1
        text += before
        form.append(block, to: &text)
        text += after
        if text.count >= EmitFile.flushBytes { try file.drain(&text) }
      }
    }
  }

  func seal() throws(Failure) {
    text += form.footer
    try file.drain(&text)
  }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) {
    output.bytes = file.bytes
    output.entries = entries
    output.replaced = replaced
  }
}

/// The entries of ranges: the blocks of their patterns, or all of their numbers up to a limit.
final class EntryRanges {
  private let usesPatterns: Bool
  private let format: EmitFormat
  private let limit: UInt64
  private let openDigits: ClosedRange<Int>
  /// The number of entries that ranges have become.
  private var expanded: UInt64 = 0

  init(
    _ ranges: RangeForm, _ options: EmitOptions, openDigits: ClosedRange<Int> = NumberBlock.anyOpenDigits
  ) {
    self.openDigits = openDigits
    usesPatterns = ranges == .patterns
    format = options.format
    limit = options.expandMax
  }

  /// Calls `body` with the entries of a record. Throws ``EmitError/rangesTooLong(format:limit:)`` if the ranges so far
  /// have more numbers than the limit, and ``EmitError/tooManyPatterns(format:limit:)`` if they need more patterns.
  func forEach(
    in range: ClosedRange<UInt64>, _ body: (NumberBlock) throws(Failure) -> Void
  ) throws(Failure) {
    if range.lowerBound == range.upperBound {
      return try body(NumberBlock(prefix: range.lowerBound, openDigits: 0))
    }
    if usesPatterns {
      return try NumberBlock.forEach(in: range, openDigits: openDigits) { (block) throws(Failure) in
        guard expanded < limit else {
          throw Failure(.emit, EmitError.tooManyPatterns(format: format, limit: limit))
        }
        expanded += 1
        try body(block)
      }
    }
    let count = range.upperBound - range.lowerBound
    guard count < limit - expanded else {
      throw Failure(.emit, EmitError.rangesTooLong(format: format, limit: limit))
    }
    expanded += count + 1
    for number in range { try body(NumberBlock(prefix: number, openDigits: 0)) }
  }
}
