// The reports of a run's parts as one: the tasks of a run on several machines count their own rows.
//
// Not for: the reports of different runs.

/// Why reports can't be merged.
package enum ReportMergeError: Error, Equatable {
  /// They are about different pipelines, here those of the first report and of the one with this index.
  case differentPipelines(String, String, index: Int)
  /// The report with this index is about a complete run.
  case completeRun(index: Int)
  /// Only some of the slices of a source are there.
  case missingSlices(source: String, read: Int, count: Int)
  /// The report with this index has a slice of a source that an earlier one has, too.
  case repeatedSource(String, index: Int)
  /// The report with this index has a slice of another plan than an earlier one.
  case differentPlans(source: String, index: Int)
}

extension RunReport {
  /// Merges the reports of the parts of one run: counts are added up, lists are in the order of the reports.
  ///
  /// Of a source that several tasks have read, other than in slices, the hash is not known. The time is that of the part that took longest, and
  /// the memory the largest of all.
  ///
  /// - Complexity: O(bytes of the reports).
  package static func merged(_ reports: [RunReport]) throws(ReportMergeError) -> RunReport {
    var merged = RunReport()
    merged.cdpipe = reports.first?.cdpipe ?? ""
    merged.pipeline = reports.first?.pipeline ?? ""
    merged.file = reports.first?.file
    let lasts = reports.compactMap { $0.part?.until }
    merged.part = Part(from: nil, until: lasts.first { $0 != sortStage } ?? lasts.first)
    merged.run.started = reports.map(\.run.started).min() ?? ""
    var indices: [String: Int] = [:]
    var slices = SlicesRead()
    for (index, report) in reports.enumerated() {
      guard let part = report.part, part.until != nil else { throw .completeRun(index: index) }
      guard report.pipeline == merged.pipeline else {
        throw .differentPipelines(merged.pipeline, report.pipeline, index: index)
      }
      if report.status == .failed, merged.status != .failed {
        merged.status = .failed
        merged.failure = report.failure
      }
      merged.run.add(report.run)
      for source in report.sources {
        guard slices.isOfPlan(part.slice, of: source.name) else {
          throw .differentPlans(source: source.name, index: index)
        }
        guard slices.add(part.slice, of: source.name) else {
          throw .repeatedSource(source.name, index: index)
        }
        if let known = indices[source.name] {
          merged.sources[known].add(source, isSlice: part.slice != nil)
        } else {
          indices[source.name] = merged.sources.count
          merged.sources.append(source)
        }
      }
      // The records that tasks merge were counted when they were sorted.
      let isCounted = part.from == nil
      add(report.stages.filter { isCounted || $0.stage != sortStage }, to: &merged.stages)
      merged.addRejects(report.rejects)
      merged.rows.add(report.rows, isFromSources: isCounted)
    }
    if let missing = slices.missing {
      throw .missingSlices(source: missing.source, read: missing.read, count: missing.count)
    }
    // Reports of later parts may be named before those of earlier ones.
    if let index = merged.stages.firstIndex(where: { $0.stage == sortStage }) {
      merged.stages.insert(merged.stages.remove(at: index), at: 0)
    }
    let last = merged.stages.last
    merged.rows.written = last?.rowsOut ?? 0
    merged.rows.isBalanced = merged.rows.addsUp
    return merged
  }

  /// The first stage that all sources share.
  private static let sortStage = "sort"

  /// Adds the counts of stages to those with the same name.
  private static func add(_ stages: [Stage], to sums: inout [Stage]) {
    for stage in stages {
      if let index = sums.firstIndex(where: { $0.stage == stage.stage }) {
        sums[index].add(stage)
      } else {
        sums.append(stage)
      }
    }
  }

  private mutating func addRejects(_ uses: [RejectUse]) {
    for use in uses {
      if let index = rejects.firstIndex(where: { $0.stage == use.stage && $0.reason == use.reason }) {
        rejects[index].count += use.count
        let missing = RejectUse.examplesMax - rejects[index].examples.count
        rejects[index].examples += use.examples.prefix(max(0, missing))
      } else {
        rejects.append(use)
      }
    }
    rejects.sort {
      $0.count != $1.count ? $0.count > $1.count : ($0.stage, $0.reason) < ($1.stage, $1.reason)
    }
  }
}

extension RunReport {
  /// The largest count that a report can have so that the sums of many reports do not overflow.
  private static let countMax: UInt64 = 1 << 44

  /// Whether all counts are small enough to be added up. `patternNumbers` are not checked, since they may wrap around.
  package var hasPossibleCounts: Bool {
    let counts =
      [rows.read, rows.splits, rows.written, rows.duplicates, rows.rejects, rows.leftOut, rows.removed]
      + [rows.joined, rows.patterns ?? 0, run.peakMemoryBytes] + rejects.map(\.count)
      + (sources.flatMap(\.stages) + stages).flatMap { stage in
        [stage.rowsIn, stage.rowsOut]
          + Stage.optionalCounts.filter { $0 != \.patternNumbers }.map { stage[keyPath: $0] ?? 0 }
      }
    return counts.allSatisfy { $0 <= Self.countMax }
  }
}

/// The slices of sources that reports are about.
private struct SlicesRead {
  private var slices: [String: (numbers: Set<Int>, count: Int, plan: String)] = [:]

  /// Whether a slice of a source is one of the same plan as the earlier ones.
  func isOfPlan(_ slice: RunReport.Slice?, of source: String) -> Bool {
    guard let slice, let read = slices[source] else { return true }
    return read.plan == slice.plan && read.count == slice.count
  }

  /// Adds a slice of a source, or nil for all of it; returns false if other reports have counts of the same rows.
  mutating func add(_ slice: RunReport.Slice?, of source: String) -> Bool {
    guard let slice else { return slices[source] == nil }
    guard (1...max(1, slice.count)).contains(slice.number) else { return false }
    var read = slices[source] ?? ([], slice.count, slice.plan)
    guard read.numbers.insert(slice.number).inserted else { return false }
    slices[source] = read
    return true
  }

  /// A source that was not read completely.
  var missing: (source: String, read: Int, count: Int)? {
    slices.filter { $0.value.numbers.count < $0.value.count }.min { $0.key < $1.key }
      .map { ($0.key, $0.value.numbers.count, $0.value.count) }
  }
}

extension RunReport.Source {
  /// Adds the counts of another task that has read the same source, or another slice of it.
  fileprivate mutating func add(_ other: RunReport.Source, isSlice: Bool) {
    for (index, stage) in other.stages.enumerated() {
      if stages.indices.contains(index) { stages[index].add(stage) } else { stages.append(stage) }
    }
    if !isSlice || sha256 != other.sha256 { (bytes, sha256) = (nil, nil) }
    // All slices start with the same head.
    if !isSlice, let more = other.inputs { inputs = (inputs ?? []) + more }
    trouble = trouble ?? other.trouble
  }
}

extension RunReport.Stage {
  /// The counts that are nil for zero.
  fileprivate static var optionalCounts: [WritableKeyPath<Self, UInt64?>] {
    [
      \.bytesIn, \.rejects, \.duplicates, \.leftOut, \.removed, \.joined, \.splits, \.patterns,
      \.patternNumbers,
      \.conflicts, \.bytesSpilled,
    ]
  }

  fileprivate mutating func add(_ other: RunReport.Stage) {
    rowsIn += other.rowsIn
    rowsOut += other.rowsOut
    for counter in Self.optionalCounts {
      guard let count = other[keyPath: counter] else { continue }
      self[keyPath: counter] = (self[keyPath: counter] ?? 0) &+ count
    }
  }
}

extension RunReport.Run {
  fileprivate mutating func add(_ other: RunReport.Run) {
    seconds = max(seconds, other.seconds)
    cpuSeconds += other.cpuSeconds
    peakMemoryBytes = max(peakMemoryBytes, other.peakMemoryBytes)
  }
}

extension RunReport.Rows {
  fileprivate mutating func add(_ other: RunReport.Rows, isFromSources: Bool) {
    // What tasks read that continue the run is what others have written.
    if isFromSources { read += other.read }
    splits += other.splits
    duplicates += other.duplicates
    rejects += other.rejects
    leftOut += other.leftOut
    removed += other.removed
    joined += other.joined
    if let count = other.patterns { patterns = (patterns ?? 0) + count }
    if let count = other.patternNumbers { patternNumbers = (patternNumbers ?? 0) &+ count }
  }

  fileprivate var addsUp: Bool {
    read + splits == written + joined + duplicates + rejects + leftOut + removed
  }
}
