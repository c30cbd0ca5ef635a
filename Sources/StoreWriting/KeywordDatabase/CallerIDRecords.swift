// The records of a Live Caller ID Lookup directory: the rows of all shards of both databases, merged by
// number.

import BasicContainers
package import Records
package import SystemIO

/// Reads a directory as a list in ascending order: each number with its name, or without one if it is only blocked.
///
/// A number that has neither a name nor is blocked is left out: the rows that fill empty shards, and those that state
/// that a number is not blocked.
///
/// Memory: a buffer for each shard, or for each ``shardsPerRun`` shards; those are merged into a temporary file first.
package struct CallerIDRecords: RecordSource, ~Copyable {
  /// The maximum number of shards of a database that are merged without a temporary file.
  package static let shardsPerRun = 256

  private let directory: CallerIDFolder
  private let calls: any SystemCalls
  /// All shards or runs; nil until the first record is read.
  private var merge: RowMerge?
  private var rows: [CallerIDUse: UInt64] = [:]
  package let part: String
  package private(set) var firstRow: UInt64 = 1
  package private(set) var areBlocked: [Bool] = []
  /// Whether the current record is still to be put into a batch.
  private var isPending = false

  private var number: UInt64 = 0
  private var isBlocked = false
  /// The record fields of the current record: its label, or nothing.
  private var recordFields: [UInt8] = []

  /// Prepares reading. No shard is opened. `name` is the directory as the user named it.
  package init(_ directory: CallerIDFolder, name: String? = nil, calls: any SystemCalls = KernelCalls()) {
    self.directory = directory
    self.calls = calls
    part = name ?? directory.manifestPath
  }

  /// Advances to the next record; false if there are no more.
  private mutating func advance() throws(Failure) -> Bool {
    if merge == nil { merge = try Self.merge(directory, calls) }
    while let number = merge?.number, number != .max {
      self.number = number
      isBlocked = false
      recordFields = []
      var use: CallerIDUse?
      while let same = merge?.number, same == number, let current = merge?.use {
        // The row of the identity comes first.
        if current == use {
          throw .duplicateNumber(number, use: current, directory: directory.manifestPath)
        }
        use = current
        if merge?.isPadding == false { rows[current, default: 0] += 1 }
        switch current {
        case .identity: recordFields = merge?.label ?? []
        case .block: isBlocked = merge?.isBlocked ?? false
        }
        try merge?.advance()
      }
      if isBlocked || !recordFields.isEmpty { return true }
    }
    // A file that was cut between two rows has nothing else that is wrong.
    for use in CallerIDUse.allCases where rows[use, default: 0] != directory.manifest[use].rows {
      throw .contradiction(path: directory.manifestPath, key: "\(use.rawValue).rows")
    }
    return false
  }

  /// Fills a batch with records that are all of the same directory. A file is open only while bytes are read, so the
  /// directory is checked after that.
  package mutating func next(_ batch: inout RecordBatch) throws(Failure) -> Bool {
    let isFilled: Bool
    do throws(Failure) {
      isFilled = try fill(&batch)
      try directory.checkUnchanged()
    } catch {
      // The error of a file may come from another directory, and so may the records.
      guard directory.isReplaced else { throw error }
      batch.removeAll()
      areBlocked.removeAll()
      throw .replaced(path: directory.manifestPath)
    }
    return isFilled
  }

  private mutating func fill(_ batch: inout RecordBatch) throws(Failure) -> Bool {
    firstRow += UInt64(areBlocked.count)
    areBlocked.removeAll(keepingCapacity: true)
    while true {
      if !isPending {
        guard try advance() else { return !batch.isEmpty }
        isPending = true
      }
      guard batch.append(first: number, last: number, recordFields: recordFields.span) else { return true }
      areBlocked.append(isBlocked)
      isPending = false
    }
  }

  // MARK: Runs

  private static func merge(
    _ directory: CallerIDFolder, _ calls: any SystemCalls
  ) throws(Failure) -> RowMerge {
    var inputs: [(CallerIDUse, RowSource)] = []
    let needsRuns = CallerIDUse.allCases.contains { directory.manifest[$0].shards > shardsPerRun }
    let runs = try asFailure(nil) { () throws(SystemError) in try needsRuns ? RunFile(calls) : nil }
    for use in CallerIDUse.allCases {
      let shards = directory.manifest[use].shards
      let sources = (0..<shards).map { (use, RowSource.shard(path: directory.file(use.database($0)))) }
      guard shards > shardsPerRun, let runs else {
        inputs += sources
        continue
      }
      for start in stride(from: 0, to: shards, by: shardsPerRun) {
        let group = Array(sources[start..<min(start + shardsPerRun, shards)])
        let range = try run(of: group, in: runs, calls)
        inputs.append((use, .run(runs, range)))
      }
    }
    return try RowMerge(inputs, calls)
  }

  /// Merges shards into a run, and returns its place in the file.
  private static func run(
    of sources: [(CallerIDUse, RowSource)], in file: RunFile, _ calls: any SystemCalls
  ) throws(Failure) -> Range<Int64> {
    let start = file.file.size
    var merge = try RowMerge(sources, calls)
    while merge.number != .max {
      do throws(SystemError) {
        try merge.copyRow(to: file)
      } catch {
        throw Failure(nil, error)
      }
      try merge.advance()
    }
    return start..<(try asFailure(nil) { () throws(SystemError) in try file.flush() })
  }
}

/// Merges shards or runs by number. Of equal numbers, that of the earlier source comes first.
private struct RowMerge: ~Copyable {
  private var sources: UniqueArray<KeywordRows>
  private var tree: LoserTree

  init(_ inputs: [(CallerIDUse, RowSource)], _ calls: any SystemCalls) throws(Failure) {
    var sources = UniqueArray<KeywordRows>(minimumCapacity: inputs.count)
    var tree = LoserTree(runs: inputs.count)
    for (index, (use, source)) in inputs.enumerated() {
      var rows = KeywordRows(use, source, calls: calls)
      try rows.advance()
      tree.set(index, first: rows.number, last: 0)
      sources.append(rows)
    }
    tree.build()
    self.sources = sources
    self.tree = tree
  }

  /// The current row's number; `.max` after the last row.
  var number: UInt64 { sources[tree.winner].number }
  var use: CallerIDUse { sources[tree.winner].use }
  var isBlocked: Bool { sources[tree.winner].isBlocked }
  /// Whether the current row fills a shard that has no other.
  var isPadding: Bool { sources[tree.winner].isPadding }
  var label: [UInt8] { sources[tree.winner].label }

  func copyRow(to file: RunFile) throws(SystemError) {
    try sources[tree.winner].copyRow(to: file)
  }

  mutating func advance() throws(Failure) {
    let winner = tree.winner
    try sources[winner].advance()
    tree.replaceWinner(first: sources[winner].number, last: 0)
  }
}
