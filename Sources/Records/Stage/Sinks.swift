// The protocols of the data that flows between stages. A stage is a sink for its input and holds the sink for its
// output; the three protocols are all that it shares with its neighbours.
//
// Not for: threads. A stage belongs to one thread; the runner puts bounded buffers between threads, and they
// are sinks too.

package import SystemIO

/// Receives bytes.
///
/// `receive` may read the chunk or swap it for an empty one; afterwards its content is undefined, and the caller
/// empties it. `finish` is called once, after the last chunk; after a throw nothing more is called.
package protocol ByteSink: AnyObject {
  /// Receives one chunk.
  func receive(_ chunk: inout ByteChunk) throws(Failure)
  /// Ends the stream.
  func finish() throws(Failure)

  /// Ends one input and begins the next one, which messages call `name`.
  func nextInput(name: String) throws(Failure)
  /// Passes on the output for the input received so far, because the rest can't be read.
  func flush() throws(Failure)
  /// Reads a whole file in place of `receive`; nil when the sink reads streams only.
  var fileReader: (any FileReader)? { get }
}

extension ByteSink {
  /// Does nothing: the bytes of all inputs are one stream.
  package func nextInput(name: String) throws(Failure) {}
  /// Does nothing: nothing is held back.
  package func flush() throws(Failure) {}
  /// Nil: the sink reads streams only.
  package var fileReader: (any FileReader)? { nil }
}

/// Reads a whole file, in which it may seek.
package protocol FileReader: AnyObject {
  /// Reads the file. `finish` or `nextInput` follows.
  func read(_ file: consuming InputFile) throws(Failure)
}

/// Receives raw rows. The rules are those of ``ByteSink``.
package protocol RawRowSink: AnyObject {
  /// Receives one batch.
  func receive(_ batch: inout RawRowBatch) throws(Failure)
  /// Ends the stream.
  func finish() throws(Failure)
}

/// Receives records. The rules are those of ``ByteSink``.
package protocol RecordSink: AnyObject {
  /// Receives one batch.
  func receive(_ batch: inout RecordBatch) throws(Failure)
  /// Ends the stream.
  func finish() throws(Failure)
}

/// A sink of one of the three kinds.
package enum AnySink {
  /// For bytes.
  case bytes(any ByteSink)
  /// For raw rows.
  case rawRows(any RawRowSink)
  /// For records.
  case records(any RecordSink)

  /// The sink for bytes. Traps for any other kind.
  package var byteSink: any ByteSink {
    guard case .bytes(let sink) = self else { preconditionFailure("the kinds were checked") }
    return sink
  }

  /// The sink for raw rows. Traps for any other kind.
  package var rawRowSink: any RawRowSink {
    guard case .rawRows(let sink) = self else { preconditionFailure("the kinds were checked") }
    return sink
  }

  /// The sink for records. Traps for any other kind.
  package var recordSink: any RecordSink {
    guard case .records(let sink) = self else { preconditionFailure("the kinds were checked") }
    return sink
  }
}
