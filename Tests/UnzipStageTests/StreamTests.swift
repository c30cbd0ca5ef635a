// zstd, xz and bzip2 streams, made by zstd's program and by Python's modules.

import Records
import SystemIO
import Testing

@testable import InputStages

@Suite("zstd, xz and bzip2 streams")
struct StreamTests {
  static let formats: [CompressedFormat] = [.zstd, .xz, .bzip2]
  static let pieces = [[1], [2], [3], [7], [1, 2, 3, 7], [100_000]]
  private static let rows = "b''.join(b'%d,x\\n' % (i * i) for i in range(900))"

  /// Runs a Python program in which `pack` makes a stream of the format; returns what it wrote.
  static func python(_ format: CompressedFormat, _ program: String) throws -> [UInt8] {
    try UnzipStageTests.python(
      """
      import bz2, lzma
      def zstd(data, *options):
          return subprocess.run(['zstd', '-qc', *options], input=data, stdout=subprocess.PIPE, check=True).stdout
      pack = {'zstd': zstd, 'xz': lzma.compress, 'bzip2': bz2.compress}['\(format)']

      """ + program)
  }

  /// Parts, each after its length in four bytes.
  private static func parts(_ bytes: [UInt8]) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      parts.append(Array(rest.dropFirst(4).prefix(count)))
      rest = rest.dropFirst(4 + count)
    }
    return parts
  }

  private var nested: UnzipOptions {
    var options = UnzipOptions()
    options.unpacksNested = true
    return options
  }

  // MARK: - Complete streams

  /// The sizes: all small ones, and those around zstd's blocks, bzip2's smallest block, and the output's chunks.
  private static let sizes =
    Array(0...300) + [100_000, 128 << 10, ByteChunk.defaultBytes, 300_000].flatMap { [$0 - 1, $0, $0 + 1] }

  @Test("data of any size is complete", arguments: formats, ["rows", "noise"])
  func sizes(format: CompressedFormat, kind: String) throws {
    let data =
      kind == "rows"
      ? "b''.join(b'8613800%06d\\tspam\\n' % i for i in range(17000))"
      : "random.Random(4).randbytes(300001)"
    let whole = try Self.python(format, "out.write(\(data))")
    let packed = Self.parts(
      try Self.python(
        format,
        """
        data = \(data)
        for size in \(Self.sizes):
            part = pack(data[:size])
            out.write(struct.pack('<I', len(part)) + part)
        """))
    try #require(packed.count == Self.sizes.count)
    for (size, bytes) in zip(Self.sizes, packed) {
      let expected = Array(whole[..<size])
      #expect(try unzip(bytes).bytes == expected, "\(size) bytes")
      #expect(try unzip(file: bytes).bytes == expected, "\(size) bytes")
      #expect(try unzip(bytes, pieces: size <= 300 ? [1] : [4093]).bytes == expected, "\(size) bytes")
    }
  }

  @Test(
    "every level and every option",
    arguments: [
      (
        CompressedFormat.zstd,
        "[pack(data, *o.split()) for o in ['-1', '-3', '-9', '-19', '--ultra -20', '--fast=5', '--no-check', '-T2', "
          + "'--long=26', '--stream-size=%d' % len(data)]]"
      ),
      (
        .xz,
        "[pack(data, check=c, preset=p) for c in [lzma.CHECK_NONE, lzma.CHECK_CRC32, lzma.CHECK_CRC64, "
          + "lzma.CHECK_SHA256] for p in [0, 1, 6, 9, 9 | lzma.PRESET_EXTREME]]"
          + " + [pack(data, filters=[{'id': lzma.FILTER_DELTA, 'dist': 3}, {'id': lzma.FILTER_LZMA2}])]"
      ), (.bzip2, "[pack(data, level) for level in range(1, 10)]"),
    ])
  func options(format: CompressedFormat, streams: String) throws {
    let whole = try Self.python(format, "out.write(\(Self.rows))")
    let all = Self.parts(
      try Self.python(
        format,
        "data = \(Self.rows)\nfor part in \(streams): out.write(struct.pack('<I', len(part)) + part)"))
    #expect(all.count > 8)
    for (index, bytes) in all.enumerated() { #expect(try unzip(bytes).bytes == whole, "stream \(index)") }
  }

  @Test("many streams are unpacked as one, in pieces of any size", arguments: formats)
  func members(format: CompressedFormat) throws {
    let bytes = try Self.python(format, "out.write(pack(b'one') + pack(b'') + pack(b'two\\n'))")
    let empty = try Self.python(format, "out.write(pack(b'') + pack(b''))")
    for pieces in Self.pieces {
      #expect(try unzip(bytes, pieces: pieces).text == "onetwo\n", "pieces of \(pieces)")
      #expect(try unzip(empty, pieces: pieces).bytes.isEmpty)
    }
    #expect(try unzip(file: bytes).text == "onetwo\n")
  }

  @Test("zstd's skippable frames are skipped, also at the start")
  func skippable() throws {
    let bytes = try Self.python(
      .zstd,
      """
      def skip(id, data): return struct.pack('<II', 0x184D2A50 + id, len(data)) + data
      out.write(skip(0, b'') + pack(b'one') + skip(15, b'not data') + pack(b'two') + skip(7, bytes(9)))
      """)
    for pieces in Self.pieces { #expect(try unzip(bytes, pieces: pieces).text == "onetwo") }
    let failure = unzipError { try unzip(Array(bytes.dropLast())) }
    #expect(failure == .truncatedStream(CompressedStream(.zstd), atByte: UInt64(bytes.count - 1)))
  }

  @Test("a zstd frame has the size that it states, however it is cut")
  func statedSize() throws {
    // libzstd itself accepts it in pieces: the size is 0 and stated as 255, and the last block is empty.
    let bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0xFF, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51]
    for pieces in Self.pieces {
      #expect(
        unzipError { try unzip(bytes, pieces: pieces) }?.code == "damaged-stream", "pieces of \(pieces)")
    }
    var right = bytes
    right[5] = 0
    #expect(try unzip(right, pieces: [1]).bytes.isEmpty)
  }

  @Test("the window of a zstd frame is limited, however it is cut")
  func smallFrame() throws {
    // A raw block of 256 bytes, a stated size of 256, and a window of 1 KiB or 128 MiB.
    let bytes = [0x28, 0xB5, 0x2F, 0xFD, 0x40, 0, 0, 0, 1, 8, 0] + [UInt8](repeating: 0x61, count: 256)
    var large = bytes
    large[5] = 17 << 3
    for pieces in Self.pieces {
      #expect(try unzip(bytes, pieces: pieces).bytes.count == 256, "pieces of \(pieces)")
      let failure = unzipError { try unzip(large, pieces: pieces) }
      #expect(failure == .windowTooLarge(CompressedStream(.zstd)), "pieces of \(pieces)")
    }
  }

  // MARK: - After the end

  @Test("zeros after the last stream are padding, anything else is an error", arguments: formats)
  func afterTheEnd(format: CompressedFormat) throws {
    let bytes = try Self.python(format, "out.write(pack(b'one'))")
    let end = UInt64(bytes.count)
    let stream = CompressedStream(format)
    for pieces in [[1], [5], [100_000]] {
      #expect(try unzip(bytes + [0, 0, 0, 0], pieces: pieces).text == "one")
      for rest in [Array("junk".utf8), [bytes[0]] + Array("nk and more of it".utf8)] {
        #expect(
          unzipError { try unzip(bytes + rest, pieces: pieces) } == .trailingGarbage(stream, atByte: end),
          "pieces of \(pieces)")
      }
      let padded = bytes + [0, 0, 0, 0] + bytes
      if format == .xz {
        #expect(try unzip(padded, pieces: pieces).text == "oneone")
      } else {
        #expect(
          unzipError { try unzip(padded, pieces: pieces) } == .trailingGarbage(stream, atByte: end + 4))
      }
      #expect(
        unzipError { try unzip(bytes + [bytes[0]], pieces: pieces) }
          == .truncatedStream(stream, atByte: end + 1))
    }
  }

  @Test("a stream that is truncated anywhere fails, and never passes as complete", arguments: formats)
  func truncated(format: CompressedFormat) throws {
    let whole = Array("some rows\nand more rows\n".utf8)
    let bytes = try Self.python(format, "out.write(pack(b'some rows\\n') + pack(b'and more rows\\n'))")
    let first = try Self.python(format, "out.write(pack(b'some rows\\n'))").count
    // Fewer bytes of a signature are text.
    let start = format == .bzip2 ? 4 : 2
    for length in 0..<bytes.count {
      let part = Array(bytes[..<length])
      for pieces in [[1], [100_000]] {
        if length < start {
          #expect(try unzip(part, pieces: pieces).bytes == part)
        } else if length == first {
          #expect(try unzip(part, pieces: pieces).text == "some rows\n")
        } else {
          let sink = KeepingSink()
          #expect(
            unzipError { try unzip(part, pieces: pieces, into: sink) }
              == .truncatedStream(CompressedStream(format), atByte: UInt64(length)), "cut to \(length)")
          #expect(whole.starts(with: sink.bytes) && !sink.isFinished)
        }
      }
    }
  }

  // MARK: - Signatures

  @Test("a signature with a wrong byte is not text", arguments: formats)
  func damagedSignature(format: CompressedFormat) throws {
    for bytes in try [
      Self.python(format, "out.write(pack(b'x'))"), Self.python(format, "out.write(pack(b''))"),
    ] {
      for place in 0..<(format == .zstd ? 4 : 6) {
        var damaged = bytes
        damaged[place] ^= 0x80
        for pieces in [[1], [3], [100_000]] {
          #expect(unzipError { try unzip(damaged, pieces: pieces) } == .damagedSignature(format))
        }
        #expect(unzipError { try unzip(file: damaged) } == .damagedSignature(format))
      }
    }
  }

  @Test("text that begins like a stream is text", arguments: [[1], [2], [3], [7], [100_000]])
  func text(pieces: [Int]) throws {
    let long = String(repeating: "1,x\n", count: 100)
    for text in [
      "BZ", "BZh", "BZ,1\n", "BZh91AY&SX,1\n", "BZh91AY&SX," + long, "(", "(1", "P*M", "P*M," + long,
    ] {
      #expect(try unzip(Array(text.utf8), pieces: pieces).text == text)
    }
    // In Latin-1.
    for start in [[0x28, 0xB5, 0x2F, 0x31], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x2C], [0xFD]] as [[UInt8]] {
      let text = start + Array(long.utf8)
      #expect(try unzip(text, pieces: pieces).bytes == text)
    }
  }

  // MARK: - Limits

  @Test("a bomb is stopped soon after the exempt first bytes", arguments: formats)
  func bomb(format: CompressedFormat) throws {
    let bytes = try Self.python(format, "out.write(pack(bytes(40 << 20)))")
    let sink = KeepingSink()
    sink.keepsBytes = false
    let failure = unzipError { try unzip(bytes, pieces: [1 << 20], into: sink) }
    #expect(failure?.message.message.hasSuffix(", more than 200.0 times as much") ?? false)
    #expect(sink.count <= Int(UnzipOptions.ratioFreeBytes) + ByteChunk.defaultBytes && !sink.isFinished)
    var options = UnzipOptions()
    options.maxBytes = 1 << 20
    #expect(unzipError { try unzip(bytes, options: options) } == .tooLarge(limit: 1 << 20))

    let member = try Self.python(format, "out.write(archive([('rows', pack(bytes(40 << 20)))]))")
    #expect(unzipError { try unzip(member, options: nested) }?.code == "expands-too-much")
    let twice = try Self.python(format, "out.write(pack(pack(b'0' * (40 << 20))))")
    #expect(unzipError { try unzip(twice, options: nested) }?.code == "expands-too-much")
  }

  @Test(
    "a stream that needs much memory is refused, and named with its way out",
    arguments: [
      (CompressedFormat.zstd, "pack(b'x', '--long=27')", "use zstd -dc --long=31 FILE | cdpipe parse"),
      (
        .xz, "pack(b'x', filters=[{'id': lzma.FILTER_LZMA2, 'dict_size': 65 << 20}])",
        "use xz -dc FILE | cdpipe parse"
      ),
    ])
  func window(format: CompressedFormat, program: String, hint: String) throws {
    let bytes = try Self.python(format, "out.write(\(program))")
    let failure = unzipError { try unzip(bytes) }
    #expect(failure == .windowTooLarge(CompressedStream(format)))
    #expect(failure?.message.message == "the \(format) stream needs more memory than 64 MiB to unpack")
    #expect(failure?.message.hint == hint && failure?.errorClass == .badData)
    let member = try Self.python(format, "out.write(archive([('a b', \(program))]))")
    #expect(
      unzipError { try unzip(member, options: nested) }
        == .windowTooLarge(CompressedStream(format, member: "a b")))
  }

  // MARK: - Nested streams

  @Test("members and streams in streams are unpacked with --nested", arguments: formats)
  func nesting(format: CompressedFormat) throws {
    let members = try Self.python(
      format,
      "out.write(archive([('a.bin', pack(b'one') + pack(b' more')), ('b', b'two\\n'), ('c', pack(b'three'))]))"
    )
    #expect(try unzip(members, options: nested).text == "one more\ntwo\nthree")
    #expect(try unzip(file: members, options: nested).text == "one more\ntwo\nthree")
    let copied = try unzip(members).bytes
    let magic = Magic(copied.span, isWhole: false)
    #expect(magic == .packed(format))

    let inside = try [
      "pack(gzip.compress(b'one\\ntwo'))", "gzip.compress(pack(b'one\\ntwo'))",
      "pack(archive([('a.csv', b'one'), ('b.csv', b'two')]))",
    ].map { try Self.python(format, "out.write(\($0))") }
    for bytes in inside {
      for pieces in [[1], [100_000]] {
        #expect(try unzip(bytes, pieces: pieces, options: nested).text == "one\ntwo")
      }
    }

    for (content, text) in [
      ("packed[:-3]", "is truncated at byte "), ("packed + b'x'", "has other data after its end, from byte "),
      ("b'\\x7f' + packed[1:]", "is damaged near byte "),
    ] {
      let bytes = try Self.python(
        format, "packed = pack(b'some rows\\n' * 9)\nout.write(archive([('m', \(content))]))")
      let message = unzipError { try unzip(bytes, options: nested) }?.message.message
      #expect(message?.hasPrefix("the \(format) stream in member 'm' " + text) ?? false, "\(content)")
    }
  }

  // MARK: - Libraries

  @Test("a missing library is named with its package", arguments: formats)
  func missingLibrary(format: CompressedFormat) throws {
    let library = try #require(format.library)
    guard
      case .libraryMissing("libnone.so.1", let package) = Decompressor.problem(
        loading: "libnone.so.1", library)
    else {
      Issue.record("it was found")
      return
    }
    #if os(Linux)
      let packages: [CompressedFormat: String] = [.zstd: "libzstd1", .xz: "liblzma5", .bzip2: "libbz2-1.0"]
      #expect(package == packages[format])
      // A library that exists but is not this one.
      #expect(Decompressor.problem(loading: "libc.so.6", library) != nil)
    #endif
  }
}
