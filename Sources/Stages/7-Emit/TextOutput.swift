// The text forms of emit's outputs, and one of them as the output of another command.

public import CallRecord
public import PipeStage
import SystemIO

/// Writes records in one of emit's text forms, for commands that write a list as it is: the order is not checked, and
/// nothing is counted.
public final class TextOutput: RecordSink {
  private let target: any EmitTarget

  /// Opens an output.
  ///
  /// - Precondition: the format is not a store.
  public init(_ options: EmitOptions, _ context: StageContext) throws(StageError) {
    guard let target = try Self.target(options, context) else { preconditionFailure("a store is not text") }
    self.target = target
  }

  /// The target for an output; nil for stores.
  static func target(
    _ options: EmitOptions, _ context: StageContext
  ) throws(StageError) -> (any EmitTarget)? {
    switch options.format {
    case .tsv: try TextFormTarget(options.output, context)
    case .csv: try RowTarget(CSVRow(isSafe: options.isCSVSafe), options.output, context)
    case .jsonl: try RowTarget(JSONRow(), options.output, context)
    case .store: nil
    }
  }

  /// Writes a batch.
  public func receive(_ batch: inout RecordBatch) throws(StageError) {
    try target.write(batch)
    batch.removeAll()
  }

  /// Completes the output and publishes it under its name.
  public func finish() throws(StageError) {
    try target.seal()
    try target.publish()
  }
}

/// Writes the text form.
final class TextFormTarget: EmitTarget {
  private let counter: CountingBytes
  private let writer: RecordWriter

  init(_ output: String, _ context: StageContext) throws(StageError) {
    counter = CountingBytes(try FileSink(output, stage: context.stage, calls: context.calls))
    writer = RecordWriter(downstream: counter)
  }

  func write(_ batch: borrowing RecordBatch) throws(StageError) {
    try writer.write(batch)
  }

  func seal() throws(StageError) {
    try writer.flush()
  }

  func publish() throws(StageError) {
    try writer.finish()
  }

  func outcome(_ output: inout EmittedOutput) { output.bytes = counter.bytes }
}

/// Counts bytes and passes them on.
private final class CountingBytes: ByteSink {
  private let downstream: FileSink
  private(set) var bytes: UInt64 = 0

  init(_ downstream: FileSink) {
    self.downstream = downstream
  }

  func receive(_ chunk: inout ByteChunk) throws(StageError) {
    bytes &+= UInt64(chunk.count)
    try downstream.receive(&chunk)
  }

  func finish() throws(StageError) {
    try downstream.finish()
  }
}
