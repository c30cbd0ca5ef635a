// The first bytes of an input, unpacked: what a preview examines. The input is read through the stages of a run, which
// end as soon as there are enough bytes.
//
// Not for: parsing the bytes (SampledRows).

package import InputStages
package import Records
import Synchronization
import SystemIO

extension StageName {
  /// Examines an input.
  package static let preview = StageName(rawValue: "preview")
}

/// The first bytes of an unpacked input, in a temporary file.
package final class InputHead: Sendable {
  /// The number of bytes of a text that are examined: tens of thousands of rows.
  package static let textBytesMax: Int64 = 4 << 20
  /// The maximum size of an input that is not text, which can only be read as a whole.
  package static let databaseBytesMax: Int64 = 4 << 30

  /// The bytes, and what is known about them.
  private struct Content: ~Copyable {
    var file: TemporaryFile
    /// The maximum number of bytes to keep; nil until the first bytes show what the input is.
    var bytesMax: Int64?
    var isWhole = false
    var parts: [UnpackedPart] = []
  }

  /// The number of listed members of an archive; enough for messages.
  private static let partsMax = 16

  private let content: Mutex<Content>

  /// What was unpacked, in order; empty if the input is not packed.
  package var parts: [UnpackedPart] { content.withLock { $0.parts } }
  /// Whether the head is the whole input.
  package var isWhole: Bool { content.withLock { $0.isWhole } }
  /// The number of bytes.
  package var size: Int64 { content.withLock { $0.file.size } }

  /// Reads the head of an input.
  ///
  /// Throws what a run would: the input can't be opened or fetched, or its archive is damaged.
  package init(_ input: Pipeline.Input, unzip: UnzipOptions = UnzipOptions()) throws(Failure) {
    let directory = unzip.tempDirectory ?? TemporaryFile.defaultDirectory
    let file = try asFailure(.preview) { () throws(SystemError) in try TemporaryFile(in: directory) }
    content = Mutex(Content(file: file))
    var unzip = unzip
    unzip.observe = { [weak self] part in self?.note(part) }
    let source = Pipeline.Source(input: input, stages: [unzip, HeadPlan(head: self)])
    let run = try PipelineRun(Pipeline(sources: [source], stages: []), rejects: try RejectLog())
    do throws(Failure) {
      try run.execute()
      content.withLock { $0.isWhole = true }
    } catch {
      guard error.isSampleComplete else { throw error }
    }
  }

  private func note(_ part: UnpackedPart) {
    content.withLock { content in
      if content.parts.count < Self.partsMax { content.parts.append(part) }
    }
  }

  /// Adds bytes; returns whether more are needed.
  fileprivate func append(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
    try content.withLock { (content) throws(SystemError) in
      try content.file.append(bytes)
      if content.bytesMax == nil {
        var first = ByteChunk(capacity: FormatTable.all.signatureBytesMax)
        _ = try content.file.read(into: &first, at: 0)
        guard first.freeCapacity == 0 else { return true }
        content.bytesMax =
          FormatTable.all.binaryFormat(first.span) == nil ? Self.textBytesMax : Self.databaseBytesMax
      }
      return content.file.size < content.bytesMax ?? Self.textBytesMax
    }
  }

  /// The first bytes, at most `count`.
  func start(_ count: Int) throws(Failure) -> [UInt8] {
    var chunk = ByteChunk(capacity: count)
    while chunk.freeCapacity > 0 {
      let offset = Int64(chunk.count)
      if try read(into: &chunk, at: offset) == 0 { break }
    }
    return [UInt8](copying: chunk.span)
  }

  /// Sends the bytes to a sink. Ends the stream if they are the whole input; otherwise only the whole rows among them are
  /// passed on.
  func send(to sink: any ByteSink) throws(Failure) {
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while true {
      let count = try read(into: &chunk, at: offset)
      if count == 0 { break }
      offset += Int64(count)
      try sink.receive(&chunk)
      chunk.removeAll()
    }
    if isWhole { try sink.finish() } else { try sink.flush() }
  }

  private func read(into chunk: inout ByteChunk, at offset: Int64) throws(Failure) -> Int {
    try asFailure(.preview) { () throws(SystemError) in
      try content.withLock { (content) throws(SystemError) in
        try content.file.read(into: &chunk, at: offset)
      }
    }
  }
}

/// The last stage of the run that reads a head.
private struct HeadPlan: StagePlan {
  let head: InputHead

  var name: StageName { .preview }
  var input: DataKind { .bytes }
  var output: DataKind { .nothing }

  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .bytes(HeadSink(head))
  }
}

/// Keeps bytes, and ends the run when there are enough.
private final class HeadSink: ByteSink {
  private let head: InputHead

  init(_ head: InputHead) {
    self.head = head
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    let bytes = chunk.span
    let isEnough = try asFailure(.preview) { () throws(SystemError) in try !head.append(bytes) }
    if isEnough { throw Failure(.preview, PreviewError.sampleComplete) }
  }

  func finish() {}
}
