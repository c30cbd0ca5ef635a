// A preview of one input: what was recognised, with which options `parse` and `normalize` read it best, and what
// becomes of its first rows.

package import InputStages
import NumberPlan
package import RecordStages
package import Records
import Synchronization
import SystemIO

extension Failure {
  private static func noPreview(_ code: String, _ text: String, hint: String) -> Failure {
    Failure(.preview, .badData, code, text, hint: hint)
  }

  fileprivate static func unknownEncoding(_ input: String) -> Failure {
    noPreview(
      "unknown-encoding", "\(InputName.quoted(input)): the encoding is not recognised",
      hint: "name it with --encoding NAME; 'cdpipe parse --encodings' lists the names")
  }

  /// An input that can only be read as a whole is larger than the maximum.
  fileprivate static func databaseTooLarge(_ input: String, limit: Int64) -> Failure {
    noPreview(
      "database-too-large",
      "\(InputName.quoted(input)) is a database of more than \(Figures.bytes(UInt64(limit)))",
      hint: "read it with 'cdpipe parse --query SQL'")
  }

  fileprivate static func noRows(_ input: String) -> Failure {
    noPreview(
      "no-rows", "\(InputName.quoted(input)) has no rows",
      hint: "'cdpipe parse --formats' lists the formats that are read")
  }

  /// Ends the run that reads a sample. Not an error.
  static var sampleComplete: Failure {
    Failure(.preview, .readerGone, "sample-complete", "the sample is complete")
  }

  /// Whether a run ended because a sample is complete.
  var isSampleComplete: Bool { code == "sample-complete" }
}

package struct PreviewRow: Sendable {
  /// What `normalize` makes of a row.
  package enum Outcome: Sendable {
    /// A number: its E.164 digits, and whether it is valid in its country.
    case number(UInt64, isValid: Bool)
    case ranges([ClosedRange<UInt64>])
    case reject(NormalizeReject)
  }

  /// The row as `parse` reads it.
  package var row: SampledRow
  /// What `normalize` makes of it.
  package var outcome: Outcome
  /// The two-letter code of the country of the number, or of the first number of a range; nil if it is not valid.
  package var country: String?
}

/// The recognised properties of one input, and its first rows.
package struct InputPreview: Sendable {
  /// The maximum number of rows of a sample.
  package static var rowsMax: Int { SampledRows.rowsMax }

  package struct Request: Sendable {
    package var input: Pipeline.Input
    package var name: String
    package var unzip = UnzipOptions()
    /// What the user chose for parsing; everything else is recognised.
    package var parse = ParseOptions()
    /// What the user chose for normalizing; a region that is not chosen is determined.
    package var normalize = NormalizeOptions()

    package init(_ input: Pipeline.Input, name: String) {
      self.input = input
      self.name = name
    }
  }

  package struct Counts: Sendable, Equatable {
    package var rows = 0
    /// The rows that `normalize` accepts.
    package var accepted = 0
    package var valid = 0
    /// The rows that `parse` rejects.
    package var unreadable = 0
  }

  package let name: String
  /// What was unpacked, in order; empty if the input is not packed.
  package let parts: [UnpackedPart]
  package let isWhole: Bool
  package let encoding: EncodingGuess
  package let layout: InputLayout
  /// The options that read the input: those that the user chose, and those that were recognised, if they read the same
  /// rows when they are chosen.
  package let parse: ParseOptions
  /// The field with the rows' dates that is not read; nil if none was recognised.
  package let dates: DateColumn?
  package let region: RegionChoice
  /// The options that normalize the numbers: those that the user chose, and the region.
  package let normalize: NormalizeOptions
  package let counts: Counts
  /// The rows of the sample, in the order of the input.
  package let rows: [PreviewRow]
  /// The first rows that could not be read.
  package let unreadable: [Reject]
  /// What `parse` reports about the input.
  package let notices: [InputNotice]

  /// Examines an input. Reads the first part of it only, and writes nothing.
  package init(_ request: Request) throws(Failure) {
    let head = try InputHead(request.input, unzip: request.unzip)
    let first = try head.start(FormatTable.all.signatureBytesMax)
    if let content = FormatTable.all.unreadableContent(first.span) {
      throw .binaryInput(.preview, request.name, content)
    }
    name = request.name
    parts = head.parts
    encoding = try Self.encoding(of: head, request)
    isWhole = head.isWhole
    var chosen = request.parse
    if chosen.encoding == nil || chosen.recognisesEncoding { chosen.encoding = encoding.name }
    // Rows are shown whatever their dates are.
    (chosen.dates.since, chosen.dates.until) = (nil, nil)
    (chosen.dates.maxAge, chosen.dates.now) = (nil, nil)
    let found: InputTrial
    do throws(Failure) {
      found = try InputTrial(head, chosen, request, encoding: encoding.name)
    } catch {
      throw encoding.basis == .unknown ? .unknownEncoding(name) : error
    }
    // Bytes in fields that are not read decide nothing.
    if encoding.basis == .unknown, found.sample.hasUndecodedTexts { throw .unknownEncoding(name) }
    var options = found.explicitOptions
    options.dates = request.parse.dates
    parse = options
    dates = found.dates
    notices = found.sample.notices
    layout = found.sample.layout
    unreadable = found.sample.rejects
    region = found.region
    var normalize = request.normalize
    normalize.region = region.region
    self.normalize = normalize
    let sample = found.sample
    guard sample.rows.count + sample.rejectCount > 0 else { throw .noRows(request.name) }
    rows = sample.rows.map { PreviewRow($0, normalize) }
    counts = Counts(rows, unreadable: sample.rejectCount)
  }

  /// The encoding of an input: the one that the user chose, or a guess.
  private static func encoding(of head: InputHead, _ request: Request) throws(Failure) -> EncodingGuess {
    if let chosen = request.parse.encoding, !request.parse.recognisesEncoding {
      return EncodingGuess(.chosen, name: chosen)
    }
    let start = try head.start(EncodingGuess.bytesMax)
    let guess = EncodingGuess(start.span, isWhole: head.isWhole)
    if !head.isWhole, head.size >= InputHead.databaseBytesMax {
      throw .databaseTooLarge(request.name, limit: InputHead.databaseBytesMax)
    }
    return guess
  }
}

extension InputPreview.Counts {
  init(_ rows: [PreviewRow], unreadable: Int) {
    self.unreadable = unreadable
    self.rows = rows.count + unreadable
    for row in rows {
      if case .reject = row.outcome { continue }
      accepted += 1
      if row.country != nil { valid += 1 }
    }
  }
}

extension PreviewRow {
  init(_ row: SampledRow, _ options: NormalizeOptions) {
    self.row = row
    switch NumberExplanation(row.text.span, options: options).outcome {
    case .number(let number, _, _):
      country = NumberPlan.region(ofDigits: number)?.code
      outcome = .number(number, isValid: country != nil)
    case .ranges(let ranges):
      country = ranges.first.flatMap { NumberPlan.region(ofDigits: $0.lowerBound)?.code }
      outcome = .ranges(ranges)
    case .reject(let reason): outcome = .reject(reason)
    }
  }
}

// MARK: - The first bytes of an input, unpacked: what a preview examines
//
// The input is read through the stages of a run, which end as soon as there are enough bytes.

extension StageName {
  package static let preview = StageName(rawValue: "preview")
}

/// The first bytes of an unpacked input, in a temporary file.
package final class InputHead: Sendable {
  /// The number of bytes of a text that are examined: tens of thousands of rows.
  package static let textBytesMax: Int64 = 4 << 20
  /// The maximum size of an input that is not text, which can only be read as a whole.
  package static let databaseBytesMax: Int64 = 4 << 30

  /// The bytes, and what is known about them.
  private struct Content: ~Copyable {
    var file: TemporaryFile
    /// The maximum number of bytes to keep; nil until the first bytes show what the input is.
    var bytesMax: Int64?
    var isWhole = false
    var parts: [UnpackedPart] = []
  }

  /// The number of listed members of an archive; enough for messages.
  private static let partsMax = 16

  private let content: Mutex<Content>

  /// What was unpacked, in order; empty if the input is not packed.
  package var parts: [UnpackedPart] { content.withLock { $0.parts } }
  package var isWhole: Bool { content.withLock { $0.isWhole } }
  /// The number of bytes.
  package var size: Int64 { content.withLock { $0.file.size } }

  package init(_ input: Pipeline.Input, unzip: UnzipOptions = UnzipOptions()) throws(Failure) {
    let directory = unzip.tempDirectory ?? TemporaryFile.defaultDirectory
    let file = try asFailure(.preview) { () throws(SystemError) in try TemporaryFile(in: directory) }
    content = Mutex(Content(file: file))
    var unzip = unzip
    unzip.observe = { [weak self] part in self?.note(part) }
    let source = Pipeline.Source(input: input, stages: [unzip, HeadPlan(head: self)])
    let run = try PipelineRun(Pipeline(sources: [source], stages: []), rejects: try RejectLog())
    do throws(Failure) {
      try run.execute()
      content.withLock { $0.isWhole = true }
    } catch {
      guard error.isSampleComplete else { throw error }
    }
  }

  private func note(_ part: UnpackedPart) {
    content.withLock { content in
      if content.parts.count < Self.partsMax { content.parts.append(part) }
    }
  }

  /// Adds bytes; returns whether more are needed.
  fileprivate func append(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
    try content.withLock { (content) throws(SystemError) in
      try content.file.append(bytes)
      if content.bytesMax == nil {
        var first = ByteChunk(capacity: FormatTable.all.signatureBytesMax)
        _ = try content.file.read(into: &first, at: 0)
        guard first.freeCapacity == 0 else { return true }
        content.bytesMax =
          FormatTable.all.binaryFormat(first.span) == nil ? Self.textBytesMax : Self.databaseBytesMax
      }
      return content.file.size < content.bytesMax ?? Self.textBytesMax
    }
  }

  /// The first bytes, at most `count`.
  func start(_ count: Int) throws(Failure) -> [UInt8] {
    var chunk = ByteChunk(capacity: count)
    while chunk.freeCapacity > 0 {
      let offset = Int64(chunk.count)
      if try read(into: &chunk, at: offset) == 0 { break }
    }
    return [UInt8](copying: chunk.span)
  }

  /// Sends the bytes to a sink. Ends the stream if they are the whole input; otherwise only the whole rows among them are
  /// passed on.
  func send(to sink: any ByteSink) throws(Failure) {
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while true {
      let count = try read(into: &chunk, at: offset)
      if count == 0 { break }
      offset += Int64(count)
      try sink.receive(&chunk)
      chunk.removeAll()
    }
    if isWhole { try sink.finish() } else { try sink.flush() }
  }

  private func read(into chunk: inout ByteChunk, at offset: Int64) throws(Failure) -> Int {
    try asFailure(.preview) { () throws(SystemError) in
      try content.withLock { (content) throws(SystemError) in
        try content.file.read(into: &chunk, at: offset)
      }
    }
  }
}

private struct HeadPlan: StagePlan {
  let head: InputHead

  var name: StageName { .preview }
  var input: DataKind { .bytes }
  var output: DataKind { .nothing }

  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .bytes(HeadSink(head))
  }
}

/// Keeps bytes, and ends the run when there are enough.
private final class HeadSink: ByteSink {
  private let head: InputHead

  init(_ head: InputHead) { self.head = head }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    let bytes = chunk.span
    let isEnough = try asFailure(.preview) { () throws(SystemError) in try !head.append(bytes) }
    if isEnough { throw .sampleComplete }
  }

  func finish() {}
}

// MARK: - The first rows of an input, as `parse` reads them with given options

package struct SampledRow: Sendable {
  /// The number's text as found.
  package var text: [UInt8]
  package var fields: RecordFields.Fields
}

/// The first rows of an input, and what was recognised about it.
struct SampledRows: Sendable {
  /// The maximum number of rows of a sample: enough to measure shares to a percent.
  static let rowsMax = 4096

  var rows: [SampledRow] = []
  var layout = InputLayout()
  /// The number of rows that could not be read.
  var rejectCount = 0
  /// The first of them.
  var rejects: [Reject] = []
  /// What `parse` reports about the input.
  var notices: [InputNotice] = []

  /// Whether a field that is read, or its row, can't be decoded; known for the first rejects.
  var hasUndecodedTexts: Bool {
    rejects.contains { $0.reason.code == ParseReject.invalidUTF8.code }
      || notices.contains { if case .undecodedTexts = $0.finding { true } else { false } }
  }

  /// The maximum number of rejects that are kept.
  private static let rejectsMax = 3

  /// The rejects of a sample, which any thread may add.
  private final class RejectSample: Sendable {
    let found = Mutex<(count: Int, first: [Reject])>((0, []))

    func add(_ reject: Reject) {
      found.withLock { found in
        found.count += 1
        if found.first.count < SampledRows.rejectsMax { found.first.append(reject) }
      }
    }
  }

  init(_ head: InputHead, _ options: ParseOptions, name: String, rowsMax: Int = Self.rowsMax)
    throws(Failure)
  {
    let rejected = RejectSample()
    let context = StageContext(
      meter: StageMeter(.parse), rejects: try RejectLog { reject, _ in rejected.add(reject) })
    var environment = StageEnvironment(context)
    environment.inputName = name
    let found = Recognised()
    environment.notify = { notice in
      guard let notice = notice as? InputNotice else { return }
      found.value.withLock { $0.notices.append(notice) }
    }
    var plan = ParsePlan(options)
    plan.observe = { layout in found.value.withLock { $0.layout = layout } }
    let collector = RowCollector(rowsMax)
    do throws(Failure) {
      try head.send(to: plan.makeSink(environment, downstream: .rawRows(collector)).byteSink)
    } catch {
      guard error.isSampleComplete else { throw error }
    }
    rows = collector.rows
    (layout, notices) = found.value.withLock { $0 }
    (rejectCount, rejects) = rejected.found.withLock { $0 }
  }
}

/// The last reported layout, and the notices. Usable from any thread.
private final class Recognised: Sendable {
  let value = Mutex<(layout: InputLayout, notices: [InputNotice])>((InputLayout(), []))
}

private final class RowCollector: RawRowSink {
  private let rowsMax: Int
  private(set) var rows: [SampledRow] = []

  init(_ rowsMax: Int) { self.rowsMax = rowsMax }

  func receive(_ batch: inout RawRowBatch) throws(Failure) {
    for index in 0..<min(batch.count, rowsMax - rows.count) {
      rows.append(
        SampledRow(
          text: [UInt8](copying: batch[textAt: index]), fields: RecordFields.fields(batch[fieldsAt: index])))
    }
    batch.removeAll()
    if rows.count >= rowsMax { throw .sampleComplete }
  }

  func finish() {}
}

// MARK: - The preview of an input as JSON

package struct PreviewDescription: Encodable {
  fileprivate struct Encoding: Encodable {
    var name: String
    var basis: String
  }

  fileprivate struct Fields: Encodable {
    var all: [String]
    var number: String?
    var numbers: [String]?
    var label: String?
    var labels: [String]?
    var source: String?
    var score: String?
    var date: String?
    var last: String?
    var country: String?
    var areaCode: String?
  }

  fileprivate struct RegionFit: Encodable {
    var code: String
    var share: Double
  }

  fileprivate struct Region: Encodable {
    var code: String?
    var certainty: String
    var candidates: [RegionFit]
    var numbersTried: Int
  }

  fileprivate struct Counts: Encodable {
    var rows: Int
    var valid: Int
    var accepted: Int
    var rejected: Int
  }

  fileprivate struct ShownRow: Encodable {
    var text: String
    var number: UInt64?
    var ranges: [String]?
    var reject: String?
    var country: String?
    var label: String?
    var source: String?
    var score: Int64?
    var day: String?
  }

  private var input: String
  private var members: [String]
  private var format: String
  private var separator: String?
  private var header: Bool?
  private var rowsArePairs: Bool
  private var encoding: Encoding
  private var fields: Fields
  private var region: Region
  private var counts: Counts
  private var isWhole: Bool
  private var rows: [ShownRow]

  /// Describes a preview with its first rows.
  package init(_ preview: InputPreview, rows count: Int) {
    let layout = preview.layout
    input = preview.name
    members = preview.parts.compactMap { part in
      switch part {
      case .member(let name), .exceptions(let name, isRead: true): name
      case .exceptions, .stream: nil
      }
    }
    format = layout.format.rawValue
    separator = layout.separator.map { String(Character(Unicode.Scalar($0))) }
    header = layout.hasHeader
    rowsArePairs = layout.rowsArePairs
    encoding = Encoding(
      name: preview.encoding.name ?? layout.encoding ?? "UTF-8", basis: "\(preview.encoding.basis)")
    fields = Fields(
      all: layout.fields, number: layout.number, numbers: layout.numbers.isEmpty ? nil : layout.numbers,
      label: layout.label, labels: layout.labels.isEmpty ? nil : layout.labels, source: layout.source,
      score: layout.score, date: layout.date ?? preview.dates?.field, last: layout.last,
      country: layout.country, areaCode: layout.areaCode)
    region = Region(
      code: preview.region.region?.code, certainty: "\(preview.region.certainty)",
      candidates: preview.region.candidates.map {
        RegionFit(code: $0.region.code, share: ($0.share * 1000).rounded() / 1000)
      }, numbersTried: preview.region.triedCount)
    counts = Counts(
      rows: preview.counts.rows, valid: preview.counts.valid, accepted: preview.counts.accepted,
      rejected: preview.counts.rows - preview.counts.accepted)
    isWhole = preview.isWhole
    rows = preview.rows.prefix(count).map { ShownRow($0) }
  }
}

extension PreviewDescription.ShownRow {
  fileprivate init(_ row: PreviewRow) {
    text = String(decoding: row.row.text, as: UTF8.self)
    country = row.country
    label = row.row.fields.label.isEmpty ? nil : row.row.fields.label
    source = row.row.fields.source.isEmpty ? nil : row.row.fields.source
    score = row.row.fields.score
    day = row.row.fields.day?.text
    switch row.outcome {
    case .number(let value, _): number = value
    case .ranges(let found): ranges = found.map { "\($0.lowerBound)..\($0.upperBound)" }
    case .reject(let reason): reject = reason.code
    }
  }
}
