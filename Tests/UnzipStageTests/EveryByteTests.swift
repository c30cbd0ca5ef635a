// Every byte of an archive is set to several other values, one at a time: the output is right, or it is an error.

import Records
import SystemIO
import TestSupport
import Testing

@testable import InputStages

@Suite("every byte damaged, one at a time")
struct EveryByteTests {
  /// A program that creates a small archive of two members.
  struct Maker: Sendable, CustomStringConvertible {
    var description: String
    /// The Python program that creates it from `files`.
    var program: String
    var tools: [String] = []
    /// The minimum number of errors in a thousand changes. Changes of times, attributes, versions and comments are
    /// harmless.
    var errorsMin = 500
  }

  static let rows = "b''.join(b'%d,label\\n' % (8613800000000 + i) for i in range(12))"

  static let makers = [
    Maker(description: "zipfile", program: "out.write(archive(files))"),
    Maker(description: "zipfile, stored", program: "out.write(archive(files, zipfile.ZIP_STORED))"),
    Maker(description: "zipfile, bzip2", program: "out.write(archive(files, zipfile.ZIP_BZIP2))"),
    Maker(
      description: "zipfile, as a stream, with a comment",
      program: """
        stream = Stream()
        with zipfile.ZipFile(stream, 'w', zipfile.ZIP_DEFLATED) as zip:
            for name, data in files: zip.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, 8)
            zip.comment = b'a comment'
        out.write(stream.data)
        """),
    Maker(
      description: "zipfile, zip64 as a stream",
      program: """
        stream = Stream()
        with zipfile.ZipFile(stream, 'w', zipfile.ZIP_DEFLATED) as zip:
            for name, data in files:
                info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)); info.compress_type = 8
                with zip.open(info, 'w', force_zip64=True) as member: member.write(data)
        out.write(stream.data)
        """),
    Maker(
      description: "zip64 in the directory and at the end",
      program: """
        data = bytes(archive(files))
        body = data[:data.index(b'PK\\x01\\x02')]; entries = b''; place = 0
        for name, content in files:
            head = list(struct.unpack('<IHHHHHIIIHH', body[place:place + 30]))
            size, packed = head[8], head[7]
            extra = struct.pack('<HHQQQ', 1, 24, size, packed, place)
            entries += struct.pack('<IHHHHHHIIIHHHHHII', 0x02014b50, 45, 45, 0, head[3], head[4], head[5],
                head[6], 0xffffffff, 0xffffffff, len(name), len(extra), 0, 0, 0, 0, 0xffffffff)
            entries += name.encode() + extra
            place += 30 + len(name) + packed
        end64 = struct.pack('<IQHHIIQQQQ', 0x06064b50, 44, 45, 45, 0, 0, 2, 2, len(entries), len(body))
        locator = struct.pack('<IIQI', 0x07064b50, 0, len(body) + len(entries), 1)
        end = struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
        out.write(body + entries + end64 + locator + end)
        """),
    Maker(
      description: "Info-ZIP", program: "out.write(made(files, 'zip', '-q', 'out.zip', 'a.csv', 'b.csv'))",
      tools: ["zip"], errorsMin: 400),
    Maker(
      description: "Info-ZIP, zip64",
      program: "out.write(made(files, 'zip', '-q', '-fz', 'out.zip', 'a.csv', 'b.csv'))", tools: ["zip"],
      errorsMin: 400),
    Maker(
      description: "Info-ZIP, from a pipe to a pipe",
      program: "out.write(made([], 'zip', '-q', '-', '-', stdin=files[0][1]))", tools: ["zip"]),
    Maker(
      description: "Info-ZIP, encrypted",
      program: "out.write(made(files, 'zip', '-q', '-P', 'secret', 'out.zip', 'a.csv', 'b.csv'))",
      tools: ["zip"], errorsMin: 400),
    Maker(
      description: "7z",
      program: "out.write(made(files, seven(), 'a', '-bso0', 'out.zip', 'a.csv', 'b.csv'))",
      tools: ["7zz", "7z"], errorsMin: 400),
    Maker(
      description: "7z, AES",
      program: """
        out.write(made(files, seven(), 'a', '-bso0', '-psecret', '-mem=AES256', 'out.zip', 'a.csv', 'b.csv'))
        """, tools: ["7zz", "7z"], errorsMin: 400),
  ]

  @Test("every byte of a zip archive", arguments: makers)
  func zip(maker: Maker) throws {
    guard maker.tools.isEmpty || maker.tools.contains(where: { isInstalled($0) }) else {
      // Without the tool there is no archive to damage; scripts/system-packages.sh --test installs it.
      print("left out: there is no \(maker.tools.joined(separator: " or "))")
      return
    }
    let bytes = try python(
      "files = [('a.csv', \(Self.rows)), ('b.csv', b'last row')]\n" + maker.program)
    let directory = try TemporaryDirectory()
    try write(Array("secret\n".utf8), to: directory.path + "/password")
    var options = UnzipOptions()
    options.passwordFile = directory.path + "/password"
    guard case (.whole(let whole), _) = try outcome(bytes, options: options) else {
      Issue.record("the archive itself does not unpack: \(try outcome(bytes, options: options))")
      return
    }
    #expect(String(decoding: whole, as: UTF8.self).hasPrefix("8613800000000,label\n"))
    options.maxBytes = UInt64(whole.count)
    // AES is slow on purpose.
    let isSlow = maker.description.contains("AES")
    try damage(bytes, whole, options, values: isSlow ? 2 : 6, errorsMin: maker.errorsMin)
  }

  @Test(
    "every byte of a gzip stream",
    arguments: [
      "out.write(gzip.compress(data, mtime=1))",
      "out.write(gzip.compress(data[:70], mtime=1) + gzip.compress(data[70:], mtime=1))",
      """
      body = zlib.compressobj(9, zlib.DEFLATED, -15)
      body = body.compress(data) + body.flush()
      head = b'\\x1f\\x8b\\x08\\x1e\\0\\0\\0\\0\\0\\xff' + b'\\x04\\0abcd' + b'name\\0' + b'comment\\0'
      head += struct.pack('<H', zlib.crc32(head) & 0xffff)
      out.write(head + body + struct.pack('<II', zlib.crc32(data), len(data)))
      """,
    ])
  func gzip(program: String) throws {
    let bytes = try python("data = \(Self.rows)\n" + program)
    let whole = try unzip(bytes).bytes
    var options = UnzipOptions()
    options.maxBytes = UInt64(whole.count)
    try damage(bytes, whole, options, errorsMin: 800)
  }

  @Test("every byte of a zstd, xz or bzip2 stream", arguments: StreamTests.formats, [false, true])
  func streams(format: CompressedFormat, isTwo: Bool) throws {
    let streams = isTwo ? "pack(data[:70]) + pack(data[70:])" : "pack(data)"
    let bytes = try StreamTests.python(format, "data = \(Self.rows)\nout.write(\(streams))")
    let whole = try unzip(bytes).bytes
    var options = UnzipOptions()
    options.maxBytes = UInt64(whole.count)
    try damage(bytes, whole, options, errorsMin: 800)
  }

  @Test("every byte of a zlib stream except the first two, which identify it")
  func zlib() throws {
    let bytes = try python("out.write(zlib.compress(\(Self.rows)))")
    let whole = try unzip(bytes).bytes
    try damage(bytes, whole, UnzipOptions(), from: 2, errorsMin: 950)
  }

  private func damage(
    _ bytes: [UInt8], _ whole: [UInt8], _ options: UnzipOptions, from: Int = 0, values: Int = 6,
    errorsMin: Int
  ) throws {
    var tries = 0
    var errors = 0
    for place in from..<bytes.count {
      let byte = bytes[place]
      let others = [byte ^ 1, 0xFF, 0, byte ^ 0x80, byte &+ 8, byte &- 1].prefix(values)
      for value in others where value != byte {
        var damaged = bytes
        damaged[place] = value
        tries += 1
        switch try outcome(damaged, options: options) {
        case (.whole(let result), _):
          if result != whole { Issue.record("wrong bytes with \(value) for \(byte) at \(place)") }
        case (.failed(let failure), let count):
          errors += 1
          if failure == nil { Issue.record("not the stage's own failure, \(value) for \(byte) at \(place)") }
          if count > Int(options.maxBytes) { Issue.record("\(count) bytes came out at \(place)") }
        }
      }
    }
    #expect(errors * 1000 >= tries * errorsMin, "\(errors) errors in \(tries) tries")
  }
}
