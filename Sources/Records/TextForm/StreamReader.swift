// Reads rows in the text form or the packed form, which the first byte of each input tells apart.

import BasicContainers

/// Splits the bytes of inputs into lines or blocks for a sink.
struct StreamReader: ~Copyable {
  private let stage: StageName?
  private var cutter: LineCutter
  /// The stream in the packed form that is being read.
  private var packed: PackedFormStream
  private var isPacked = false
  /// Whether the next byte is the first one of an input, or follows the end mark of a stream in the packed form.
  private var isAtStart = true

  init(lineBytesMax: Int, stage: StageName?) {
    cutter = LineCutter(lineBytesMax: lineBytesMax, stage: stage)
    packed = PackedFormStream(stage: stage)
    self.stage = stage
  }

  mutating func cut(
    _ bytes: Span<UInt8>, for sink: inout some LineSink & PackedBlockSink & ~Copyable
  ) throws(Failure) {
    var at = 0
    while at < bytes.count {
      if isAtStart {
        isAtStart = false
        isPacked = bytes[at] == PackedForm.signature[0]
      }
      guard isPacked else { return try cutter.cut(bytes.extracting(at...), for: &sink) }
      at = try packed.cut(bytes, from: at, for: &sink)
      if packed.isAtEnd {
        packed = PackedFormStream(stage: stage)
        isPacked = false
        isAtStart = true
      }
    }
  }

  /// Ends an input. A last line may lack its line feed.
  mutating func endInput(for sink: inout some LineSink & ~Copyable) throws(Failure) {
    if isPacked { try packed.finish() }
    try cutter.finish(for: &sink)
    isAtStart = true
  }
}
