// Fuzzes unpacking, with input cut anywhere: streams of every format, archives, and what they contain. The first two bytes
// are choices: whether nested streams are unpacked, and the sizes of the pieces.
//
// zlib, libzip, libzstd, liblzma and libbz2 are not instrumented.

import FuzzDriver
import InputStages
import Records
import SystemIO

/// The limit on the output, in bytes.
let outputBytesMax: UInt64 = 1 << 20

/// Keeps its input.
final class Output: ByteSink {
  var bytes: [UInt8] = []
  var isFinished = false

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    claim(!isFinished && chunk.count > 0, "bytes after the end, or none")
    for index in 0..<chunk.count { bytes.append(chunk.span[index]) }
    chunk.removeAll()
  }

  func finish() throws(Failure) { isFinished = true }
}

/// Unpacks an input in pieces; returns the output, and the code of the failure if there is one.
func unpack(_ input: Span<UInt8>, isNested: Bool, pieces: [Int]) -> (output: [UInt8], failure: String?) {
  var options = UnzipOptions()
  options.maxBytes = outputBytesMax
  options.unpacksNested = isNested
  let output = Output()
  do throws(Failure) {
    let context = StageContext(meter: StageMeter(.unzip), rejects: try RejectLog())
    let unzipper = Unzipper(options: options, context: context, downstream: output)
    var start = 0
    var turn = 0
    while start < input.count {
      let end = min(start + pieces[turn % pieces.count], input.count)
      turn += 1
      var chunk = ByteChunk(capacity: end - start)
      chunk.append(input.extracting(start..<end))
      try unzipper.receive(&chunk)
      start = end
    }
    try unzipper.finish()
    claim(output.isFinished, "the stream ends for the next stage, too")
    return (output.bytes, nil)
  } catch {
    claim(!output.isFinished, "a failed stream does not end")
    return (output.bytes, error.code)
  }
}

fuzz { input in
  guard input.count > 2 else { return }
  let data = input.extracting(2..<input.count)
  let isNested = input[0] & 1 != 0
  let whole = unpack(data, isNested: isNested, pieces: [data.count])
  let cut = unpack(data, isNested: isNested, pieces: [1 + Int(input[0] >> 1), 1 + Int(input[1])])
  claim(whole.failure == cut.failure, "\(whole.failure ?? "none") whole, \(cut.failure ?? "none") cut")
  claim(UInt64(max(whole.output.count, cut.output.count)) <= outputBytesMax, "more than the limit")
  // The bytes before an error depend on the pieces.
  let isRight =
    whole.failure == nil
    ? whole.output == cut.output
    : whole.output.starts(with: cut.output) || cut.output.starts(with: whole.output)
  claim(isRight, "the output depends on where the input is cut")
}
