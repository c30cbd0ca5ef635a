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
    "yacb", "a data slice of YetAnotherCallBlocker and Should I Answer", .lists, extensions: ["sia"],
    fields: [.label, .score], ranges: .numbers
  ) { (options, context) throws(Failure) in try DataSliceTarget(options, context) }
}

/// Writes records as the items of one slice.
final class DataSliceTarget: EmitTarget {
  /// The version in the header. Applications compare versions only of whole databases.
  private static let version: UInt64 = 1
  /// The largest number of items that the header can contain.
  private static let itemsMax = UInt64(Int32.max)

  private let ranges: EntryRanges
  private let file: EmitFile
  private var items: TemporaryFile
  private var pending: [UInt8] = []
  private var count: UInt64 = 0
  private var replaced: RecordFieldSet = []

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    ranges = EntryRanges(.numbers, options)
    file = try EmitFile(options.output, context)
    items = try asFailure(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: context.calls)
    }
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
        SliceFormat.append(block.prefix, count: 8, to: &pending)
        pending += bytes
        count += 1
        if pending.count >= EmitFile.flushBytes { try spill() }
      }
    }
  }

  private func spill() throws(Failure) { try Self.move(&pending, to: &items) }

  private static func move(_ bytes: inout [UInt8], to file: inout TemporaryFile) throws(Failure) {
    do throws(SystemError) {
      try file.append(bytes.span)
    } catch {
      throw Failure(.emit, error)
    }
    bytes.removeAll(keepingCapacity: true)
  }

  func seal() throws(Failure) {
    guard count <= Self.itemsMax else {
      throw Failure(
        .emit, .badData, "too-many-for-format",
        "'\(EmitFormat.yacb.rawValue)' has at most \(Figures.grouped(Self.itemsMax)) numbers",
        hint: "keep the most important ones: cdpipe dedupe --limit \(Self.itemsMax)")
    }
    try spill()
    pending += "\(SliceFormat.magic)".utf8
    pending.append(1)
    SliceFormat.append(Self.version, count: 4, to: &pending)
    pending += "ww".utf8
    SliceFormat.append(0, count: 4, to: &pending)
    SliceFormat.append(count, count: 4, to: &pending)
    try file.drain(&pending)
    try copyItems()
    pending += "\(SliceFormat.divider)".utf8
    SliceFormat.append(0, count: 4, to: &pending)
    pending += "\(SliceFormat.endMark)".utf8
    try file.drain(&pending)
  }

  private func copyItems() throws(Failure) {
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while offset < items.size {
      let read: Int
      do throws(SystemError) {
        read = try items.read(into: &chunk, at: offset)
      } catch {
        throw Failure(.emit, error)
      }
      // The file has no name, so nothing else can shorten it.
      precondition(read > 0, "the temporary file is shorter than what was written")
      offset += Int64(read)
      try file.receive(&chunk)
    }
  }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) {
    output.bytes = file.bytes
    output.entries = count
    output.replaced = replaced
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
