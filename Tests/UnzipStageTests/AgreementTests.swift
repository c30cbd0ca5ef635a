// A member's header, the directory and the end records must agree.

import Records
import SystemIO
import Testing

@testable import InputStages

@Suite("headers and directory agree")
struct AgreementTests {
  /// Changes one field of the header of 'name' or of its entry in the directory.
  private func failure(_ change: String) throws -> Failure? {
    let bytes = try python(
      """
      data = archive([('first', b'1'), ('name', b'some rows\\n' * 9), ('last', b'x')])
      header = data.index(b'name') - 30; entry = data.rindex(b'name') - 46; end = len(data) - 22
      \(change)
      out.write(data)
      """)
    let sink = KeepingSink()
    let failure = unzipError { try unzip(bytes, into: sink) }
    #expect(sink.count == 0, "something came out")
    #expect(unzipError { try unzip(file: bytes) } == failure)
    return failure
  }

  @Test(
    "a member's header",
    arguments: [
      ("data[header + 30] ^= 1", MemberErrorReason.headerMismatch("name")),
      ("data[header + 26] += 1", .headerMismatch("name")),
      ("data[header + 8] = 0", .headerMismatch("method")),
      ("data[header + 6] |= 1", .headerMismatch("encryption")),
      ("data[header + 14] ^= 1", .headerMismatch("checksum or sizes")),
      ("data[header + 18] ^= 1", .headerMismatch("checksum or sizes")),
      ("data[header + 22] ^= 1", .headerMismatch("checksum or sizes")),
      ("data[header] ^= 1", .noHeader),
      ("data[entry + 42] += 1", .noHeader),
      ("struct.pack_into('<I', data, entry + 42, 1 << 31)", .noHeader),
      // Both have the same value, but it is impossible.
      ("data[header + 21] = data[entry + 23] = 0x7f", .outOfBounds),
      // Both have the same value, but the next member is there.
      ("data[header + 18] += 10; data[entry + 20] += 10", .overlapsMember),
    ])
  func member(change: String, reason: MemberErrorReason) throws {
    // The member that shares bytes is the second one.
    let name = reason == .overlapsMember ? "last" : "name"
    #expect(try failure(change) == damagedMember(name, reason))
  }

  @Test(
    "the directory and the end records",
    arguments: [
      ("data[entry] ^= 1", ArchiveErrorReason.badEntry(index: 1)),
      ("data[entry + 34] = 1", .multipleDisks),
      ("data[entry + 47] = data[header + 31] = 0", .badEntry(index: 1)),
      ("data[end] ^= 1", .noEndRecord),
      ("data[end + 4] = 1", .multipleDisks),
      ("data[end + 8] = 2", .multipleDisks),
      ("data[end + 8] = data[end + 10] = 2", .badEndRecord),
      ("data[end + 8] = data[end + 10] = 4", .badEndRecord),
      ("data[end + 12] -= 1", .badEndRecord),
      ("data[end + 16] -= 1", .badEndRecord),
      ("data[end + 20] = 1", .noEndRecord),
      ("data += b'?'", .trailingBytes(atByte: 297)),
      ("data += bytes(1000)", .trailingBytes(atByte: 297)),
      ("del data[-1]", .noEndRecord),
      ("data[:] = data + data", .badEndRecord),
    ])
  func archive(change: String, reason: ArchiveErrorReason) throws {
    #expect(try failure(change) == zip(.damagedArchive(reason)))
  }

  @Test("packed data that ends too early or continues after the end")
  func packedEnd() throws {
    func failure(_ content: String) throws -> Failure? {
      let bytes = try python(
        """
        body = zlib.compressobj(9, 8, -15); body = body.compress(b'some rows\\n' * 9) + body.flush()
        body = \(content)
        data = archive([('name', b'some rows\\n' * 9)])
        start = data.index(b'PK\\x01\\x02'); end = data.rindex(b'PK\\x05\\x06')
        struct.pack_into('<I', data, 18, len(body)); struct.pack_into('<I', data, start + 20, len(body))
        struct.pack_into('<I', data, end + 16, 34 + len(body))
        out.write(data[:34] + body + data[start:])
        """)
      return unzipError { try unzip(bytes) }
    }
    #expect(try failure("body + b'x'") == damagedMember("name", .trailingBytes))
    #expect(try failure("body + bytes(300000)") == damagedMember("name", .trailingBytes))
    #expect(try failure("body[:-1]") == damagedMember("name", .truncated))
    #expect(try failure("b''") == damagedMember("name", .truncated))
    #expect(
      try failure("b'\\x07' + body") == damagedMember("name", .badData(text: "invalid block type")))
  }

  @Test("an archive in a stored member, or in a comment, is not read as the archive")
  func archiveInside() throws {
    let inner = "inner = archive([('wrong', b'wrong')])\n"
    let stored = try python(inner + "out.write(archive([('a', bytes(inner))], zipfile.ZIP_STORED))")
    #expect(try unzip(stored).bytes == (try python(inner + "out.write(inner)")))
    let comment = try python(
      inner + """
        file = io.BytesIO()
        with zipfile.ZipFile(file, 'w') as zip:
            zip.writestr('a', b'right'); zip.comment = bytes(inner)
        out.write(file.getvalue())
        """)
    #expect(unzipError { try unzip(comment) } == zip(.damagedArchive(.badEndRecord)))
  }

  @Test("an entry with a directory's name that has data is a member")
  func directoryWithBytes() throws {
    let bytes = try python("out.write(archive([('d/', b'bytes\\n'), ('e/', b''), ('f', b'more')]))")
    #expect(try unzip(bytes).text == "bytes\nmore")
  }

  @Test("names are read as UTF-8, as code page 437, or from the Unicode field")
  func names() throws {
    let bytes = try python(
      """
      def with_name(raw, extra=b''):
          head = struct.pack('<HHHHHIIIHH', 20, 0, 0, 0, 33, zlib.crc32(b'x'), 1, 1, len(raw), len(extra))
          body = b'PK\\x03\\x04' + head + raw + extra + b'x'
          entry = b'PK\\x01\\x02' + struct.pack('<H', 20) + head + bytes(14) + raw + extra
          return body + entry + struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, 1, 1, len(entry), len(body), 0)
      name = '名单.csv'.encode()
      field = b'\\x01' + struct.pack('<I', zlib.crc32(b'?.csv')) + name
      parts = [with_name(name), with_name(b'caf\\x82.csv'),
          with_name(b'?.csv', struct.pack('<HH', 0x7075, len(field)) + field),
          with_name(b'!.csv', struct.pack('<HH', 0x7075, len(field)) + field)]
      out.write(b''.join(struct.pack('<I', len(part)) + part for part in parts))
      """)
    var names: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let sink = KeepingSink()
      let stage = Unzipper(options: UnzipOptions(), context: try context(), downstream: sink) {
        names.append($0.name)
      }
      var chunk = ByteChunk()
      chunk.append(Array(rest.dropFirst(4).prefix(count)).span)
      try stage.receive(&chunk)
      try stage.finish()
      rest = rest.dropFirst(4 + count)
    }
    // The last entry's field is for another name.
    #expect(names == ["名单.csv", "café.csv", "名单.csv", "!.csv"])
  }

  @Test("occupied pieces of a file", arguments: [1, 2, 3, 4, 5])
  func layout(seed: UInt64) {
    var random = seed &* 0x9E37_79B9_7F4A_7C15
    func next(_ bound: UInt64) -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (random >> 33) % bound
    }
    for _ in 0..<300 {
      var layout = ZipLayout()
      // The oracle: one flag for each byte of a small file.
      var taken = [Bool](repeating: false, count: 64)
      for _ in 0..<20 {
        let start = Int(next(60))
        let end = start + 1 + Int(next(4))
        let isFree = !taken[start..<end].contains(true)
        #expect(layout.claim(UInt64(start), UInt64(end)) == (isFree ? .claimed : .overlaps), "seed \(seed)")
        if !isFree { break }
        for index in start..<end { taken[index] = true }
      }
    }
  }

  @Test("members in too many separate pieces are refused, not recorded")
  func tooManyRanges() {
    var layout = ZipLayout()
    for piece in 0..<UInt64(UnzipLimits.occupiedRangesMax) {
      #expect(layout.claim(piece * 2, piece * 2 + 1) == .claimed)
    }
    #expect(layout.claim(1 << 40, 1 << 40 + 1) == .tooManyRanges)
    // A piece that closes a gap is accepted.
    #expect(layout.claim(1, 2) == .claimed)
    #expect(layout.claim(1 << 40, 1 << 40 + 1) == .claimed)
  }
}
