// A data slice of YetAnotherCallBlocker and Should I Answer. Its header contains the number of items, so
// these are first written to an unnamed temporary file, 13 bytes each.
//
// The category is the label, if it is the name of one. The score is the difference of negative and positive
// votes: a number is blocked if it has more negative ones, so a record without a score has one.

import BasicContainers
import Records
import SystemIO

extension EmitFormat {
  package static let yacb = EmitFormat(
    rawValue: "yacb", what: "a data slice of YetAnotherCallBlocker and Should I Answer", group: .lists,
    extensions: ["sia"], fields: [.label, .score], ranges: .numbers, isBinary: true
  ) { (options, context) throws(Failure) in try DataSliceTarget(options, context) }
}

/// Writes records as the items of one slice.
final class DataSliceTarget: ListTarget, EmitTarget {
  /// The version in the header. Applications compare versions only of whole databases.
  private static let version: UInt64 = 1
  /// The largest number of items that the header can contain.
  private static let itemsMax = UInt64(Int32.max)

  private let ranges: EntryRanges
  private var items: TemporaryFile

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    ranges = EntryRanges(.numbers, options)
    items = try asFailure(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: context.calls)
    }
    try super.init(options, context)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    var ratings: [SliceRating] = []
    for index in 0..<batch.fieldsTable.count {
      let rating = SliceRating(RecordFields.fields(batch.fieldsTable[index]))
      ratings.append(rating)
      replaced.formUnion(rating.replaced)
    }
    for index in 0..<batch.count {
      let bytes = ratings[Int(batch.fieldsIndices[index])].bytes
      try ranges.forEach(in: batch.firsts[index]...batch.lasts[index]) { (block) throws(Failure) in
        SliceFormat.append(block.prefix, count: 8, to: &text)
        text += bytes
        entries += 1
        if text.count >= EmitFile.flushBytes { try spill() }
      }
    }
  }

  private func spill() throws(Failure) {
    let bytes = text
    text = []
    try asFailure(.emit) { () throws(SystemError) in try items.append(bytes.span) }
  }

  func seal() throws(Failure) {
    guard entries <= Self.itemsMax else {
      throw Failure(
        .emit, .badData, "too-many-for-format",
        "'\(EmitFormat.yacb.rawValue)' has at most \(Figures.grouped(Self.itemsMax)) numbers",
        hint: "keep the most important ones: cdpipe dedupe --limit \(Self.itemsMax)")
    }
    try spill()
    text += "\(SliceFormat.magic)".utf8
    text.append(1)
    SliceFormat.append(Self.version, count: 4, to: &text)
    text += "ww".utf8
    SliceFormat.append(0, count: 4, to: &text)
    SliceFormat.append(entries, count: 4, to: &text)
    try file.drain(&text)
    try copyItems()
    text += "\(SliceFormat.divider)".utf8
    SliceFormat.append(0, count: 4, to: &text)
    text += "\(SliceFormat.endMark)".utf8
    try file.drain(&text)
  }

  private func copyItems() throws(Failure) {
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while offset < items.size {
      let read = try asFailure(.emit) { () throws(SystemError) in try items.read(into: &chunk, at: offset) }
      // The file has no name, so nothing else can shorten it.
      precondition(read > 0, "the temporary file is shorter than what was written")
      offset += Int64(read)
      try file.receive(&chunk)
    }
  }
}

struct SliceRating {
  let bytes: [UInt8]
  /// The fields that have no such votes or category.
  let replaced: RecordFieldSet

  init(_ fields: RecordFields.Fields) {
    var replaced: RecordFieldSet = []
    let score = fields.score ?? 1
    let votes = UInt8(clamping: score.magnitude)
    if score.magnitude > UInt64(UInt8.max) { replaced.insert(.score) }
    let category = SliceFormat.category(named: fields.label)
    if category == nil { replaced.insert(.label) }
    // Positive, negative and neutral votes. A number without any would be one that is removed.
    bytes = [score < 0 ? votes : 0, score > 0 ? votes : 0, score == 0 ? 1 : 0, 0, category ?? 0]
    self.replaced = replaced
  }
}
