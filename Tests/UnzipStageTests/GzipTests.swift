// gzip streams, and input that is not packed.

import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import InputStages

@Suite("gzip streams and plain input")
struct GzipTests {
  @Test("many members are unpacked as one, in pieces of any size")
  func members() throws {
    let bytes = try python("out.write(gzip.compress(b'one') + gzip.compress(b'') + gzip.compress(b'two\\n'))")
    for pieces in [[1], [2], [3], [7], [1, 2, 3, 7], [100_000]] {
      let sink = try unzip(bytes, pieces: pieces)
      #expect(sink.text == "onetwo\n", "pieces of \(pieces)")
      #expect(sink.isFinished)
    }
    #expect(try unzip(file: bytes).text == "onetwo\n")
  }

  @Test("each of several inputs has its own format", arguments: [false, true])
  func inputs(areFiles: Bool) throws {
    let bytes = try [
      "gzip.compress(b'one')", "archive([('m', b'two'), ('n', b'three')])", "b'four'", "b''", "b'PK'",
    ]
    .map { try python("out.write(\($0))") }
    let directory = try TemporaryDirectory()
    let sink = KeepingSink()
    let stage = Unzipper(options: UnzipOptions(), context: try context(), downstream: sink)
    for (index, input) in bytes.enumerated() {
      if index > 0 { try stage.nextInput(name: "\(index)") }
      if areFiles {
        try write(input, to: directory / "\(index)")
        try stage.read(try InputFile(directory / "\(index)"))
      } else {
        var chunk = ByteChunk(capacity: max(input.count, 1))
        chunk.append(input.span)
        try stage.receive(&chunk)
      }
      #expect(!sink.isFinished)
    }
    try stage.finish()
    #expect(sink.text == "onetwo\nthreefourPK")
    #expect(sink.isFinished)
  }

  @Test("a header with every field is read")
  func fullHeader() throws {
    let bytes = try python(
      """
      body = zlib.compressobj(9, zlib.DEFLATED, -15)
      body = body.compress(b'data') + body.flush()
      head = b'\\x1f\\x8b\\x08\\x1e\\0\\0\\0\\0\\0\\xff' + b'\\x04\\0abcd' + b'name\\0' + b'comment\\0'
      head += struct.pack('<H', zlib.crc32(head) & 0xffff)
      out.write(head + body + struct.pack('<II', zlib.crc32(b'data'), 4))
      """)
    #expect(try unzip(bytes, pieces: [1]).text == "data")
  }

  @Test("a large output of a small input is complete")
  func large() throws {
    let data = "b''.join(b'%d\\t\\xe9\\xaa\\x9a\\n' % (8613800000000 + i % 977) for i in range(200000))"
    let expected = try python("out.write(\(data))")
    let bytes = try python("out.write(gzip.compress(\(data)))")
    for pieces in [[1_000_000], [10_007]] {
      #expect(try unzip(bytes, pieces: pieces).bytes == expected)
    }
    #expect(try unzip(file: bytes).bytes == expected)
    // A chunk that is full exactly when the member ends.
    for size in [ByteChunk.defaultBytes - 1, ByteChunk.defaultBytes, ByteChunk.defaultBytes + 1] {
      let exact = try python("out.write(gzip.compress(b'x' * \(size)) + gzip.compress(b'y'))")
      #expect(
        try unzip(exact).bytes == Array(repeating: UInt8(ascii: "x"), count: size) + [UInt8(ascii: "y")])
    }
  }

  @Test("zeros after the last member are padding, anything else is an error")
  func afterTheEnd() throws {
    let bytes = try python("out.write(gzip.compress(b'one'))")
    let end = UInt64(bytes.count)
    for pieces in [[1], [5], [100_000]] {
      #expect(try unzip(bytes + [0, 0, 0], pieces: pieces).text == "one")
      #expect(
        unzipError { try unzip(bytes + Array("junk".utf8), pieces: pieces) }
          == .trailingGarbage(CompressedStream(.gzip), atByte: end))
      #expect(
        unzipError { try unzip(bytes + [0x1F, 0x41, 0x42], pieces: pieces) }
          == .trailingGarbage(CompressedStream(.gzip), atByte: end))
      #expect(
        unzipError { try unzip(bytes + [0, 0] + bytes, pieces: pieces) }
          == .trailingGarbage(CompressedStream(.gzip), atByte: end + 2))
      #expect(
        unzipError { try unzip(bytes + [0x1F], pieces: pieces) }
          == .truncatedStream(CompressedStream(.gzip), atByte: end + 1))
    }
  }

  @Test("a stream that is truncated anywhere fails, and never passes as complete")
  func truncated() throws {
    let whole = try python("out.write(b''.join(b'%d,x\\n' % (i * i) for i in range(900)))")
    let bytes = try python("out.write(gzip.compress(b''.join(b'%d,x\\n' % (i * i) for i in range(900))))")
    #expect(bytes.count > 2000)
    for length in Array(stride(from: 50, to: bytes.count, by: 50)) + [
      2, 10, bytes.count - 8, bytes.count - 1,
    ] {
      let sink = KeepingSink()
      let failure = unzipError { try unzip(Array(bytes[..<length]), into: sink) }
      #expect(
        failure == .truncatedStream(CompressedStream(.gzip), atByte: UInt64(length)), "cut to \(length)")
      #expect(whole.starts(with: sink.bytes) && !sink.isFinished)
    }
  }

  @Test("wrong checksums, lengths and bytes are detected")
  func damaged() throws {
    let bytes = try python("out.write(gzip.compress(b''.join(b'%d,x\\n' % (i * i) for i in range(900))))")
    for place in [bytes.count - 8, bytes.count - 4, bytes.count / 2, 2, 3] {
      var damaged = bytes
      damaged[place] ^= 0xE0
      let sink = KeepingSink()
      let failure = unzipError { try unzip(damaged, into: sink) }
      #expect(["damaged-stream", "truncated-stream"].contains(failure?.code), "byte \(place)")
      #expect(!sink.isFinished)
    }
  }

  @Test("any wrong bit is detected, or does no harm")
  func wrongBit() throws {
    let bytes = try python("out.write(gzip.compress(b'some rows\\nand more rows\\n'))")
    let whole = try unzip(bytes).bytes
    var failures = 0
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let sink = KeepingSink()
      do {
        #expect(try unzip(damaged, into: sink).bytes == whole, "bit \(bit)")
      } catch {
        failures += 1
        #expect(!sink.isFinished)
      }
    }
    #expect(failures > (bytes.count - 10) * 7)
  }

  @Test("a bomb is stopped")
  func bomb() throws {
    let bytes = try python("out.write(gzip.compress(bytes(100 << 20)))")
    var options = UnzipOptions()
    options.maxRatio = 100
    let sink = KeepingSink()
    sink.keepsBytes = false
    #expect(
      unzipError { try unzip(bytes, options: options, into: sink) }?.code == "expands-too-much")
    #expect(sink.count < 25 << 20)
    options.maxRatio = 2000
    options.maxBytes = 50 << 20
    #expect(
      unzipError { try unzip(bytes, options: options, into: KeepingSink()) } == .tooLarge(limit: 50 << 20))
  }

  @Test("input that is not packed is copied", arguments: [[1], [2], [3], [7], [100_000]])
  func plain(pieces: [Int]) throws {
    for text in [
      "", "P", "PK", "PK\u{3}", "PK\u{7}xyz", "PA", "\u{1F}", "\u{1F}x", "[\n{\"86\": \"x\"}",
      "PPK\u{3}\u{4}",
    ] {
      let sink = try unzip(Array(text.utf8), pieces: pieces)
      #expect(sink.text == text)
      #expect(sink.isFinished)
      #expect(try unzip(file: Array(text.utf8)).text == text)
    }
  }

  @Test("input that is not packed has the same limit", arguments: [[1], [3], [100_000]])
  func plainLimit(pieces: [Int]) throws {
    var options = UnzipOptions()
    options.maxBytes = 5
    #expect(try unzip(Array("PKxyz".utf8), pieces: pieces, options: options).text == "PKxyz")
    #expect(
      unzipError { try unzip(Array("PKxyz ".utf8), pieces: pieces, options: options) }
        == .tooLarge(limit: 5))
  }

  @Test("a chunk that is not packed is passed on and not copied")
  func noCopy() throws {
    final class Swapper: ByteSink {
      var taken: ByteChunk?
      func receive(_ chunk: inout ByteChunk) throws(Failure) {
        var other = ByteChunk(capacity: 1)
        swap(&chunk, &other)
        taken = consume other
      }
      func finish() throws(Failure) {}
    }
    let sink = Swapper()
    let stage = Unzipper(options: UnzipOptions(), context: try context(), downstream: sink)
    var chunk = ByteChunk(capacity: 4321)
    chunk.append([UInt8](repeating: 65, count: 10).span)
    try stage.receive(&chunk)
    let left = chunk.count
    #expect(left == 0)
    var capacity = 0
    if let taken = sink.taken.take() { capacity = taken.count + taken.freeCapacity }
    #expect(capacity == 4321)
  }

  @Test("a failure downstream is rethrown")
  func downstreamFails() throws {
    let bytes = try python("out.write(gzip.compress(b'x' * 3000000))")
    let sink = KeepingSink()
    sink.failsBeyond = 300_000
    do {
      _ = try unzip(bytes, into: sink)
      Issue.record("it did not fail")
    } catch let failure as Failure {
      #expect(failure == KeepingSink.full)
    }
    #expect(sink.count < 600_000)
  }
}
