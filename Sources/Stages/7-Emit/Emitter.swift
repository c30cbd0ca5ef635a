// The emit stage: writes disjoint, ascending records to one or more outputs.

import BasicContainers
package import Records
import StoreWriting
import SystemIO
import SystemPackage

/// One output of records. It does not change batches, so that several outputs can read the same batch.
package protocol EmitTarget: AnyObject {
  /// Writes a batch.
  func write(_ batch: borrowing RecordBatch) throws(Failure)
  /// Completes the output after the last batch, and verifies it.
  func seal() throws(Failure)
  /// Publishes the output under its name.
  func publish() throws(Failure)
  /// Describes the published output. Called once, after `publish`.
  func outcome(_ output: inout EmittedOutput)
}

/// Writes records to outputs, each in its form. The outputs are published at the end, when all of them are complete.
package final class Emitter: RecordSink {
  private let context: StageContext
  private let options: [EmitOptions]
  private let formats: EmitFormatTable
  private let observe: (@Sendable ([any StageOutput]) -> Void)?
  private let notify: (@Sendable (any StageNotice) -> Void)?
  /// The fields that the formats of the outputs can't represent, and which of them records have.
  private var leftOut: [(formatLacks: RecordFieldSet, found: RecordFieldSet)] = []
  private var targets: [any EmitTarget] = []
  private let directories: MadeDirectories
  /// The highest number so far, if an output needs the check: stores check the order themselves.
  private var previousLast: UInt64?

  /// Opens the outputs.
  ///
  /// - Parameters:
  ///   - formats: the formats other than stores.
  ///   - provenance, countries: called at the end, for a manifest.
  ///   - notify: called at the end, if an output lacks something that the records have.
  ///   - observe: called with the published outputs, once all of them are published.
  package init(
    options: [EmitOptions], formats: EmitFormatTable = .general, context: StageContext,
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
    self.formats = formats
    if options.contains(where: { $0.format != .store }) { previousLast = 0 }
    for option in options {
      try makeDirectory(of: option)
      let fields = formats.description(of: option.format)?.fields
      leftOut.append((fields.map { RecordFieldSet.all.subtracting($0) } ?? [], []))
      if let format = formats.description(of: option.format) {
        targets.append(try format.makeTarget(option, context))
      } else if option.isDirectory {
        targets.append(try ShardTarget(option, context, provenance: provenance, countries: countries))
      } else {
        targets.append(try StoreTarget(option, context))
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
    do throws(SystemError) {
      try directories.make(path.string)
    } catch {
      throw Failure(.emit, error)
    }
  }

  /// Writes a batch to every output.
  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    try checkOrder(batch)
    context.meter.rowsIn.add(batch.count)
    for target in targets { try target.write(batch) }
    noteFields(batch)
    context.meter.rowsOut.add(batch.count)
    batch.removeAll()
  }

  /// Throws if a record of the batch does not come after the one before it.
  private func checkOrder(_ batch: borrowing RecordBatch) throws(Failure) {
    guard let previousLast, !batch.isEmpty else { return }
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    self.previousLast = lasts[lasts.count - 1]
    // The top bit of each difference is set if the record comes after the one before it, as long as no number uses that
    // bit. Without comparisons, the compiler can use vector instructions.
    var differences = previousLast &- firsts[0]
    var numbers = previousLast | firsts[0]
    for row in 1..<firsts.count {
      differences &= lasts[row &- 1] &- firsts[row]
      numbers |= lasts[row &- 1] | firsts[row]
    }
    if differences & ~numbers & 1 << 63 != 0 { return }
    var previous = previousLast
    for row in firsts.indices {
      if firsts[row] <= previous {
        throw Failure(
          .emit,
          EmitError.notAscending(
            first: firsts[row], previous: previous, row: context.meter.rowsIn.value + UInt64(row) + 1))
      }
      previous = lasts[row]
    }
  }

  /// Completes all outputs, then publishes them.
  package func finish() throws(Failure) {
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
      if let limit = formats.description(of: output.format)?.entriesMax, let entries = output.entries,
        entries > limit
      {
        notify(EmitNotice.tooManyEntries(entries, limit: limit, format: output.format, path: output.path))
      }
    }
  }
}

// MARK: - `emit` as a stage of a pipeline

extension StageName {
  /// The stage that writes records to files.
  package static let emit = StageName(rawValue: "emit")
}

/// The outputs of a pipeline.
package struct EmitPlan: StagePlan {
  /// The options of each output.
  package var outputs: [EmitOptions]
  /// The formats other than stores.
  package var formats: EmitFormatTable

  /// Makes a plan.
  package init(_ outputs: [EmitOptions], formats: EmitFormatTable = .general) {
    self.outputs = outputs
    self.formats = formats
  }

  /// The stage's name.
  package var name: StageName { .emit }
  /// The kind of data that flows in.
  package var input: DataKind { .records }
  /// The kind of data that flows out.
  package var output: DataKind { .nothing }
  /// The files that the stage reads or writes besides the data that flows through it.
  package var files: [StageFile] { outputs.map { StageFile($0.output, .output) } }
  /// True: writing a store is about as much work as a merge and a dedupe together.
  package var needsThread: Bool { true }

  /// What the outputs require of the numbers.
  package var countryChecks: [CountryCheck] { outputs.compactMap(\.countryCheck) }

  /// What the stage's outputs record about the sources of a run.
  package var provenanceLevel: ProvenanceLevel {
    outputs.filter(\.isDirectory).map { $0.shards.leavesOutSourceHashes ? .names : .hashes }.max() ?? .none
  }

  /// Builds the stage. It passes nothing on to `downstream`.
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
    for output in outputs {
      if let fitting = formats.formats(fitting: output.output), !fitting.contains(output.format) {
        environment.notify?(EmitNotice.otherName(format: output.format, path: output.output))
      }
    }
    return .records(
      try Emitter(
        options: options, formats: formats, context: environment.context, provenance: environment.provenance,
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
  /// Records have fields that the format of an output can't represent; they are not in the output.
  case fieldsLeftOut(RecordFieldSet, format: EmitFormat, path: String)
  /// Some of these fields were written as something else, because the format can't represent their contents.
  case fieldsReplaced(RecordFieldSet, format: EmitFormat, path: String)
  /// The extension of an output's name is known and is not one of its format, which was chosen.
  case otherName(format: EmitFormat, path: String)
  /// Because of long labels, every answer of a Live Caller ID Lookup service has `answerBytes`.
  case longLabels(answerBytes: Int, path: String)
  /// The list has a record of the number of the test identity, which replaced it.
  case testIdentityReplaces(number: UInt64, path: String)
  /// The parameters of a Live Caller ID Lookup directory have changed: all shards have to be processed again.
  case parametersChanged(path: String)
  /// An output has more entries than programs which read the format accept.
  case tooManyEntries(UInt64, limit: UInt64, format: EmitFormat, path: String)
}

// MARK: - Messages for errors of `emit`

extension EmitError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .notAscending(let first, let previous, let row) where first == previous:
      UserMessage(
        "row \(row): the number \(first) occurs twice", hint: "add 'cdpipe dedupe' before this stage")
    case .notAscending(let first, let previous, let row):
      UserMessage(
        "row \(row): \(first) comes after \(previous); 'emit' needs records sorted and without duplicates",
        hint: "add 'cdpipe sort' and 'cdpipe dedupe' before this stage")
    case .notForStore(let error, let row): error.userMessage(row: row)
    case .tooManyEntries(let count, let limit, let shards): Self.tooManyEntries(count, limit, shards)
    case .tooManyShards(let limit, let maxEntries, let entries):
      Self.tooManyShards(limit, maxEntries, entries)
    case .rangesTooLong(let format, let limit):
      UserMessage(
        "'\(format.rawValue)' has no ranges, and those of the records have more than \(Figures.grouped(limit)) numbers",
        hint:
          "allow more with --expand-max, or choose a format with ranges or patterns: cdpipe emit --formats")
    case .tooManyPatterns(let format, let limit):
      UserMessage(
        "'\(format.rawValue)' writes ranges as patterns, and these records need more than \(Figures.grouped(limit))",
        hint: "allow more with --expand-max, or choose a format with ranges: cdpipe emit --formats")
    case .tooManyForFormat(let format, let limit):
      UserMessage(
        "'\(format.rawValue)' has at most \(Figures.grouped(limit)) numbers",
        hint: "keep the most important ones: cdpipe dedupe --limit \(limit)")
    case .invalidStore(let error, let path):
      Self.failedVerification(of: "store", error.userMessage(path: path).message)
    case .invalidDelta(let error, let path):
      Self.failedVerification(of: "delta", error.userMessage(path: path).message)
    case .invalidDatabase(let text, let path):
      Self.failedVerification(of: "database", "'\(path)': \(text)")
    case .needsFile(let format, let path):
      UserMessage(
        "'\(format.rawValue)' can't be written to "
          + (path == "-" ? "standard output" : "'\(path)', which is not a file"),
        hint: "use -o FILE.\(format.rawValue)")
    case .unusableDirectory(let directory, let use): Self.unusableDirectory(directory, use)
    case .libraryMissing(let name, let package):
      UserMessage(
        "cannot load \(name)", hint: "install the package \(package); the other formats need no library")
    case .bootstrapLabelsTooLarge(let limit):
      UserMessage(
        "the labels of the bootstrap store exceed \(Figures.bytes(limit))",
        hint: "use a smaller --bootstrap")
    case .manifestTooLarge(let bytes, let limit):
      UserMessage(
        "the manifest would have \(Figures.bytes(bytes)); the maximum is \(Figures.bytes(limit))",
        hint: "use a larger --delta-entries")
    case .locked(let directory, let holder):
      UserMessage(
        "'\(directory)' is locked by "
          + (holder.map { "process \($0.process), since \($0.since)" } ?? "another cdpipe"),
        hint: "try again when it has finished; nothing was changed")
    case .isTerminal: UserMessage("a store is not written to a terminal", hint: "use -o FILE.cdstore")
    }
  }

  private static func unusableDirectory(_ directory: String, _ use: DirectoryUse) -> UserMessage {
    switch use {
    case .otherFiles(let name):
      UserMessage(
        "'\(directory)' contains other files, such as '\(name)'",
        hint: "choose a directory that is missing, empty, or an earlier output of --format pir")
    case .lookup:
      UserMessage(
        "'\(directory)' is a Live Caller ID Lookup directory", hint: "choose another directory for the shards"
      )
    case .workingDirectory:
      UserMessage(
        "'\(directory)' contains the working directory, so it can't be replaced",
        hint: "run it from another directory")
    }
  }

  private static func tooManyEntries(_ count: UInt64, _ limit: UInt64, _ shards: UInt64) -> UserMessage {
    UserMessage(
      "\(Figures.grouped(count)) numbers exceed the capacity of one store (\(Figures.grouped(limit)))",
      hint: shards > EmitOptions.shardsMax
        ? "check the ranges: these numbers exceed \(Figures.grouped(UInt64(EmitOptions.shardsMax))) shards as well"
        : "use --format=store -o DIRECTORY to write \(Figures.grouped(shards)) shards")
  }

  private static func tooManyShards(_ limit: Int, _ maxEntries: UInt64, _ entries: UInt64) -> UserMessage {
    UserMessage(
      "the numbers need more than \(Figures.grouped(UInt64(limit))) shards of \(Figures.grouped(maxEntries))"
        + (entries == 0 ? "" : ": stopped after \(Figures.grouped(entries)) numbers"),
      hint: limit == EmitOptions.shardsMax
        ? "check the ranges: is one longer than intended?"
        : "allow more with --shards; no file was replaced")
  }

  private static func failedVerification(of what: String, _ reason: String) -> UserMessage {
    UserMessage(
      "verification of the \(what) just written failed: \(reason)",
      hint: "check the disk and the memory; the previous file is unchanged")
  }
}

extension EmitNotice {
  /// The notice as a warning.
  package var warning: UserMessage {
    switch self {
    case .maxEntriesTooHigh(let limit, let accepted, let isDirectory):
      UserMessage(
        "--max-entries allows \(Figures.grouped(limit)) numbers in a file, more than a phone accepts in one request",
        hint: "use at most \(Figures.grouped(accepted))"
          + (isDirectory ? "" : ", or write a directory of shards with --format=store"))
    case .fieldsLeftOut(let fields, let format, let path):
      UserMessage(
        "'\(format.rawValue)' has no \(EmitFormatMessages.names(of: fields)): those of the records are not in "
          + (path == "-" ? "the output" : "'\(path)'"))
    case .fieldsReplaced(let fields, let format, let path):
      UserMessage(
        "'\(format.rawValue)' can't represent some of the records' \(EmitFormatMessages.names(of: fields)): they are different in "
          + (path == "-" ? "the output" : "'\(path)'"))
    case .otherName(let format, let path):
      UserMessage("'\(path)' has the name of another format, but is written as '\(format.rawValue)'")
    case .longLabels(let answerBytes, let path):
      UserMessage(
        "'\(path)': because of long labels, every answer of the service has \(Figures.bytes(answerBytes))",
        hint: "shorten them in the source, or with --map-labels of dedupe")
    case .testIdentityReplaces(let number, let path):
      UserMessage("'\(path)': the test identity replaces the record of \(number)")
    case .parametersChanged(let path):
      UserMessage(
        "'\(path)': the parameters have changed; all shards have to be processed again"
      )
    case .tooManyEntries(let entries, let limit, let format, let path):
      UserMessage(
        "\(path == "-" ? "the output" : "'\(path)'") has \(Figures.grouped(entries)) entries, but programs that read "
          + "'\(format.rawValue)' accept \(Figures.grouped(limit))",
        hint: "keep the most important ones: cdpipe dedupe --limit \(limit)")
    }
  }
}
