// Zip archives that are damaged, truncated, or malicious.

import Records
import SystemIO
import Testing

@testable import InputStages

@Suite("damaged zip archives")
struct ZipDamageTests {
  @Test("a wrong checksum is named", arguments: ["STORED", "DEFLATED"])
  func checksum(method: String) throws {
    // The checksum in the directory, which is the one that counts, and in the header, too.
    let bytes = try python(
      """
      data = archive([('good', b'one'), ('bad', b'two' * 100)], zipfile.ZIP_\(method))
      data[data.index(b'bad') - 30 + 14] ^= 1
      data[data.rindex(b'bad') - 46 + 16] ^= 1
      out.write(data)
      """)
    let sink = KeepingSink()
    #expect(unzipError { try unzip(bytes, into: sink) } == zip(.wrongChecksum(name: "bad")))
    #expect(!sink.isFinished)
    #expect(unzipError { try unzip(file: bytes) } == zip(.wrongChecksum(name: "bad")))
  }

  @Test("damaged data never passes as complete")
  func damagedByte() throws {
    let bytes = try python("out.write(archive([('m', b''.join(b'%d,x\\n' % (i * i) for i in range(2000)))]))")
    let whole = try unzip(bytes).bytes
    var failures = 0
    for place in stride(from: 31, to: bytes.count, by: 97) {
      var damaged = bytes
      damaged[place] ^= 0x10
      do {
        // A byte without effect (a time, a version) may be damaged without harm.
        #expect(try unzip(damaged).bytes == whole, "byte \(place)")
      } catch {
        failures += 1
      }
    }
    #expect(failures > 20)
  }

  @Test("any wrong bit is detected, or does no harm")
  func wrongBit() throws {
    let bytes = try python("out.write(archive([('name', b'some rows\\nand more rows\\n')]))")
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
    #expect(failures > bytes.count)
  }

  @Test("a member that is longer or shorter than stated is rejected", arguments: [-3, 3])
  func wrongSize(by: Int) throws {
    for method in ["STORED", "DEFLATED"] {
      let bytes = try python(
        """
        data = archive([('name', b'some rows' * 9), ('next', b'x')], zipfile.ZIP_\(method))
        for place in (data.index(b'name') - 30 + 22, data.rindex(b'name') - 46 + 24):
            struct.pack_into('<I', data, place, 81 + \(by))
        out.write(data)
        """)
      let sink = KeepingSink()
      let failure = unzipError { try unzip(bytes, into: sink) }
      #expect(failure?.message.message.hasPrefix("member 'name' is damaged: ") ?? false)
      #expect(
        ["damaged-member", "wrong-checksum"].contains(failure?.code)
          || failure == zip(.wrongSize(name: "name", expected: UInt64(81 + by), unpacked: 81)))
      #expect(!sink.isFinished)
    }
  }

  @Test("an archive that is truncated anywhere fails, and never passes as complete")
  func truncated() throws {
    let bytes = try python(
      "out.write(archive([('m', b''.join(b'%d,x\\n' % (i * i) for i in range(900))), ('n', b'end')]))")
    #expect(bytes.count > 2000)
    for length in stride(from: 50, to: bytes.count, by: 50) {
      let sink = KeepingSink()
      let failure = unzipError { try unzip(Array(bytes[..<length]), into: sink) }
      #expect(failure?.code == "damaged-archive", "cut to \(length)")
      #expect(sink.chunks == 0 && !sink.isFinished)
    }
  }

  @Test("a directory that lists more than there is does no harm")
  func falseEntryCount() throws {
    // Zip64: one entry, with consistent positions and sizes, and a count of 2^25 entries.
    let zip64 = try python(
      """
      start = b'PK\\x03\\x04' + bytes(60)
      entry = struct.pack('<IHHHHHHIIIHHHHHII', 0x02014b50, 20, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      place = len(start) + len(entry)
      end64 = struct.pack('<IQHHIIQQQQ', 0x06064b50, 44, 45, 45, 0, 0, 1 << 25, 1 << 25, len(entry), len(start))
      locator = struct.pack('<IIQI', 0x07064b50, 0, place, 1)
      end = struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
      out.write(start + entry + end64 + locator + end)
      """)
    #expect(unzipError { try unzip(zip64) }?.code == "damaged-archive")
  }

  @Test("an archive may have any number of members")
  func manyMembers() throws {
    let many = try python("out.write(archive([('n' * 200 + str(i), b'%d' % i) for i in range(20000)]))")
    #expect(try unzip(many).bytes == Array((0..<20000).map { "\($0)" }.joined(separator: "\n").utf8))
  }

  @Test("more bytes than allowed are not forwarded")
  func maxBytes() throws {
    let bytes = try python("out.write(archive([('m', b'x' * 1000000)]))")
    var options = UnzipOptions()
    options.maxBytes = 999_999
    let sink = KeepingSink()
    #expect(unzipError { try unzip(bytes, options: options, into: sink) } == .tooLarge(limit: 999_999))
    #expect(sink.count <= 999_999 && !sink.isFinished)
    options.maxBytes = 1_000_000
    #expect(try unzip(bytes, options: options).count == 1_000_000)
  }
}
