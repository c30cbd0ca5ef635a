// Members that are streams themselves, and zlib streams.

import Records
import SystemIO
import Testing

@testable import InputStages

@Suite("nested streams, and zlib streams")
struct NestedTests {
  private var nested: UnzipOptions {
    var options = UnzipOptions()
    options.unpacksNested = true
    return options
  }

  @Test("gzip and zlib members are unpacked with --nested, by their bytes and not their names")
  func members() throws {
    let bytes = try python(
      """
      out.write(archive([('a.json.gz', gzip.compress(b'one') + gzip.compress(b' more')), ('b.json', b'two\\n'),
          ('c.gz', b'three, not packed'), ('empty.gz', gzip.compress(b'')), ('empty', b''),
          ('d', zlib.compress(b'four')), ('e.bin', gzip.compress(b'five'))]))
      """)
    #expect(try unzip(bytes, options: nested).text == "one more\ntwo\nthree, not packed\nfour\nfive")
    #expect(try unzip(file: bytes, options: nested).text == "one more\ntwo\nthree, not packed\nfour\nfive")
    #expect(try unzip(bytes).bytes.starts(with: [0x1F, 0x8B]))
  }

  @Test("a long nested stream is complete")
  func long() throws {
    let data = "b''.join(b'%d\\t\\xe9\\xaa\\x9a\\n' % (8613800000000 + i * 7919) for i in range(150000))"
    let expected = try python("out.write(\(data))")
    let bytes = try python("out.write(archive([('x.gz', gzip.compress(\(data))), ('y', b'end')]))")
    #expect(try unzip(bytes, options: nested).bytes == expected + Array("end".utf8))
  }

  @Test("only one level is unpacked, and an archive in an archive is refused by name")
  func levels() throws {
    let twice = try python("out.write(archive([('a', gzip.compress(gzip.compress(b'x')))]))")
    #expect(try unzip(twice, options: nested).bytes.starts(with: [0x1F, 0x8B]))
    let zips = try python("out.write(archive([('a', b'x'), ('b.zip', archive([('c', b'y')]))]))")
    #expect(unzipError { try unzip(zips, options: nested) } == .nestedArchive(name: "b.zip"))
  }

  @Test("what a stream contains is unpacked, too: an archive, or another stream")
  func inStream() throws {
    let zip = try python("out.write(gzip.compress(archive([('a.csv', b'one'), ('b.csv', b'two')])))")
    let twice = try python("out.write(gzip.compress(zlib.compress(b'one\\ntwo')))")
    for bytes in [zip, twice] {
      for pieces in [[1], [7], [100_000]] {
        #expect(try unzip(bytes, pieces: pieces, options: nested).text == "one\ntwo", "pieces of \(pieces)")
      }
      #expect(try unzip(file: bytes, options: nested, isSpooled: bytes == zip).text == "one\ntwo")
    }
    #expect(try unzip(zip).bytes.starts(with: [0x50, 0x4B]))
    var chosen = nested
    chosen.entries = ["b.csv"]
    #expect(try unzip(zip, options: chosen).text == "two")
    #expect(unzipError { try unzip(twice, options: chosen) } == .notAnArchive)
  }

  @Test("a stream in a stream expands no more than one")
  func bombInStream() throws {
    let bomb = try python("out.write(gzip.compress(gzip.compress(b'0' * (20 << 20))))")
    #expect(unzipError { try unzip(bomb, options: nested) }?.code == "expands-too-much")
  }

  @Test("a nested stream that is damaged, truncated or followed by other data is named by its member")
  func damaged() throws {
    func failure(_ content: String) throws -> Failure? {
      let bytes = try python(
        "packed = gzip.compress(b'some rows\\n' * 9)\nout.write(archive([('m.gz', \(content))]))")
      return unzipError { try unzip(bytes, options: nested) }
    }
    for (content, text) in [
      ("packed[:-3]", "is truncated at byte "), ("packed + b'x'", "has other data after its end, from byte "),
      ("packed[:-1] + b'x'", "is damaged near byte "), ("b'\\x1e' + packed[1:]", "is damaged near byte "),
    ] {
      let message = try failure(content)?.message.message
      #expect(message?.hasPrefix("the gzip stream in member 'm.gz' " + text) ?? false, "\(content)")
    }
  }

  // MARK: - zlib

  @Test("a zlib stream of any level is unpacked, in pieces of any size", arguments: [0, 1, 5, 6, 9])
  func zlib(level: Int) throws {
    let data = "b''.join(b'%d,x\\n' % (i * i) for i in range(900))"
    let expected = try python("out.write(\(data))")
    let bytes = try python("out.write(zlib.compress(\(data), \(level)))")
    #expect(bytes[0] == 0x78)
    for pieces in [[1], [2], [3], [7], [100_000]] {
      #expect(try unzip(bytes, pieces: pieces).bytes == expected, "pieces of \(pieces)")
    }
    #expect(try unzip(file: bytes).bytes == expected)
    let empty = try python("out.write(zlib.compress(b'', \(level)))")
    #expect(try unzip(empty, pieces: [1]).bytes.isEmpty)
  }

  @Test("a zlib stream must be valid, with nothing after its end")
  func damagedZlib() throws {
    let bytes = try python("out.write(zlib.compress(b'some rows\\n' * 9))")
    let end = UInt64(bytes.count)
    let stream = CompressedStream(.zlib)
    for pieces in [[1], [5], [100_000]] {
      #expect(
        unzipError { try unzip(bytes + [0], pieces: pieces) } == .trailingGarbage(stream, atByte: end))
      #expect(
        unzipError { try unzip(bytes + bytes, pieces: pieces) } == .trailingGarbage(stream, atByte: end))
    }
    for length in 2..<bytes.count {
      #expect(
        unzipError { try unzip(Array(bytes[..<length])) }
          == .truncatedStream(stream, atByte: UInt64(length)))
    }
    var wrong = bytes
    wrong[bytes.count - 1] ^= 1
    let failure = unzipError { try unzip(wrong) }
    #expect(failure?.message.message.hasPrefix("the zlib stream is damaged near byte ") ?? false)
  }

  @Test("text that begins like a zlib stream is text", arguments: [[1], [2], [3], [7], [100_000]])
  func textLikeZlib(pieces: [Int]) throws {
    for text in ["x", "x^", "x^2\n", "x^y,骚扰电话\n", "x" + String(repeating: "^", count: 1000), "x\tname\n"] {
      #expect(try unzip(Array(text.utf8), pieces: pieces).text == text)
    }
  }

  @Test(
    "input that differs in one byte from the beginning of a zip or gzip file is refused",
    arguments: [[1], [3], [100_000]])
  func damagedSignature(pieces: [Int]) throws {
    for (format, program) in [
      (CompressedFormat.zip, "out.write(archive([('a', b'x')]))"), (.zip, "out.write(archive([]))"),
      (.gzip, "out.write(gzip.compress(b'x'))"),
    ] {
      let bytes = try python(program)
      for place in 0..<(format == .zip ? 4 : 2) {
        var damaged = bytes
        damaged[place] ^= 0x80
        #expect(unzipError { try unzip(damaged, pieces: pieces) } == .damagedSignature(format))
      }
    }
  }
}
