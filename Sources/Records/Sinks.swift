// The protocols of the data that flows between stages. A stage is a sink for its input and holds the sink for its
// output; the three protocols are all that it shares with its neighbours.
//
// A stage belongs to one thread; the runner puts bounded buffers between threads, and they are sinks too.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import SystemIO
import SystemPackage

/// Receives bytes.
///
/// `receive` may read the chunk or swap it for an empty one; afterwards its content is undefined, and the caller
/// empties it. `finish` is called once, after the last chunk; after a throw nothing more is called.
public protocol ByteSink: AnyObject {
  func receive(_ chunk: inout ByteChunk) throws(Failure)
  func finish() throws(Failure)

  /// Ends one input and begins the next one, which messages call `name`.
  func nextInput(name: String) throws(Failure)
  /// Passes on the output for the input received so far, because the rest can't be read.
  func flush() throws(Failure)
  /// Reads a whole file in place of `receive`; nil when the sink reads streams only.
  var fileReader: (any FileReader)? { get }
}

extension ByteSink {
  public func nextInput(name: String) throws(Failure) {}
  public func flush() throws(Failure) {}
  public var fileReader: (any FileReader)? { nil }
}

/// Reads a whole file, in which it may seek.
public protocol FileReader: AnyObject {
  /// Reads the file. `finish` or `nextInput` follows.
  func read(_ file: consuming InputFile) throws(Failure)
}

/// Receives raw rows. The rules are those of ``ByteSink``.
public protocol RawRowSink: AnyObject {
  func receive(_ batch: inout RawRowBatch) throws(Failure)
  func finish() throws(Failure)
}

/// Receives records. The rules are those of ``ByteSink``.
public protocol RecordSink: AnyObject {
  func receive(_ batch: inout RecordBatch) throws(Failure)
  func finish() throws(Failure)
}

public enum AnySink {
  case bytes(any ByteSink)
  case rawRows(any RawRowSink)
  case records(any RecordSink)

  // The next three trap for any other kind.
  public var byteSink: any ByteSink {
    guard case .bytes(let sink) = self else { preconditionFailure("the kinds were checked") }
    return sink
  }

  public var rawRowSink: any RawRowSink {
    guard case .rawRows(let sink) = self else { preconditionFailure("the kinds were checked") }
    return sink
  }

  public var recordSink: any RecordSink {
    guard case .records(let sink) = self else { preconditionFailure("the kinds were checked") }
    return sink
  }
}

/// Writes bytes to an output, which gets its final name when the stream ends without an error.
public final class FileSink: ByteSink {
  private let stage: StageName?
  private var file: OutputFile?

  /// Makes the file, or uses standard output for `-`. Errors are reported as errors of `stage`.
  ///
  /// - Parameter escapesControls: whether control characters are escaped on a terminal. Pass false only for text whose
  ///   control characters are already escaped and whose colours are not.
  public init(
    _ path: String, stage: StageName? = nil, escapesControls: Bool = true, calls: any SystemCalls
  ) throws(Failure) {
    self.stage = stage
    file = try asFailure(stage) { () throws(SystemError) in
      try OutputFile(path, escapesControls: escapesControls, calls: calls)
    }
  }

  public func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try asFailure(stage) { () throws(SystemError) in try file?.write(chunk) }
    chunk.removeAll()
  }

  /// Renames the file to its final name.
  public func finish() throws(Failure) {
    guard let file = file.take() else { return }
    do throws(SystemError) {
      try file.publish()
    } catch {
      throw Failure(stage, error)
    }
  }
}

/// Text in an unnamed file, written once and read back once.
public final class SpooledText: ByteSink {
  private let meter: StageMeter
  private var file: TemporaryFile

  /// Makes the file in a directory. Errors are errors of the context's stage, and what is written counts as its spilled
  /// bytes.
  public init(_ directory: String, _ context: StageContext) throws(Failure) {
    let made = try asFailure(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: directory, calls: context.calls)
    }
    meter = context.meter
    file = made
  }

  /// The directory that contains the file, for messages.
  public var directory: String { file.directory }

  public func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try asFailure(meter.stage) { () throws(SystemError) in try file.append(chunk) }
    meter.bytesSpilled.add(chunk.count)
    chunk.removeAll()
  }

  public func finish() {}

  /// Reads bytes at an offset into the chunk's free capacity, and returns how many: 0 at the end of what was written.
  public func read(into chunk: inout ByteChunk, at offset: Int64) throws(Failure) -> Int {
    if offset == file.size { return 0 }
    do throws(SystemError) {
      let count = try file.read(into: &chunk, at: offset)
      // No other process can truncate an unnamed file, so missing data is a disk error.
      guard count > 0 else { throw SystemError(.readSpill, file.directory, .ioError) }
      return count
    } catch {
      throw Failure(meter.stage, error)
    }
  }

  /// Sends everything that was written to a sink, and finishes it.
  public func replay(to sink: any ByteSink) throws(Failure) {
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while true {
      let count = try read(into: &chunk, at: offset)
      if count == 0 { break }
      offset += Int64(count)
      try sink.receive(&chunk)
      chunk.removeAll()
    }
    try sink.finish()
  }
}
