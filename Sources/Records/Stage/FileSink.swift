// Writes bytes to a file or to standard output: the end of a filter.

package import SystemIO

/// Writes bytes to an output, which gets its final name when the stream ends without an error.
package final class FileSink: ByteSink {
  private let stage: StageName?
  private var file: OutputFile?

  /// Makes the file, or uses standard output for `-`. Errors are reported as errors of `stage`.
  ///
  /// - Parameter escapesControls: whether control characters are escaped on a terminal. Pass false only for text whose
  ///   control characters are already escaped and whose colours are not.
  package init(
    _ path: String, stage: StageName? = nil, escapesControls: Bool = true, calls: any SystemCalls
  ) throws(Failure) {
    self.stage = stage
    file = try asFailure(stage) { () throws(SystemError) in
      try OutputFile(path, escapesControls: escapesControls, calls: calls)
    }
  }

  /// Writes a chunk.
  package func receive(_ chunk: inout ByteChunk) throws(Failure) {
    do throws(SystemError) {
      try file?.write(chunk)
    } catch {
      throw Failure(stage, error)
    }
    chunk.removeAll()
  }

  /// Renames the file to its final name.
  package func finish() throws(Failure) {
    guard let file = file.take() else { return }
    do throws(SystemError) {
      try file.publish()
    } catch {
      throw Failure(stage, error)
    }
  }
}
