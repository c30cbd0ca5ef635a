// Messages for errors of `emit`.

import StoreWriting
package import Records

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
