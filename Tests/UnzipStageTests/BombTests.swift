// Archives that are made to fill disks: detected before any output, or stopped at the limits, and quickly.

import Records
import SystemIO
import Testing

@testable import InputStages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("zip bombs")
struct BombTests {
  /// The maximum CPU time for a bomb in seconds, in a debug build.
  static let secondsMax = 1.0

  /// The CPU time of this thread in seconds, on which other tests have little influence.
  private static func cpuSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The error that an input ends with, within the time limit, and the number of bytes that were output before.
  private func burn(_ bytes: [UInt8], _ options: UnzipOptions = UnzipOptions()) -> (Failure?, Int) {
    let sink = KeepingSink()
    sink.keepsBytes = false
    let start = Self.cpuSeconds()
    let failure = unzipError { try unzip(bytes, pieces: [1 << 20], options: options, into: sink) }
    #expect(Self.cpuSeconds() - start < Self.secondsMax)
    #expect(!sink.isFinished)
    return (failure, sink.count)
  }

  @Test("a huge ratio in the directory is detected before anything is written")
  func ratio() throws {
    let bytes = try python("out.write(archive([('rows', b'1,x\\n'), ('zeros', bytes(200 << 20))]))")
    let (failure, count) = burn(bytes)
    let sizes = " unpack to \(Figures.bytes(200 << 20)), more than 200.0 times as much"
    #expect(failure?.code == "expands-too-much" && failure?.message.message.hasSuffix(sizes) ?? false)
    #expect(bytes.count < 300_000 && count == 0)
  }

  @Test("a directory with a false size does not help a bomb")
  func hiddenSize() throws {
    let bytes = try python(
      """
      data = archive([('zeros', bytes(200 << 20))])
      for place in (22, data.rindex(b'zeros') - 46 + 24): struct.pack_into('<I', data, place, 1000)
      out.write(data)
      """)
    let (failure, count) = burn(bytes)
    let text = failure?.message.message ?? ""
    #expect(failure?.code == "wrong-size" && text.hasPrefix("member 'zeros' is damaged: it unpacked to "))
    #expect(text.hasSuffix(" of \(Figures.grouped(1000)) bytes") && count == 0)
  }

  @Test("the ratio of small members does not matter")
  func small() throws {
    let bytes = try python("out.write(archive([('zeros', bytes(10 << 20))]))")
    #expect(try unzip(bytes).count == 10 << 20)
  }

  @Test("a gzip bomb is stopped at the ratio, soon after the exempt first bytes")
  func gzip() throws {
    let bytes = try python("out.write(gzip.compress(bytes(200 << 20)))")
    let (failure, count) = burn(bytes)
    #expect(failure?.message.message.hasSuffix(", more than 200.0 times as much") ?? false)
    #expect(count <= Int(UnzipOptions.ratioFreeBytes) + ByteChunk.defaultBytes)
  }

  /// Layers of archives, each with sixteen of the layer below, as in 42.zip: 256 GiB of zeros at the bottom.
  static let layers = """
    bottom = archive([('0.dll', bytes(64 << 20))])
    layer = bottom
    for depth in range(3):
        layer = archive([('lib %x.zip' % i, bytes(layer)) for i in range(16)])
    """

  @Test("layers of archives: one level is unpacked, or refused as nested")
  func layers() throws {
    let bytes = try python(Self.layers + "\nout.write(layer)")
    #expect(bytes.count < 1 << 20)
    var options = UnzipOptions()
    options.unpacksNested = true
    let (failure, count) = burn(bytes, options)
    #expect(failure == .nestedArchive(name: "lib 0.zip") && count == 0)
    // Without --nested, the sixteen archives are output as they are.
    let sink = KeepingSink()
    sink.keepsBytes = false
    _ = try unzip(bytes, into: sink)
    #expect(sink.count < 16 << 20)
  }

  @Test("streams in members count by their final output")
  func nestedStream() throws {
    let bytes = try python(
      "out.write(archive([('rows.gz', gzip.compress(gzip.compress(bytes(100 << 20))))]))")
    // One level: the output is the gzip inside the gzip.
    var options = UnzipOptions()
    options.unpacksNested = true
    let sink = KeepingSink()
    _ = try unzip(bytes, options: options, into: sink)
    #expect(sink.bytes.starts(with: [0x1F, 0x8B]) && sink.count < 200_000)

    let bomb = try python("out.write(archive([('rows.gz', gzip.compress(bytes(100 << 20)))]))")
    let (failure, count) = burn(bomb, options)
    #expect(failure?.message.message.hasSuffix(", more than 200.0 times as much") ?? false)
    #expect(count <= Int(UnzipOptions.ratioFreeBytes) + ByteChunk.defaultBytes)
  }

  /// Members whose data are the same kernel: each header is quoted by a stored block of the member before, so that one
  /// member continues through all the headers after it and into the kernel (D. Fifield, 2019, "quoted overlap").
  static let overlapping = """
    kernel = zlib.compressobj(9, 8, -15); packed = kernel.compress(bytes(1 << 20)) + kernel.flush()
    members = 60
    data = packed
    parts = []
    content = bytes(1 << 20)
    for i in reversed(range(members)):
        name = b'%04d' % i
        head = struct.pack('<IHHHHHIIIHH', 0x04034b50, 20, 0, 8, 0, 33, zlib.crc32(content), len(data), len(content),
            len(name), 0) + name
        parts.append((name, head, zlib.crc32(content), len(data), len(content)))
        # The previous member quotes this header in a stored block and continues with this one's data.
        content = head + content
        data = struct.pack('<BHH', 0, len(head), len(head) ^ 0xffff) + head + data
    parts.reverse()
    body = b''; places = []
    for i, part in enumerate(parts):
        if i: body += struct.pack('<BHH', 0, len(part[1]), len(part[1]) ^ 0xffff)
        places.append(len(body)); body += part[1]
    body += packed
    entries = b''.join(struct.pack('<IHHHHHHIIIHHHHHII', 0x02014b50, 20, 20, 0, 8, 0, 33, crc, packed_size, size,
        len(name), 0, 0, 0, 0, 0, place) + name for (name, head, crc, packed_size, size), place in zip(parts, places))
    end = struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, members, members, len(entries), len(body), 0)
    bomb = body + entries + end
    """

  @Test("overlapping members are detected before anything is written")
  func overlap() throws {
    let bytes = try python(Self.overlapping + "\nout.write(bomb)")
    #expect(bytes.count < 10_000)
    // Each member alone is valid: Python, which does not check for overlaps, unpacks it.
    let last = try python(
      Self.overlapping + "\nout.write(b'%d' % len(zipfile.ZipFile(io.BytesIO(bomb)).read('0059')))")
    #expect(String(decoding: last, as: UTF8.self) == "1048576")
    let (failure, count) = burn(bytes)
    #expect(failure == damagedMember("0001", .overlapsMember) && count == 0)
    // Also if only one of them is selected.
    var options = UnzipOptions()
    options.entries = ["0059"]
    #expect(burn(bytes, options).0 == damagedMember("0001", .overlapsMember))
  }

  @Test("entries that point to one member are detected", arguments: [2, 30, 5000])
  func sameMember(count: Int) throws {
    let bytes = try python(
      """
      one = archive([('m', random.randbytes(1000) * 1000)])
      start = one.rindex(b'PK\\x01\\x02'); end = one.rindex(b'PK\\x05\\x06')
      entry = one[start:end]
      tail = struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, \(count), \(count), len(entry) * \(count), start, 0)
      out.write(one[:start] + entry * \(count) + tail)
      """)
    let (failure, out) = burn(bytes)
    #expect(failure == damagedMember("m", .overlapsMember) && out == 0)
  }

  @Test("a directory in another order is not an overlap")
  func order() throws {
    let bytes = try python(
      """
      random.seed(11)
      data = archive([('%03d' % i, b'%d' % i) for i in range(200)])
      start = data.index(b'PK\\x01\\x02'); end = data.rindex(b'PK\\x05\\x06')
      entries = [b'PK\\x01\\x02' + entry for entry in bytes(data[start:end]).split(b'PK\\x01\\x02')[1:]]
      random.shuffle(entries)
      out.write(data[:start] + b''.join(entries) + data[end:])
      """)
    let numbers = try unzip(bytes).text.split(separator: "\n").compactMap { Int($0) }
    #expect(numbers != Array(0..<200) && numbers.sorted() == Array(0..<200))
  }

  @Test("more than the limit, all members together, is reported before anything is written")
  func total() throws {
    let bytes = try python("out.write(archive([(str(i), b'x' * 600) for i in range(3)]))")
    var options = UnzipOptions()
    options.maxBytes = 1799
    let (failure, count) = burn(bytes, options)
    #expect(failure == .tooLarge(limit: 1799) && count == 0)
    // The newlines between them count too.
    options.maxBytes = 1801
    #expect(burn(bytes, options).0 == .tooLarge(limit: 1801))
    options.maxBytes = 1802
    #expect(try unzip(bytes, options: options).count == 1802)
    options.entries = ["0"]
    options.maxBytes = 600
    #expect(try unzip(bytes, options: options).count == 600)
  }
}
