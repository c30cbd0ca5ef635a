// The text form as an output, and the outputs of emit as those of another command.

package import Records

/// Writes records in one of emit's formats other than stores, for commands that write a list as it is: the order is not checked, and
/// nothing is counted.
package final class TextOutput: RecordSink {
  private let target: any EmitTarget

  /// Opens an output in one of the table's formats.
  ///
  /// - Precondition: the format is in the table, so it is not a store.
  package init(
    _ options: EmitOptions, formats: EmitFormatTable, _ context: StageContext
  ) throws(Failure) {
    guard let format = formats.description(of: options.format) else {
      preconditionFailure("\(options.format) is not in the table")
    }
    target = try format.makeTarget(options, context)
  }

  /// Writes a batch.
  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    try target.write(batch)
    batch.removeAll()
  }

  /// Completes the output and publishes it under its name.
  package func finish() throws(Failure) {
    try target.seal()
    try target.publish()
  }
}

/// Writes the text form.
final class TextFormTarget: EmitTarget {
  private let file: EmitFile
  private let writer: RecordWriter

  init(_ output: String, _ context: StageContext) throws(Failure) {
    file = try EmitFile(output, context)
    writer = RecordWriter(downstream: file)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) { try writer.write(batch) }

  func seal() throws(Failure) { try writer.flush() }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) { output.bytes = file.bytes }
}
