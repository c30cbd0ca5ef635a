// The file of an output in a format other than stores.

package import Records
package import SystemIO
package import SystemPackage

/// Writes bytes to a file, which gets its name when it is published, and counts them.
package final class EmitFile: ByteSink {
  /// The number of pending bytes at which targets write them.
  package static var flushBytes: Int { ByteChunk.defaultBytes }

  private let stage: StageName
  private let output: String
  private let calls: any SystemCalls
  private var file: OutputFile?
  /// The number of bytes written.
  package private(set) var bytes: UInt64 = 0

  /// Opens the file, or standard output for `-`.
  package init(_ output: String, _ context: StageContext) throws(Failure) {
    stage = context.stage
    self.output = output
    calls = context.calls
    file = try asFailure(context.stage) { () throws(SystemError) in
      try OutputFile(output, calls: context.calls)
    }
  }

  /// The descriptor of a file that was made for this output, for a library that writes it; nil for an output that is
  /// written in place.
  package var newFile: FileDescriptor? {
    guard let isNew = file?.isNew, isNew else { return nil }
    return file?.descriptor
  }

  /// The size in bytes of a file that a library wrote.
  package func size() throws(Failure) -> UInt64 {
    guard let newFile else { return bytes }
    do throws(Errno) {
      return UInt64(max(try calls.status(newFile).size, 0))
    } catch {
      throw Failure(stage, SystemError(.writeOutput, output, error))
    }
  }

  /// Writes pending bytes, and empties them.
  package func drain(_ pending: inout [UInt8]) throws(Failure) {
    try write(pending.span)
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes a chunk, and empties it.
  package func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try write(chunk.span)
    chunk.removeAll()
  }

  /// Nothing: ``publish()`` ends the file.
  package func finish() throws(Failure) {}

  private func write(_ span: Span<UInt8>) throws(Failure) {
    bytes &+= UInt64(span.count)
    do throws(SystemError) {
      try file?.write(span)
    } catch {
      throw Failure(stage, error)
    }
  }

  /// Publishes the file under its name.
  package func publish() throws(Failure) {
    guard let file = file.take() else { return }
    do throws(SystemError) {
      try file.publish()
    } catch {
      throw Failure(stage, error)
    }
  }
}
