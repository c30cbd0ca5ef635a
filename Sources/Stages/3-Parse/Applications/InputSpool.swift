// Inputs that can't be read from front to back, such as databases: their bytes are first written to an unnamed temporary
// file.
//
// Not for: texts that a reader sets aside itself (SharedStrings).

import Records
import SystemIO

/// The bytes of an input, in a temporary file.
struct InputSpool: ~Copyable {
  /// The file, which is deleted when the spool ends.
  private(set) var file: TemporaryFile
  private let context: StageContext

  /// Makes an empty file in the directory for temporary files.
  init(_ context: StageContext) throws(Failure) {
    let file = try asFailure(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: context.calls)
    }
    self.file = file
    self.context = context
  }

  /// Appends bytes of the input.
  mutating func append(_ bytes: Span<UInt8>) throws(Failure) {
    if bytes.isEmpty { return }
    do throws(SystemError) {
      try file.append(bytes)
    } catch {
      throw Failure(context.stage, error)
    }
    context.meter.bytesSpilled.add(bytes.count)
  }
}
