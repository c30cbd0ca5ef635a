// A stage as data: its name, what flows in and out, the files that it uses, and how to build it. The runner and the
// command line work with plans alone, so that a new stage is a new plan and nothing else.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

package import SystemIO

/// The kinds of data that flow between stages.
public enum DataKind: String, Sendable {
  /// Bytes of any kind.
  case bytes
  /// Raw rows; between processes, in their text form.
  case rawRows = "raw rows"
  /// Records; between processes, in their text form.
  case records
  /// Nothing: the stage reads no data, or writes files of its own.
  case nothing
}

/// A file that a stage reads or writes besides the data that flows through it.
public struct StageFile: Equatable, Sendable {
  /// What the file is for. It decides which files may replace each other.
  public enum Role: Sendable {
    /// Data that is read. A result may replace it.
    case input
    /// Settings that are read. No output may replace them.
    case settings
    /// A result.
    case output
    /// A log of decisions. It may not replace an input.
    case log
  }

  /// The path as it was typed; `-` is standard input or output.
  public var path: String
  public var role: Role

  public init(_ path: String, _ role: Role) {
    self.path = path
    self.role = role
  }
}

extension StageFile {
  /// The maximum size of a file of lines: thousands of long ones.
  package static let lineFileBytesMax = 1 << 20

  /// Reads a file that has an item per line, such as a pattern. Leaves out blank lines, and lines that begin with `#`.
  ///
  /// - Parameter kind: what the lines are, for the error if the file is too large.
  package static func lines(
    of path: String, _ kind: String, _ stage: StageName, _ calls: any SystemCalls
  ) throws(Failure) -> [(text: String, number: Int)] {
    let bytes = try asFailure(stage) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: lineFileBytesMax, calls: calls)
    }
    guard bytes.count <= lineFileBytesMax else {
      throw Failure(
        stage, .badData, "file-too-large",
        "'\(path)' is larger than \(Figures.bytes(lineFileBytesMax)): is it a file of \(kind)?")
    }
    var items: [(text: String, number: Int)] = []
    let lines = bytes.split(separator: Byte.lineFeed, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = String(decoding: line.last == Byte.carriageReturn ? line.dropLast() : line, as: UTF8.self)
      let front = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" }
      if front == nil || front == "#" { continue }
      items.append((text, index + 1))
    }
    return items
  }
}

/// A stage with its options. Each stage's options implement it.
public protocol StagePlan: Sendable {
  var name: StageName { get }
  var input: DataKind { get }
  var output: DataKind { get }
  /// The files that the stage uses besides the data that flows through it.
  var files: [StageFile] { get }
  /// Whether the stage's work is worth a thread of its own, apart from that of the stage before it.
  var needsThread: Bool { get }
  /// Whether writing the stage's output, as text or in the packed form, is worth a thread of its own.
  var needsWriterThread: Bool { get }
  /// What the stage's outputs record about the sources of a run.
  var provenanceLevel: ProvenanceLevel { get }
  var assumesEncoding: Bool { get }
  /// What the stage requires of its numbers: those that it writes to files or, if it creates records from rows, those
  /// that it outputs.
  var countryChecks: [CountryCheck] { get }
  /// Whether a run counts the countries of the records that the stage receives, and warns if many are not valid. For
  /// stages without output.
  var checksCountries: Bool { get }
  /// The two-letter code of the country that the stage assumes for numbers without a country code; nil for none.
  var assumedCountry: String? { get }
  /// The plan with the list named `-` fed by the stage before it; nil when no list can be fed that way.
  var fedByPipe: (any StagePlan)? { get }

  /// Builds the stage that sends its output to `downstream`, whose kind is ``output``. The sink that it returns
  /// receives data of the kind ``input``; a stage without input is run by calling `finish`.
  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink
}

extension StagePlan {
  public var files: [StageFile] { [] }
  public var needsThread: Bool { false }
  public var needsWriterThread: Bool { false }
  public var provenanceLevel: ProvenanceLevel { .none }
  public var assumesEncoding: Bool { false }
  public var countryChecks: [CountryCheck] { [] }
  public var checksCountries: Bool { true }
  public var assumedCountry: String? { nil }
  public var fedByPipe: (any StagePlan)? { nil }

  public var createsRecords: Bool { input == .rawRows && output == .records }

  /// Whether the stage processes the data of one source at a time. All sources share the stages that read records.
  public var isPerSource: Bool { input != .records }
}

/// A stage that produces the bytes of a source, in place of a file.
public protocol InputPlan: Sendable {
  var name: StageName { get }
  /// What messages call the input.
  var displayName: String { get }

  /// Sends all bytes downstream, and ends the stream.
  func run(_ environment: StageEnvironment, into downstream: any ByteSink) throws(Failure)
}

/// The name of a stage: its command, and its key in a pipeline file.
public struct StageName: RawRepresentable, Hashable, Sendable {
  /// The name as users write it, such as `sort`.
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}
