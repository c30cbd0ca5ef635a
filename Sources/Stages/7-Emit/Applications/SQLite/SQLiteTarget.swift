// An SQLite database of records as an output. SQLite writes into the file that EmitFile opened under a temporary name.
//
// Not for: SQLite itself (RecordDatabase).

import BasicContainers
import Records
import SystemIO
import SystemPackage

extension EmitFormatDescription {
  static let sqlite = EmitFormatDescription(
    .sqlite, extensions: ["sqlite", "sqlite3", "db"], fields: .all, ranges: .bounds
  ) { (options, context) throws(Failure) in try SQLiteTarget(options, context) }
}

/// Writes records into the table of a database.
final class SQLiteTarget: EmitTarget {
  private let stage: StageName
  private let path: String
  private let file: EmitFile
  /// Nil after the database is complete.
  private var database: RecordDatabase?
  private var row: UInt64 = 0
  /// The last number so far.
  private var previous: UInt64?
  private var bytes: UInt64 = 0

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    stage = context.stage
    path = options.output
    file = try EmitFile(options.output, context)
    guard let descriptor = file.newFile else {
      throw Failure(context.stage, EmitError.needsFile(options.format, path: options.output))
    }
    do throws(RecordDatabaseError) {
      database = try RecordDatabase(descriptor)
    } catch {
      throw failure(error)
    }
  }

  deinit {
    // Before the file is closed.
    database = nil
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    try checkOrder(batch)
    do throws(RecordDatabaseError) {
      try database?.insert(batch)
    } catch {
      throw failure(error)
    }
    row += UInt64(batch.count)
  }

  /// Throws if a record does not come after the one before it, as where several stores are one output.
  private func checkOrder(_ batch: borrowing RecordBatch) throws(Failure) {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    for index in firsts.indices {
      if let previous, firsts[index] <= previous {
        throw Failure(
          stage,
          EmitError.notAscending(first: firsts[index], previous: previous, row: row + UInt64(index) + 1))
      }
      previous = lasts[index]
    }
  }

  func seal() throws(Failure) {
    do throws(RecordDatabaseError) {
      try database?.finish()
    } catch {
      throw failure(error)
    }
    database = nil
    bytes = try file.size()
  }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) { output.bytes = bytes }

  private func failure(_ error: RecordDatabaseError) -> Failure {
    switch error {
    case .libraryMissing(let name):
      // The Debian package; most distributions use a similar name.
      Failure(stage, EmitError.libraryMissing(name: name, package: "libsqlite3-0"))
    case .library(let systemError): Failure(stage, systemError)
    case .output(let code): Failure(stage, SystemError(.writeOutput, path, code))
    case .temporary(let code):
      Failure(stage, SystemError(.writeSpill, TemporaryFile.defaultDirectory, code))
    case .invalid(let text): Failure(stage, EmitError.invalidDatabase(text, path: path))
    }
  }
}
