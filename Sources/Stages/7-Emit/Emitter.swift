// The emit stage: writes disjoint, ascending records to one or more outputs.

import BasicContainers
package import Records
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
