// The emit stage: writes disjoint, ascending records to one or more outputs.

import BasicContainers
package import Records
package import StoreWriting
import SystemIO
import SystemPackage

/// One output of records. It does not change batches, so that several outputs can read the same batch.
protocol EmitTarget: AnyObject {
  func write(_ batch: borrowing RecordBatch) throws(Failure)
  /// Completes the output after the last batch, and verifies it.
  func seal() throws(Failure)
  func publish() throws(Failure)
  /// Describes the published output. Called once, after `publish`.
  func outcome(_ output: inout EmittedOutput)
}

/// Writes records to outputs, each in its form. The outputs are published at the end, when all of them are complete.
package final class Emitter: RecordSink {
  private let context: StageContext
  private let options: [EmitOptions]
  private let observe: (@Sendable ([any StageOutput]) -> Void)?
  private let notify: (@Sendable (any StageNotice) -> Void)?
  /// The fields that the formats of the outputs can't represent, and which of them records have.
  private var leftOut: [(formatLacks: RecordFieldSet, found: RecordFieldSet)] = []
  private var targets: [any EmitTarget] = []
  private let directories: MadeDirectories
  /// Nil if no output needs the check: stores check the order themselves.
  private var order: RecordOrder?

  /// Opens the outputs.
  ///
  /// - Parameters:
  ///   - provenance, countries: called at the end, for a manifest.
  ///   - notify: called at the end, if an output lacks something that the records have.
  ///   - observe: called with the published outputs, once all of them are published.
  package init(
    options: [EmitOptions], context: StageContext,
    provenance: (@Sendable () throws(Failure) -> RunProvenance?)? = nil,
    countries: @escaping @Sendable () -> CountryCounts? = { nil },
    notify: (@Sendable (any StageNotice) -> Void)? = nil,
    observe: (@Sendable ([any StageOutput]) -> Void)? = nil
  ) throws(Failure) {
    self.context = context
    directories = MadeDirectories(calls: context.calls)
    self.options = options
    self.observe = observe
    self.notify = notify
    if options.contains(where: { $0.format != .store }) { order = RecordOrder() }
    for option in options {
      try makeDirectory(of: option)
      // Not reported for stores: a phone has no use for sources and scores; nor are days, which decide what is listed.
      leftOut.append(
        (option.format == .store ? [] : RecordFieldSet.common.subtracting(option.fields), []))
      if option.isDirectory {
        targets.append(try ShardTarget(option, context, provenance: provenance, countries: countries))
      } else {
        targets.append(try option.format.makeTarget(option, context))
      }
    }
  }

  deinit {
    // Incomplete files are removed first, then the directories that were created for them.
    targets = []
    directories.removeEmpty()
  }

  /// Creates the directory of an output if it does not exist.
  private func makeDirectory(of option: EmitOptions) throws(Failure) {
    let path = option.isDirectory ? FilePath(option.output) : FilePath(option.output).removingLastComponent()
    guard option.output != OutputFile.standardOutput, !path.isEmpty else { return }
    try asFailure(.emit) { () throws(SystemError) in try directories.make(path.string) }
  }

  /// Writes a batch to every output.
  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    try order?.check(batch, after: context.meter.rowsIn.value, .emit)
    context.meter.rowsIn.add(batch.count)
    for target in targets { try target.write(batch) }
    noteFields(batch)
    context.meter.rowsOut.add(batch.count)
    batch.removeAll()
  }

  /// Completes all outputs, then publishes them. Without any records, an error: in a pipe, a command before this one may
  /// have failed before it wrote anything.
  package func finish() throws(Failure) {
    if context.meter.rowsIn.value == 0,
      let output = options.first(where: { $0.refusesEmpty(calls: context.calls) })
    {
      throw .noRecords(output.output)
    }
    for target in targets { try target.seal() }
    // The previous content is read before it is replaced, and only if it is reported.
    var outputs = options.map { EmittedOutput($0) }
    if observe != nil {
      for (index, options) in options.enumerated() {
        outputs[index].previous = EmittedOutput.Previous(options, calls: context.calls)
      }
    }
    for target in targets { try target.publish() }
    directories.keep()
    context.meter.finish()
    for (index, target) in targets.enumerated() { target.outcome(&outputs[index]) }
    observe?(outputs)
    if let notify { noteLosses(outputs, notify) }
  }

  /// Notes which fields the formats of the outputs can't represent and a batch's records have.
  private func noteFields(_ batch: borrowing RecordBatch) {
    for index in leftOut.indices where leftOut[index].found != leftOut[index].formatLacks {
      for fields in 0..<batch.fieldsTable.count {
        leftOut[index].found.formUnion(
          RecordFieldSet(of: batch.fieldsTable[fields]).intersection(leftOut[index].formatLacks))
      }
    }
  }

  private func noteLosses(_ outputs: [EmittedOutput], _ notify: (any StageNotice) -> Void) {
    for (index, output) in outputs.enumerated() {
      for notice in output.notices { notify(notice) }
      if !leftOut[index].found.isEmpty {
        notify(EmitNotice.fieldsLeftOut(leftOut[index].found, format: output.format, path: output.path))
      }
      if !output.replaced.isEmpty {
        notify(EmitNotice.fieldsReplaced(output.replaced, format: output.format, path: output.path))
      }
    }
  }
}

// MARK: - `emit` as a stage of a pipeline

extension StageName {
  package static let emit = StageName(rawValue: "emit")
}

package struct EmitPlan: StagePlan {
  package var outputs: [EmitOptions]

  package init(_ outputs: [EmitOptions]) {
    self.outputs = outputs
  }

  package var name: StageName { .emit }
  package var input: DataKind { .records }
  package var output: DataKind { .nothing }
  package var files: [StageFile] { outputs.flatMap(\.paths).map { StageFile($0, .output) } }
  /// True: writing a store is about as much work as a merge and a dedupe together.
  package var needsThread: Bool { true }

  package var countryChecks: [CountryCheck] { outputs.compactMap(\.countryCheck) }

  /// What the stage's outputs record about the sources of a run.
  package var provenanceLevel: ProvenanceLevel {
    outputs.filter(\.isDirectory).map { $0.shards.leavesOutSourceHashes ? .names : .hashes }.max() ?? .none
  }

  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    var options = outputs
    for index in options.indices { options[index].threads = environment.threads }
    let accepted = EmitOptions.defaultMaxEntries
    let tooHigh = outputs.filter { $0.format == .store && $0.maxEntries > accepted }
    if let limit = tooHigh.map(\.maxEntries).max() {
      environment.notify?(
        EmitNotice.maxEntriesTooHigh(
          limit: limit, accepted: accepted, isDirectory: tooHigh.allSatisfy(\.isDirectory)))
    }
    for notice in outputs.flatMap(\.notices) { environment.notify?(notice) }
    return .records(
      try Emitter(
        options: options, context: environment.context, provenance: environment.provenance,
        countries: environment.countries, notify: environment.notify, observe: environment.recordOutputs))
  }
}

extension EmittedOutput: StageOutput {}

// MARK: - What `emit` reports without failing

/// Something that the user should know about the outputs.
package enum EmitNotice: Equatable, StageNotice {
  /// Stores may have up to `limit` single numbers, but phones load at most `accepted`. `isDirectory`: the stores are
  /// shards of a directory.
  case maxEntriesTooHigh(limit: UInt64, accepted: UInt64, isDirectory: Bool)
  /// The format of an output has no blocked entries, so its patterns of labels have no effect.
  case unusedBlock(format: EmitFormat)
  case templateWithoutFields
  /// Records have fields that the format of an output can't represent; they are not in the output.
  case fieldsLeftOut(RecordFieldSet, format: EmitFormat, path: String)
  /// Some of these fields were written as something else, because the format can't represent their contents.
  case fieldsReplaced(RecordFieldSet, format: EmitFormat, path: String)
  /// Because of long labels, every answer of a Live Caller ID Lookup service has `answerBytes`.
  case longLabels(answerBytes: Int, path: String)
  case testIdentityReplaces(number: UInt64, path: String)
  /// The parameters of a Live Caller ID Lookup directory have changed: all shards have to be processed again.
  case parametersChanged(path: String)
  /// An output has more contacts than programs which read the format accept, `limit` of up to `numbersMax` numbers.
  case tooManyContacts(ContactCounts, limit: UInt64, numbersMax: Int, format: EmitFormat, path: String)
  /// Files that continue the names of an output's files, but are not part of it: the first one, and the last one if
  /// there are several.
  case otherBooks(first: String, last: String?)
}

extension EmitNotice {
  package var warning: UserMessage {
    switch self {
    case .maxEntriesTooHigh(let limit, let accepted, let isDirectory):
      UserMessage(
        "\(option: "max-entries") allows \(Figures.grouped(limit)) numbers in a file, more than a phone accepts in one request",
        hint: "use at most \(Figures.grouped(accepted))"
          + (isDirectory ? "" : ", or write a directory of shards with \(option: "format=", "store")"))
    case .unusedBlock(let format):
      UserMessage(
        "\(option: "block") has no effect: '\(format)' has one kind of entry",
        hint: "write a store, or only these records with 'cdpipe select --keep label=GLOB'")
    case .templateWithoutFields:
      UserMessage(
        "\(option: "template") has no field: the same text is written for each number",
        hint: "add a field, such as {+e164}")
    case .fieldsLeftOut(let fields, let format, let path):
      UserMessage(
        "'\(format.rawValue)' has no \(fields.phrase): those of the records are not in "
          + (path == "-" ? "the output" : "'\(path)'"))
    case .fieldsReplaced(let fields, let format, let path):
      UserMessage(
        "'\(format.rawValue)' can't represent some of the records' \(fields.phrase): they are different in "
          + (path == "-" ? "the output" : "'\(path)'"))
    case .longLabels(let answerBytes, let path):
      UserMessage(
        "'\(path)': because of long labels, every answer of the service has \(Figures.bytes(answerBytes))",
        hint: "shorten them in the source, or with \(option: "map-labels") of dedupe")
    case .testIdentityReplaces(let number, let path):
      UserMessage("'\(path)': the test identity replaces the record of \(number)")
    case .parametersChanged(let path):
      UserMessage(
        "'\(path)': the parameters have changed; all shards have to be processed again"
      )
    case .tooManyContacts(let counts, let limit, let numbersMax, let format, let path):
      UserMessage(
        "\(path == "-" ? "the output" : "'\(path)'") has \(Figures.grouped(counts.contacts)) entries, but programs that "
          + "read '\(format.rawValue)' accept \(Figures.grouped(limit)) with up to "
          + "\(Figures.counted(UInt64(numbersMax), "number")) each",
        hint: counts.advice(limit: limit, files: 1, isFile: path != "-"))
    case .otherBooks(let first, let last):
      UserMessage(
        "'\(first)'" + (last.map { " to '\($0)' are" } ?? " is") + " not part of this output",
        hint: "remove what an earlier run wrote")
    }
  }
}

/// Checks that records are disjoint and ascend.
struct RecordOrder {
  /// The highest number so far.
  private var previousLast: UInt64 = 0

  /// Throws if a record of the batch does not come after the one before it. `rows` is the number of records before the
  /// batch, for messages.
  mutating func check(
    _ batch: borrowing RecordBatch, after rows: UInt64, _ stage: StageName?
  ) throws(Failure) {
    guard !batch.isEmpty else { return }
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    var previous = previousLast
    previousLast = lasts[lasts.count - 1]
    // The top bit of each difference is set if the record comes after the one before it, as long as no number uses that
    // bit. Without comparisons, the compiler can use vector instructions.
    var differences = previous &- firsts[0]
    var numbers = previous | firsts[0]
    for row in 1..<firsts.count {
      differences &= lasts[row &- 1] &- firsts[row]
      numbers |= lasts[row &- 1] | firsts[row]
    }
    if differences & ~numbers & 1 << 63 != 0 { return }
    for row in firsts.indices {
      if firsts[row] <= previous {
        throw .notAscending(stage, first: firsts[row], previous: previous, row: rows + UInt64(row) + 1)
      }
      previous = lasts[row]
    }
  }
}

extension Failure {
  /// The list for an output is empty.
  static func noRecords(_ output: String) -> Failure {
    Failure(
      .emit, .badData, "no-records",
      "no records for '\(PrintableText.line(output))': an empty list is not written",
      hint:
        "look for an error of a command before this one; if the list may be empty, use \(option: "allow-empty")"
    )
  }

  /// A record does not come after the one before it.
  static func notAscending(_ stage: StageName?, first: UInt64, previous: UInt64, row: UInt64) -> Failure {
    first == previous
      ? Failure(
        stage, .badData, "not-ascending", "row \(row): the number \(first) occurs twice",
        hint: "add 'cdpipe dedupe' before this stage")
      : Failure(
        stage, .badData, "not-ascending",
        "row \(row): \(first) comes after \(previous); 'emit' needs records sorted and without duplicates",
        hint: "add 'cdpipe sort' and 'cdpipe dedupe' before this stage")
  }

  /// What was just written reads back with errors. The cause is the disk or the memory.
  private static func failedVerification(
    of what: String, _ reason: String, _ code: String, _ stage: StageName?
  ) -> Failure {
    Failure(
      stage, .inputOutput, code, "verification of the \(what) just written failed: \(reason)",
      hint: "check the disk and the memory; the previous file is unchanged")
  }

  package static func invalidStore(
    _ error: StoreVerificationError, path: String, _ stage: StageName? = .emit
  ) -> Failure {
    failedVerification(of: "store", error.userMessage(path: path).message, "invalid-store", stage)
  }

  static func invalidDelta(_ error: DeltaVerificationError, path: String) -> Failure {
    failedVerification(of: "delta", error.userMessage(path: path).message, "invalid-delta", .emit)
  }

  static func invalidDatabase(_ text: String, path: String, _ stage: StageName?) -> Failure {
    failedVerification(of: "database", "'\(path)': \(text)", "invalid-database", stage)
  }

  /// The output would replace a directory that is used for something else.
  static func unusableDirectory(_ use: String, hint: String) -> Failure {
    Failure(.emit, .usage, "unusable-directory", use, hint: hint)
  }
}
