// `cdpipe sort --check`

import ArgumentParser
import BasicContainers
import RecordStages
import Runner
import Records
import SystemIO

enum OrderCheck {
  /// Checks the order of the records. If they are not sorted, prints the row and ends with status 1.
  static func run(_ files: [String], _ common: CommonOptions) throws {
    let diagnostics = Diagnostics(command: "sort")
    let reads = Pipeline(
      sources: [Pipeline.Source(input: .files(files.isEmpty ? ["-"] : files))], stages: [EmitPlan([])],
      output: "-")
    if let error = OutputNames.error(reads, rejects: common.rejects) {
      throw diagnostics.end(error, ExitStatus.usage)
    }
    TerminalInput.announce(files.isEmpty ? ["-"] : files, isQuiet: common.quiet, diagnostics)
    let check = SortCheck()
    let meter = StageMeter(.sort)
    do throws(Failure) {
      let log = try RejectLog(policy: common.policy) { reject, ordinal in
        if !common.quiet, ordinal <= PipelineCommand.rejectsShown {
          diagnostics.log(RejectMessages.line(reject))
        }
      }
      do throws(Failure) {
        try read(files.isEmpty ? ["-"] : files, into: check, StageContext(meter: meter, rejects: log))
        try log.check(stage: .sort, inputs: meter.rowsIn.value + check.rowsSeen)
      } catch {
        try? log.publish()
        throw error
      }
      try log.publish()
      if !common.quiet {
        let account = RejectMessages.StageTotal(
          stage: .sort, rejects: log.count, rows: check.rowsSeen + log.count)
        for line in RejectMessages.totals(
          [account], shown: PipelineCommand.rejectsShown, path: common.rejects)
        {
          diagnostics.log(line)
        }
      }
    } catch {
      throw diagnostics.end(error)
    }
    if let disorder = check.disorder {
      throw diagnostics.end(
        UserMessage(
          "row \(disorder.row): \(text(disorder.numbers, disorder)) comes after "
            + "\(text(disorder.previous, disorder)): input is not sorted"),
        ExitStatus.no)
    }
  }

  /// A record's numbers, as a range if two records start at the same number, since their ends decide the order.
  private static func text(_ numbers: ClosedRange<UInt64>, _ disorder: SortCheck.Disorder) -> String {
    let isRange =
      numbers.count > 1 && disorder.previous.lowerBound == disorder.numbers.lowerBound
    return isRange ? "\(numbers.lowerBound)..\(numbers.upperBound)" : "\(numbers.lowerBound)"
  }

  private static func read(_ files: [String], into check: SortCheck, _ context: StageContext)
    throws(Failure)
  {
    let reader = RecordReader(context: context, downstream: check)
    for (index, path) in files.enumerated() {
      if index > 0 { try reader.nextInput(name: path) }
      var file = try asFailure(.sort) { () throws(SystemError) in try InputFile(path) }
      var chunk = ByteChunk()
      while try asFailure(.sort, { () throws(SystemError) in try file.read(into: &chunk) }) > 0 {
        try reader.receive(&chunk)
      }
    }
    try reader.finish()
  }
}
