// `cdpipe lookup`

import ArgumentParser
import CallStoreFormat
import InputStages
import NumberPlan
import RecordStages
import Records
import Runner
import StoreWriting
import SystemIO
import SystemPackage

struct LookupCommand: ManyOperandsCommand {
  static let configuration = CommandConfiguration(
    commandName: "lookup", abstract: "Look up numbers in lists.",
    discussion: """
      Prints each number that is found and its label, separated by a tab; with several lists, also the name of the list. \
      Numbers inside a range are found, too. Lists are stores and directories, which are searched as they are, and all \
      that 'stats' reads, of which a temporary store is made. An argument of digits is a number; any other argument that names a file or \
      a directory is a list; '-' stands for the numbers on standard input, one per line. Numbers are E.164 digits; with \
      --region, they are read as 'normalize' reads them.

      A pattern ('+82 70 XXXX XXXX', '8675*' or A..B) lists the records with numbers that it matches; with --prefix, a \
      number lists those with numbers that start with its digits. Records are in ascending order, ranges as the list has \
      them. '*' stands for any number of digits.

      The exit status is 1 if a number or a pattern is not found, 65 if a line of standard input is not a number.
      """)

  @Argument(
    help: ArgumentHelp("The numbers and the lists to search, in any order.", valueName: "number|file"),
    completion: .store)
  var arguments: [String]

  @Option(
    help: ArgumentHelp("The region of numbers without a country calling code.", valueName: "cc"),
    completion: .region,
    transform: Region.typed)
  var region: Region?

  @Flag(help: "Read each number as a prefix: list the records with numbers that start with it.")
  var prefix = false

  @Flag(help: "Print one JSON object per line, with the record and its kind.")
  var json = false

  @OptionGroup(title: "Options for parsing raw rows") var parse: ParseFields<ParseFormatName>

  @OptionGroup var colours: ColourOptions

  var operands: [String] {
    get { arguments }
    set { arguments = newValue }
  }

  /// The name of the command in errors and rejects.
  private static let stage = StageName(rawValue: "lookup")

  func validate() throws {
    if arguments.isEmpty { throw ValidationError("Missing expected argument '<number|file> ...'") }
    if arguments.count(where: { $0 == InputFile.standardInput }) > 1 {
      throw ValidationError("only one argument can be '-', standard input")
    }
  }

  private enum Wanted {
    case query(LookupQuery, text: String)
    case standardInput
  }

  func run() throws {
    let diagnostics = Diagnostics(command: "lookup")
    // A link counts even if its destination is missing: the message names both.
    let lists = arguments.filter {
      $0 != InputFile.standardInput && !NumberLookup.isDigits($0) && SymbolicLink.exists($0)
    }
    let wanted = try wanted(besides: Set(lists), diagnostics)
    if wanted.isEmpty { throw diagnostics.end(LookupText.noNumber(lists), ExitStatus.usage) }
    TerminalInput.announce(arguments)
    let meter = StageMeter(Self.stage)
    let (stores, failed) = try searchable(lists, diagnostics)
    let answers: LookupAnswers
    do throws(Failure) {
      let rejects = try RejectLog { reject, _ in Diagnostics.log(reject) }
      let lookup = try ListLookup(stores.map(\.path), names: stores.map(\.list))
      answers = try LookupAnswers(lookup, namesLists: lists.count > 1, isJSON: json, Self.stage)
      try lookUp(wanted, answers, StageContext(meter: meter, rejects: rejects))
    } catch {
      throw diagnostics.end(error)
    }
    var status: ExitCode?
    if answers.missingCount > 0 {
      status = diagnostics.end(
        LookupText.missing(answers.missing, count: answers.missingCount, in: stores.map(\.list)),
        ExitStatus.no)
    }
    if meter.rejects.value > 0 {
      status = diagnostics.end(
        LookupText.unreadableLines(meter.rejects.value, of: meter.rowsIn.value), ExitStatus.badData)
    }
    if let status = failed ?? status { throw status }
  }

  /// The lists that can be searched, and the status of the first one that can't be read. Throws it if there are none.
  private func searchable(
    _ lists: [String], _ diagnostics: Diagnostics
  ) throws -> (stores: [SearchableList], failed: ExitCode?) {
    var stores: [SearchableList] = []
    var failed: ExitCode?
    let options = parse.options(isStrict: false)
    for list in lists {
      do throws(Failure) {
        stores.append(try SearchableList(list, options, region))
      } catch {
        let status = diagnostics.end(error)
        guard error.blamesSource else { throw status }
        failed = failed ?? status
      }
    }
    if stores.isEmpty, let failed { throw failed }
    return (stores, failed)
  }

  private var reading: NumberLookup { NumberLookup(region: region, arePrefixes: prefix) }

  /// The numbers among the arguments, in their order. All of them are read before the first lookup.
  private func wanted(besides lists: Set<String>, _ diagnostics: Diagnostics) throws -> [Wanted] {
    let reading = reading
    let texts = arguments.filter { !lists.contains($0) }
    let wanted = try texts.map { text -> Wanted in
      if text == InputFile.standardInput { return .standardInput }
      do throws(NormalizeReject) {
        return .query(try reading.query(text), text: text)
      } catch {
        if lists.isEmpty, texts.count > 1, error == .notANumber {
          // Next to numbers, it is most likely the name of a list that is missing.
          let missing = SystemError(.openInput, text, .noSuchFileOrDirectory)
          throw diagnostics.end(Failure(nil, missing))
        }
        throw diagnostics.end(LookupText.unreadable(text, error, region), ExitStatus.usage)
      }
    }
    if lists.isEmpty {
      let numbers = texts.filter { $0 != InputFile.standardInput }
      let files = numbers.filter { SymbolicLink.exists($0) }
      throw diagnostics.end(
        LookupText.noList(numbers, files: files, hasInput: numbers.count < texts.count), ExitStatus.usage)
    }
    return wanted
  }

  private func lookUp(
    _ wanted: [Wanted], _ answers: LookupAnswers, _ context: StageContext
  ) throws(Failure) {
    do throws(Failure) {
      for one in wanted {
        switch one {
        case .query(let query, let text): try answers.write(query, text)
        case .standardInput: try lookUpInput(answers, context)
        }
      }
    } catch {
      // What was found before the error is valid.
      try answers.finish()
      throw error
    }
    try answers.finish()
  }

  /// Looks up the numbers on standard input. The answers to what was read are written before more is read, so that
  /// another program can wait for them.
  private func lookUpInput(_ answers: LookupAnswers, _ context: StageContext) throws(Failure) {
    let rows = LookupRows(reading, answers, context)
    let reader = RawRowReader(context: context, downstream: rows)
    var input = try asFailure(Self.stage) { () throws(SystemError) in
      try InputFile(InputFile.standardInput)
    }
    var chunk = ByteChunk()
    while true {
      let count = try asFailure(Self.stage) { () throws(SystemError) in try input.read(into: &chunk) }
      if count == 0 { break }
      answers.refresh()
      try reader.receive(&chunk)
      chunk.removeAll()
      try reader.passRows()
      try answers.flush()
    }
    try reader.finish()
  }
}

/// The store that a list is searched in: the list itself, or one made of it, in a file that has no name any more.
private struct SearchableList {
  let list: String
  let path: String

  init(_ list: String, _ options: ParseOptions, _ region: Region?) throws(Failure) {
    self.list = list
    do throws(Failure) {
      path = try Self.path(of: list, options, region)
    } catch {
      throw Self.described(error, list)
    }
  }

  /// An error of a stage that reads the list, with its name, and with a hint that has no option that `lookup` lacks.
  private static func described(_ error: Failure, _ list: String) -> Failure {
    guard error.stage == .parse || error.stage == .normalize else { return error }
    var failure = error
    if !error.message.message.contains(list) {
      failure.message = error.message.prefixed("\(InputName.quoted(list)): ")
    }
    if let hint = error.message.hint, hint.contains("--rejects") || hint.contains(" | ") {
      failure.message = UserMessage(
        failure.message.sentence,
        hint: (error.stage == .normalize ? "check \(option: "region", "CC"), or " : "")
          + "make a store of it: cdpipe convert \(ShellQuoting.quoted(list)) -o list.cdstore")
    }
    return failure
  }

  private static func path(
    of list: String, _ options: ParseOptions, _ region: Region?
  ) throws(Failure) -> String {
    let isRaw = region != nil || options != ParseOptions()
    var options = options
    options.encoding = options.encoding ?? ParseOptions.recognisedEncoding
    guard case .file = try ListInput(list), FileKind(of: FilePath(list)) == .regular,
      let source = try StatsPipeline.textSource(
        list, [ParsePlan(options), NormalizeOptions(region: region)], isRaw: isRaw)
    else { return list }
    let name = "cdpipe-lookup-\(RunningProcess.identifier)-\(UInt64.random(in: 0...UInt64.max)).cdstore"
    var output = EmitOptions(
      format: .store, output: FilePath(TemporaryFile.defaultDirectory).appending(name).string)
    output.maxEntries = .max
    output.allowsEmpty = true
    Interruption.cleanUp()
    let log = try RejectLog()
    let run = try PipelineRun(
      Pipeline(
        sources: [source], stages: [SortOptions(), DedupeOptions(), EmitPlan([output])],
        threads: Threads.count(nil)), rejects: log,
      notify: Self.show)
    try run.execute()
    if log.count > 0 {
      Diagnostics(command: "lookup").warn(
        UserMessage(
          "\(Figures.counted(log.count, "row")) of \(InputName.quoted(list)) can't be read",
          hint: "list them with: cdpipe stats \(ShellQuoting.quoted(list)) --rejects FILE"))
    }
    return try unnamed(output.output)
  }

  private static let show: @Sendable (any StageNotice) -> Void = { notice in
    switch notice {
    case let notice as InputNotice:
      let diagnostics = Diagnostics(command: "lookup")
      if case .encoding(_, .plausible) = notice.finding, let note = notice.note { diagnostics.log(note) }
      for warning in notice.warnings { diagnostics.warn(warning) }
    // What is said about outputs is not about this store.
    case let notice as CountryNotice where notice.stage == .emit: break
    case is EmitNotice: break
    default: PipelineCommand.show(notice)
    }
  }

  /// Removes the name of a file, and returns the path by which it can still be opened.
  private static func unnamed(_ file: String) throws(Failure) -> String {
    do throws(SystemError) {
      return try asSystemError(.openInput, file) { () throws(Errno) in
        let calls = KernelCalls()
        let descriptor = try calls.open(FilePath(file), .readOnly, [], [])
        try calls.unlink(FilePath(file))
        return "/dev/fd/\(descriptor.rawValue)"
      }
    } catch {
      throw Failure(nil, error)
    }
  }
}

/// Looks up numbers, prefixes and patterns, and writes the records that contain them.
final class LookupAnswers {
  private let lookup: ListLookup
  private let namesLists: Bool
  private let isJSON: Bool
  private let writer: TextWriter
  /// The first numbers that were not found, as they were typed.
  private(set) var missing: [String] = []
  /// The number of numbers that were not found.
  private(set) var missingCount: UInt64 = 0

  init(_ lookup: ListLookup, namesLists: Bool, isJSON: Bool, _ stage: StageName) throws(Failure) {
    self.lookup = lookup
    self.namesLists = namesLists
    self.isJSON = isJSON
    writer = try TextWriter(OutputFile.standardOutput, stage)
  }

  /// Looks up a number, and writes a line for each list that contains it; or all records with numbers of a pattern.
  func write(_ query: LookupQuery, _ text: String) throws(Failure) {
    var isFound = false
    switch query {
    case .number(let number):
      for match in try lookup.matches(of: number) {
        isFound = true
        try write(number, "\(number)", match)
      }
    case .ranges(let ranges):
      try lookup.forEachMatch(in: ranges) { (number, match) throws(Failure) in
        isFound = true
        let record = match.first == match.last ? "\(match.first)" : "\(match.first)..\(match.last)"
        try write(number, record, match)
      }
    }
    if isFound { return }
    missingCount += 1
    if missing.count < LookupText.namedNumbersMax { missing.append(text) }
  }

  private func write(_ number: UInt64, _ numbers: String, _ match: ListLookup.Match) throws(Failure) {
    // A list is named only if there are several.
    let list = namesLists ? match.list : nil
    try writer.write(
      (isJSON ? Self.json(number, match, list) : Self.line(numbers, match.label, list)) + "\n")
  }

  /// Opens directories again that were replaced.
  func refresh() { lookup.refresh() }

  /// Passes on what was written so far.
  func flush() throws(Failure) { try writer.flush() }

  /// Ends the output.
  func finish() throws(Failure) { try writer.finish() }

  private static func line(_ numbers: String, _ label: String, _ list: String?) -> String {
    let recordFields = RecordFields.bytes(RecordFields.Fields(label: label, source: list ?? ""))
    return recordFields.isEmpty ? numbers : "\(numbers)\t\(String(decoding: recordFields, as: UTF8.self))"
  }

  /// The JSON form of a record that was found.
  private struct RecordDocument: Encodable {
    var number: UInt64
    var kind: String
    var first: UInt64
    var last: UInt64
    var label: String
    var list: String?
  }

  private static func json(_ number: UInt64, _ match: ListLookup.Match, _ list: String?) -> String {
    let found = RecordDocument(
      number: number, kind: match.kind == .blocking ? "blocking" : "identification", first: match.first,
      last: match.last, label: match.label, list: list)
    return JSONLine.text(found)
  }
}

/// Looks up the numbers and patterns of rows: of each line, the text before the first tab.
final class LookupRows: RawRowSink {
  private let reading: NumberLookup
  private let answers: LookupAnswers
  private let context: StageContext

  init(_ reading: NumberLookup, _ answers: LookupAnswers, _ context: StageContext) {
    self.reading = reading
    self.answers = answers
    self.context = context
  }

  func receive(_ batch: inout RawRowBatch) throws(Failure) {
    context.meter.rowsIn.add(batch.count)
    for row in 0..<batch.count {
      var text = [UInt8](copying: batch[textAt: row])
      // Lines may end in CR LF.
      if text.last == Byte.carriageReturn { text.removeLast() }
      if text.isEmpty { continue }
      let typed = String(decoding: text, as: UTF8.self)
      let query: LookupQuery
      do throws(NormalizeReject) {
        query = try reading.query(typed)
      } catch {
        try context.reject(.row(batch.firstOrdinal + UInt64(row)), error, text: text.span)
        continue
      }
      try answers.write(query, typed)
    }
  }

  func finish() throws(Failure) {}
}
