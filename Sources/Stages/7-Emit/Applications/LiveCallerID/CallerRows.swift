// The rows of records: an identity for a number with a label, and a mark for one that is blocked.
//
// Not for: what the rows contain (CallerAnswers, KeywordRow), or where they are kept (RowSpill).

import BasicContainers
import Records
import StoreWriting

/// Makes the rows of batches.
struct CallerRows: ~Copyable {
  private let answers: CallerAnswers
  private let ranges: EntryRanges
  private let blockedField = KeywordRow.field(value: [BlockValue.blocked])
  private var identities: RowSpill
  private var blocks: RowSpill
  /// Whether the test identity must still be added, before the first number that comes after it.
  private var needsTest: Bool
  /// Whether the test identity has replaced a record.
  private var replacesRecord = false

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    // Everything that can fail happens before the first property is set; see OutputFile.
    let first = try RowSpill(context)
    let second = try RowSpill(context)
    identities = first
    blocks = second
    answers = CallerAnswers(options)
    ranges = EntryRanges(.numbers, options)
    needsTest = options.lookup.hasTestIdentity
  }

  /// The answers for a batch's record fields.
  private struct BatchAnswers {
    /// For each record fields: where the identity is in `identities`, and whether the number is blocked.
    var answers: [(identity: Range<Int>, isBlocked: Bool)] = []
    /// The fields with the identities, one after another.
    var identities: [UInt8] = []
  }

  /// Adds the rows of a batch.
  mutating func write(_ batch: borrowing RecordBatch) throws(Failure) {
    var known = BatchAnswers()
    for index in 0..<batch.fieldsTable.count {
      let answer = answers.answer(RecordFields.fields(batch.fieldsTable[index]))
      let start = known.identities.count
      known.identities += answer.identity ?? []
      known.answers.append((start..<known.identities.count, answer.isBlocked))
    }
    for index in 0..<batch.count {
      let fields = Int(batch.fieldsIndices[index])
      let (first, last) = (batch.firsts[index], batch.lasts[index])
      if first == last {
        try add(first, known, fields)
      } else {
        try ranges.forEach(in: first...last) { (block) throws(Failure) in
          try add(block.prefix, known, fields)
        }
      }
    }
  }

  private mutating func add(
    _ number: UInt64, _ known: BatchAnswers, _ fields: Int
  ) throws(Failure) {
    if needsTest, number >= CallIdentity.test.number {
      try addTest()
      if number == CallIdentity.test.number {
        replacesRecord = true
        return
      }
    }
    let (identity, isBlocked) = known.answers[fields]
    let keyword = Keyword(number)
    let hash = keyword.hash
    if !identity.isEmpty {
      let valueField = known.identities.span.extracting(identity)
      try identities.add(keyword, hash: hash, valueField: valueField)
    }
    if isBlocked {
      let valueField = blockedField
      try blocks.add(keyword, hash: hash, valueField: valueField.span)
    }
  }

  private mutating func addTest() throws(Failure) {
    needsTest = false
    let (number, identity) = CallIdentity.test
    let keyword = Keyword(number)
    let field = KeywordRow.field(value: identity.value)
    try identities.add(keyword, hash: keyword.hash, valueField: field.span)
  }

  /// Ends the rows.
  consuming func sealed() throws(Failure) -> SealedRows {
    if needsTest { try addTest() }
    return SealedRows(
      identities: try identities.sealed(), blocks: try blocks.sealed(), replacesRecord: replacesRecord)
  }
}

/// The rows of all batches.
struct SealedRows {
  let identities: SpilledRows
  let blocks: SpilledRows
  /// Whether the test identity has replaced a record.
  let replacesRecord: Bool
}
