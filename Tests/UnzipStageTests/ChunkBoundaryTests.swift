// Members that end just after the end of an output chunk: the decompressor then still has output when all packed bytes
// have been read.

import InputStages
import Records
import SystemIO
import Testing

@Suite("members that end just after a chunk")
struct ChunkBoundaryTests {
  /// Python's expression for the data of `size` bytes, the compression level, and the step between sizes.
  struct Sweep: CustomTestStringConvertible, Sendable {
    var data: String
    var level: Int
    var step: Int
    var testDescription: String { "\(data), level \(level)" }
  }
  private static let sameByte = "b'0' * size"
  private static let rows = "b''.join(b'8613800%06d\\tspam\\n' % i for i in range(size // 19 + 1))[:size]"
  /// The sizes after that of a chunk.
  private static let sizes = 400

  @Test(
    "each size is complete, from a pipe and from a file",
    arguments: [
      Sweep(data: sameByte, level: 6, step: 1), Sweep(data: sameByte, level: 1, step: 7),
      Sweep(data: sameByte, level: 9, step: 7), Sweep(data: rows, level: 6, step: 3),
      Sweep(data: rows, level: 1, step: 13), Sweep(data: rows, level: 9, step: 13),
    ])
  func sizes(sweep: Sweep) throws {
    let lengths = ByteChunk.defaultBytes...ByteChunk.defaultBytes + Self.sizes
    let archives = try python(
      """
      for size in range(\(lengths.lowerBound), \(lengths.upperBound) + 1, \(sweep.step)):
          file = io.BytesIO()
          with zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED, compresslevel=\(sweep.level)) as zip:
              zip.writestr('a', \(sweep.data))
          out.write(struct.pack('<I', file.tell()) + file.getvalue())
      """)
    var rest = archives[...]
    for size in stride(from: lengths.lowerBound, through: lengths.upperBound, by: sweep.step) {
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let bytes = Array(rest.dropFirst(4).prefix(count))
      rest = rest.dropFirst(4 + count)
      let sink = KeepingSink()
      sink.keepsBytes = false
      // The checksum is verified by the stage.
      #expect(try unzip(bytes, into: sink).count == size)
      #expect(try unzip(file: bytes, keepsBytes: false).count == size)
    }
    #expect(rest.isEmpty)
  }
}
