// Rejects: rows and other parts of the input that could not be used. Each is counted and reported; all can be written
// to a file.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Synchronization
public import SystemIO
import SystemPackage

public enum InputLocation: Equatable, Sendable {
  /// The row of the stream, which is also its line in the text form; the first is 1.
  case row(UInt64)
  /// The row of a source of a run, and the input that the source was read from; the first is 1.
  case sourceRow(UInt64, input: String, source: String)
  /// A line and a byte offset in a named input; the first line is 1, the first byte 0.
  case line(UInt64, byte: UInt64, input: String)
}

/// Why a part of the input was rejected: a stage's own closed enum.
public protocol RejectReason: Sendable {
  /// A stable word for scripts, such as `too-short`.
  var code: String { get }
  /// The reason in a few words.
  var text: String { get }
}

/// Where the rejects of a stage come from: which source, and which of its stages. Rejects are written in this order,
/// whatever threads the stages run in.
public struct RejectOrigin: Sendable {
  /// The index of the source; the stages that all sources share come after the last one.
  public var sourceIndex = Int.max
  /// The position of the stage among all stages of the run: 0 for the first stage of the first source.
  public var stagePosition = 0
  /// The name of the source; empty for shared stages and outside a run with named sources.
  public var source = ""
  /// What messages call the source's input, or the first of its inputs.
  public var input = ""
  /// Which rows come from which of the source's inputs; nil if there is only one.
  public var rows: InputRows?

  /// Whether rejects from here come before those from `other`.
  public func precedes(_ other: RejectOrigin) -> Bool {
    (sourceIndex, stagePosition) < (other.sourceIndex, other.stagePosition)
  }
}

/// A part of the input that could not be used.
public struct Reject: Sendable {
  /// The largest number of bytes of the rejected text that are kept.
  public static let textBytesMax = 256

  public var stage: StageName
  public var place: InputLocation
  public var reason: any RejectReason
  public var text: [UInt8]
  /// The source and the stage that it came from, which decide its place in the file of rejects.
  public var origin = RejectOrigin()

  /// Creates a reject; a text longer than ``textBytesMax`` is truncated.
  public init(_ stage: StageName, _ place: InputLocation, _ reason: any RejectReason, text: Span<UInt8>) {
    self.stage = stage
    self.place = place
    self.reason = reason
    self.text = [UInt8](copying: text.extracting(0..<min(text.count, Self.textBytesMax)))
  }
}

extension Reject {
  /// The place: `row 17`, `list.json:1042 (byte 40213)` or, in a run with named sources, `list.json row 17 of source
  /// 'marked'` and `list.json:1042 (byte 40213) of source 'marked'`.
  public var placeText: String {
    func name(_ input: String) -> String { input == "-" ? "standard input" : PrintableText.line(input) }
    // A source without a name of its own has that of its file.
    func ofSource(_ source: String, _ input: String) -> String {
      source.isEmpty || source == input ? "" : " of source '\(PrintableText.line(source))'"
    }
    return switch place {
    case .row(let row): "row \(row)"
    case .sourceRow(let row, let input, let source): "\(name(input)) row \(row)\(ofSource(source, input))"
    case .line(let line, let byte, let input):
      "\(name(input)):\(line) (byte \(byte))\(ofSource(origin.source, input))"
    }
  }
}

/// When rejects end a run, and where they are written.
public struct RejectPolicy: Sendable {
  /// How many rejects are accepted.
  public enum Limit: Equatable, Sendable {
    /// At most N rejects.
    case count(UInt64)
    /// At most N percent of the input.
    case percent(Double)
  }

  /// Whether the first reject ends the run.
  public var isStrict = false
  /// How many rejects are accepted; nil for no limit.
  public var limit: Limit?
  /// The file that all rejects are written to, or nil.
  public var path: String?
  /// Whether the run may be repeated without one of its sources: a pipe receives the rejects at the end.
  public var isRepeatable = false

  /// Creates a policy. Without arguments, rejects are only counted.
  public init(isStrict: Bool = false, limit: Limit? = nil, path: String? = nil) {
    self.isStrict = isStrict
    self.limit = limit
    self.path = path
  }
}

extension Failure {
  static func strictReject(_ reject: Reject) -> Failure {
    let isEncoding = if case .line = reject.place { reject.reason.code == "invalid-utf8" } else { false }
    return Failure(
      reject.stage, .badData, "strict-reject",
      "\(reject.placeText): \(reject.reason.text): \(PrintableText.quoted(reject.text))",
      hint: isEncoding
        ? "set the input's encoding with --encoding NAME, or remove --strict to leave the row out"
        : "remove --strict to leave the row out and continue")
  }

  static func rejectLimit(
    _ stage: StageName?, _ count: UInt64, of total: UInt64, _ limit: RejectPolicy.Limit
  ) -> Failure {
    let text: String
    switch limit {
    case .count(let max):
      let rows = "\(Figures.counted(max, "row")) \(max == 1 ? "was" : "were")"
      text = "more than \(rows) rejected (--max-rejects \(max))"
    case .percent(let max):
      text =
        "\(Figures.grouped(count)) of \(Figures.grouped(total)) rows were rejected, more than "
        + "--max-rejects \(Figures.plain(max))% allows"
    }
    var failure = Failure(stage, .badData, "reject-limit", text)
    failure.rejects = (count, total)
    return failure
  }

  /// All input was rejected, or all input of `source` if that is not empty. `first` is the first reject if the stage
  /// read the input itself, so that a stage before it may be missing.
  public static func nothingUsable(
    _ stage: StageName?, rejects count: UInt64, source: String, first: Reject? = nil
  ) -> Failure {
    var failure = Failure(
      stage, .badData, "nothing-usable",
      "no usable rows\(source.isEmpty ? "" : " in source '\(source)'"): "
        + (count == 1 ? "the only row was rejected" : "all \(Figures.grouped(count)) rows were rejected"),
      hint: rejectsHint(stage, first: first) + "list the rows and reasons with --rejects FILE")
    failure.rejects = (count, count)
    failure.namesSource = !source.isEmpty
    return failure
  }

  /// The beginning of a hint: the options of a stage that may be the cause if all rows are rejected, or the stages that
  /// are missing before it.
  public static func rejectsHint(_ stage: StageName?, first: Reject? = nil) -> String {
    switch stage?.rawValue {
    case "parse":
      if first?.reason.code == "not-blocked" {
        "if it is a call log, read all of it with "
          + "\(option: "number", "number") (of JFritz: \(option: "number", "caller")); "
      } else {
        "check \(option: "format") and \(option: "encoding"); "
      }
    case "normalize":
      if let first, first.reason.code == "not-a-number", first.text.contains(where: ",;|{<\"".utf8.contains) {
        "read the list with 'cdpipe parse' first; "
      } else if first?.reason.code == "too-short" {
        "check \(option: "region", "CC"), or read beginnings of numbers with \(option: "prefixes"); "
      } else {
        "check \(option: "region", "CC"), the country of numbers without a country code; "
      }
    // The stages that read records.
    case "sort", "dedupe", "emit", "union", "intersect", "subtract", "diff":
      "read the list with 'cdpipe parse' and 'cdpipe normalize' first; "
    default: ""
    }
  }

  public var isBecauseOfRejects: Bool { ["strict-reject", "reject-limit", "nothing-usable"].contains(code) }
}

/// The first rejects by their origin, regardless of which thread reports first.
public struct FirstRejects: Sendable {
  public private(set) var rejects: [Reject] = []
  private let countMax: Int

  /// Keeps at most `countMax` rejects.
  public init(countMax: Int) { self.countMax = countMax }

  /// Keeps a reject if it is among the first. Rejects with the same origin must be added in order.
  public mutating func add(_ reject: Reject) {
    // Most come after all that are kept.
    if rejects.count == countMax, let last = rejects.last, !reject.origin.precedes(last.origin) { return }
    let index = rejects.firstIndex { reject.origin.precedes($0.origin) } ?? rejects.count
    guard index < countMax else { return }
    rejects.insert(reject, at: index)
    if rejects.count > countMax { rejects.removeLast() }
  }
}

/// Collects the rejects of all stages of a run. Any thread may call it.
public final class RejectLog: Sendable {
  /// The maximum number of rejects in ``first``.
  public static let firstMax = 3

  private struct Journal: ~Copyable {
    var count: UInt64 = 0
    var first = FirstRejects(countMax: firstMax)
    var file: RejectFile?
  }

  private let policy: RejectPolicy
  private let observe: @Sendable (Reject, _ ordinal: UInt64) -> Void
  private let journal: Mutex<Journal>

  /// Creates a log. `observe` receives every reject in counting order, and is never called by two threads at once.
  public init(
    policy: RejectPolicy = RejectPolicy(), calls: any SystemCalls = KernelCalls(),
    observe: @escaping @Sendable (Reject, _ ordinal: UInt64) -> Void = { _, _ in }
  ) throws(Failure) {
    self.policy = policy
    self.observe = observe
    var file: RejectFile?
    if let path = policy.path {
      file = try asFailure(nil) { () throws(SystemError) in
        try RejectFile(path, isRepeatable: policy.isRepeatable, calls: calls)
      }
    }
    journal = Mutex(Journal(file: file))
  }

  public var count: UInt64 { journal.withLock { $0.count } }

  /// The first rejects so far in the order of the file, which does not depend on the threads.
  public var first: [Reject] { journal.withLock { $0.first.rejects } }

  /// Whether a reject may end the run before all input has been read.
  public var mayEndRun: Bool {
    if case .count? = policy.limit { return true }
    return policy.isStrict
  }

  /// Counts a reject, writes it to the file, and throws when the policy ends the run.
  public func add(_ reject: Reject) throws(Failure) {
    try journal.withLock { (journal) throws(Failure) in
      journal.count += 1
      if var file = journal.file.take() {
        try asFailure(reject.stage) { () throws(SystemError) in try file.append(reject) }
        journal.file = consume file
      }
      if policy.isStrict { throw .strictReject(reject) }
      journal.first.add(reject)
      observe(reject, journal.count)
      if case .count(let countMax) = policy.limit, journal.count > countMax {
        throw .rejectLimit(reject.stage, journal.count, of: 0, .count(countMax))
      }
    }
  }

  /// Throws when the rejects exceed the limit, given the number of rows or other inputs, or when all inputs were
  /// rejected. `isFirst` is whether no stage precedes the one with the rejects.
  public func check(stage: StageName?, inputs: UInt64, isFirst: Bool = false) throws(Failure) {
    let count = self.count
    if case .count(let countMax) = policy.limit, count > countMax {
      throw .rejectLimit(stage, count, of: 0, .count(countMax))
    }
    if case .percent(let percentMax) = policy.limit, count > 0,
      Double(count) * 100 > percentMax * Double(max(inputs, count))
    {
      throw .rejectLimit(stage, count, of: inputs, .percent(percentMax))
    }
    if count > 0, count >= inputs {
      throw .nothingUsable(stage, rejects: count, source: "", first: isFirst ? first.first : nil)
    }
  }

  /// Renames the file to its final name. Called also after a failed run: the rejects until then are useful.
  public func publish() throws(Failure) {
    try journal.withLock { (journal) throws(Failure) in
      guard let file = journal.file.take() else { return }
      do throws(SystemError) {
        try file.publish()
      } catch {
        throw Failure(nil, error)
      }
    }
  }
}

/// The file of all rejects: one line each, ordered by source and stage, so that its bytes do not depend on the threads.
///
/// Lines are written as they come. If those of several stages are interleaved, they are copied into their
/// order at the end, or earlier if they are interleaved very often. A pipe or a device receives them as they
/// come, or at the end if the run may be repeated.
struct RejectFile: ~Copyable {
  /// Adjacent lines with the same origin.
  private struct Segment {
    var origin: RejectOrigin
    var start: Int64
    var count: Int64
  }

  /// The maximum number of segments, unless there are more origins: the lines are put in order then, which leaves one
  /// for each origin. Stages of one source alternate after a batch of rows.
  private static let segmentsMax = 1 << 14

  private let path: String
  private let calls: any SystemCalls
  private var file: OutputFile
  /// The pipe or device that receives the lines at the end; nil if ``file`` is the output itself.
  private var stream: OutputFile?
  private var segments: [Segment] = []
  /// The number of segments at which the lines are put in order.
  private var segmentsLimit = segmentsMax
  private var size: Int64 = 0

  /// Opens the file. With `isRepeatable`, nothing is written to a pipe or a device before ``publish()``.
  init(_ path: String, isRepeatable: Bool = false, calls: any SystemCalls) throws(SystemError) {
    let spoolPath = TemporaryFile.defaultDirectory + "/cdpipe-rejects"
    // Everything that can throw comes before the first property is set; OutputFile explains why.
    let output = try OutputFile(path, calls: calls)
    let spool =
      try isRepeatable && !output.isNew ? Self.privateFile(spoolPath, removesLeftovers: true, calls) : nil
    self.calls = calls
    switch consume spool {
    case .some(let spool):
      self.path = spoolPath
      file = consume spool
      stream = consume output
    case nil:
      self.path = path
      file = consume output
      stream = nil
    }
  }

  /// A file in the directory of temporary files, which is never published.
  private static func privateFile(
    _ path: String, removesLeftovers: Bool = false, _ calls: any SystemCalls
  ) throws(SystemError) -> OutputFile {
    let file = try OutputFile(path, removesLeftovers: removesLeftovers, calls: calls)
    try? calls.setPermissions(file.descriptor, [.ownerReadWrite])
    return file
  }

  mutating func append(_ reject: Reject) throws(SystemError) {
    let line = Self.line(of: reject)
    try file.write(line.span)
    // What a pipe or a device has received can't be put in order.
    guard file.isNew else { return }
    let origin = reject.origin
    if let last = segments.last, !last.origin.precedes(origin), !origin.precedes(last.origin) {
      segments[segments.count - 1].count += Int64(line.count)
    } else {
      segments.append(Segment(origin: origin, start: size, count: Int64(line.count)))
    }
    size += Int64(line.count)
    if segments.count >= segmentsLimit { try order() }
  }

  /// Puts the lines in order, and renames the file to its final name. What a pipe or a device has received stays in the
  /// order of arrival.
  consuming func publish() throws(SystemError) {
    try order()
    guard var stream = stream.take() else { return try file.publish(durably: false) }
    try Self.copy(from: &file, 0..<size, to: &stream, path)
    try stream.publish(durably: false)
  }

  private static func copy(
    from file: inout OutputFile, _ range: Range<Int64>, to target: inout OutputFile, _ path: String
  ) throws(SystemError) {
    var chunk = ByteChunk()
    var offset = range.lowerBound
    while offset < range.upperBound {
      chunk.removeAll()
      let count = try file.read(into: &chunk, at: offset, limit: Int(range.upperBound - offset))
      guard count > 0 else { throw SystemError(.writeOutput, path, .ioError) }
      try target.write(chunk)
      offset += Int64(count)
    }
  }

  /// Copies the lines into their order, unless they are in it.
  private mutating func order() throws(SystemError) {
    let ordered = segments.sorted { one, other in
      one.origin.precedes(other.origin) || !other.origin.precedes(one.origin) && one.start < other.start
    }
    if !zip(ordered, ordered.dropFirst()).allSatisfy({ $0.start < $1.start }) {
      var sorted =
        try stream == nil
        ? OutputFile(path, removesLeftovers: false, calls: calls) : Self.privateFile(path, calls)
      for segment in ordered {
        try Self.copy(from: &file, segment.start..<segment.start + segment.count, to: &sorted, path)
      }
      file = sorted
    }
    segments.removeAll()
    var start: Int64 = 0
    for segment in ordered {
      if let last = segments.last, !last.origin.precedes(segment.origin) {
        segments[segments.count - 1].count += segment.count
      } else {
        segments.append(Segment(origin: segment.origin, start: start, count: segment.count))
      }
      start += segment.count
    }
    segmentsLimit = max(Self.segmentsMax, 2 * segments.count)
  }

  /// `stage TAB location TAB reason TAB text`, escaped like the text form. Bytes that are not UTF-8 become U+FFFD.
  private static func line(of reject: Reject) -> [UInt8] {
    var line = Array(reject.stage.rawValue.utf8)
    let place =
      switch reject.place {
      case .row(let row): "row \(row)"
      case .sourceRow(let row, let input, let source): "\(input) row \(row) of source '\(source)'"
      case .line(let number, let byte, let input):
        "\(input):\(number) byte \(byte)"
          + (reject.origin.source.isEmpty ? "" : " of source '\(reject.origin.source)'")
      }
    for column in [place, reject.reason.code, String(decoding: reject.text, as: UTF8.self)] {
      line.append(UInt8(ascii: "\t"))
      line.append(contentsOf: RecordFields.bytes(RecordFields.Fields(label: column)))
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }
}

/// The files of a source and their first rows, which the stage that reads the files records. Usable from any thread.
public final class InputRows: Sendable {
  private struct Input {
    var firstRow: UInt64
    var name: String
  }
  private let inputs = Mutex<[Input]>([])

  public init() {}

  /// Records that an input follows, whose rows start at `row` of the source; the first is 1.
  public func begin(_ name: String, at row: UInt64) {
    inputs.withLock { $0.append(Input(firstRow: row, name: name)) }
  }

  /// Returns the input that a row of the source comes from, and the row's number in it. Rows before the first recorded
  /// input belong to `first`.
  ///
  /// - Complexity: O(log inputs).
  public func location(of row: UInt64, first: String) -> (input: String, row: UInt64) {
    inputs.withLock { inputs in
      var (low, high) = (0, inputs.count)
      while low < high {
        let middle = (low + high) / 2
        if inputs[middle].firstRow <= row { low = middle + 1 } else { high = middle }
      }
      guard low > 0 else { return (first, row) }
      return (inputs[low - 1].name, row - inputs[low - 1].firstRow + 1)
    }
  }
}
