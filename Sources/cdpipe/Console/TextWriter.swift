// Text that a command writes to a file or to standard output, apart from the data of filters.

import Records
import SystemIO

/// Writes text to an output, which gets its final name in ``finish()``.
struct TextWriter: ~Copyable {
  private var file: OutputFile
  private let stage: StageName

  /// Makes the file, or uses standard output for `-`.
  init(_ path: String, _ stage: StageName) throws(Failure) {
    file = try asFailure(stage) { () throws(SystemError) in try OutputFile(path) }
    self.stage = stage
  }

  /// Writes a text.
  mutating func write(_ text: String) throws(Failure) {
    let bytes = ContiguousArray(text.utf8)
    do throws(SystemError) {
      try file.write(bytes.span)
    } catch {
      throw Failure(stage, error)
    }
  }

  /// Renames the file to its final name.
  consuming func finish() throws(Failure) {
    let stage = self.stage
    do throws(SystemError) {
      try file.publish()
    } catch {
      throw Failure(stage, error)
    }
  }
}
