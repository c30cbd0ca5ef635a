// Zip archives: the output, its order, and what is refused.

import Records
import Synchronization
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import InputStages

@Suite("zip archives")
struct ZipTests {
  static let three =
    "[('a.txt', b'one\\n'), ('d/', b''), ('d/b.txt', b'two'), ('e.txt', b''), ('c.json', b'three')]"
  static let threeText = "one\ntwo\nthree"

  @Test(
    "members are written in order, with a newline after a member that lacks one",
    arguments: ["STORED", "DEFLATED"])
  func members(method: String) throws {
    let bytes = try python("out.write(archive(\(Self.three), zipfile.ZIP_\(method)))")
    #expect(try unzip(bytes).text == Self.threeText)
    #expect(try unzip(file: bytes).text == Self.threeText)
  }

  @Test(
    "members of numbers that are not blocked are left out beside others",
    arguments: ["whitelist.txt", "d/Ausnahmen.csv"])
  func exceptions(name: String) throws {
    let bytes = try python(
      "out.write(archive([('a.txt', b'one'), ('\(name)', b'two'), ('b.txt', b'three')]))")
    let parts = Mutex<[UnpackedPart]>([])
    var options = UnzipOptions()
    options.isExceptions = ParseOptions.isNameOfExceptions
    options.observe = { part in parts.withLock { $0.append(part) } }
    #expect(try unzip(bytes, options: options).text == "one\nthree")
    #expect(parts.withLock(\.self) == [.member("a.txt"), .exceptions(name, isRead: false), .member("b.txt")])
    options.entries = [name]
    #expect(try unzip(bytes, options: options).text == "two")
    let alone = try python("out.write(archive([('\(name)', b'two'), ('__MACOSX/a.txt', b'x')]))")
    options.entries = []
    parts.withLock { $0 = [] }
    #expect(try unzip(alone, options: options).text == "two")
    #expect(parts.withLock(\.self) == [.exceptions(name, isRead: true)])
  }

  @Test("pieces of 1, 2, 3 and 7 bytes make no difference")
  func staccato() throws {
    let bytes = try python("out.write(archive(\(Self.three)))")
    for pieces in [[1], [2], [3], [7], [1, 2, 3, 7], [3, 1]] {
      let sink = try unzip(bytes, pieces: pieces)
      #expect(sink.text == Self.threeText, "pieces of \(pieces)")
      #expect(sink.isFinished)
    }
  }

  @Test("a member of many chunks is complete, from a pipe and from a file")
  func large() throws {
    let data = "b''.join(b'%d\\t\\xe9\\xaa\\x9a\\n' % (8613800000000 + i * 7919) for i in range(150000))"
    let expected = try python("out.write(\(data))")
    let bytes = try python("out.write(archive([('x', \(data)), ('y', b'end')]))")
    for sink in [try unzip(bytes), try unzip(file: bytes)] {
      #expect(sink.bytes == expected + Array("end".utf8))
      #expect(sink.chunks > 4)
    }
  }

  @Test("the byte order mark of a member after the first is removed; text in UTF-16 can't be joined")
  func marks() throws {
    let bytes = try python(
      "bom = b'\\xef\\xbb\\xbf'\nout.write(archive([('a', bom + b'one'), ('b', bom + b'two'), ('c', bom), "
        + "('d', b'\\xef\\xbbx')]))")
    let text: [UInt8] = [0xEF, 0xBB, 0xBF] + Array("one\ntwo\n\n".utf8) + [0xEF, 0xBB, 0x78]
    for pieces in [[1], [100_000]] { #expect(try unzip(bytes, pieces: pieces).bytes == text) }
    let wide = try python("out.write(archive([('a', 'one'.encode('utf-16')), ('b', b'two')]))")
    #expect(unzipError { try unzip(wide) } == .severalMembers(.wideText, name: "a", count: 2))
    let one = try python("out.write(archive([('a', 'one'.encode('utf-16'))]))")
    #expect(try unzip(one).bytes.starts(with: [0xFF, 0xFE]))
  }

  @Test("an empty archive has no bytes")
  func empty() throws {
    let bytes = try python("out.write(archive([]))")
    #expect(bytes.starts(with: [0x50, 0x4B, 5, 6]))
    let sink = try unzip(bytes, pieces: [1])
    #expect(sink.bytes.isEmpty && sink.isFinished)
    #expect(try unzip(file: bytes).bytes.isEmpty)
  }

  @Test("files that macOS adds are left out, unless they are chosen")
  func filesFromMac() throws {
    let bytes = try python(
      "out.write(archive([('a.txt', b'a'), ('__MACOSX/._a.txt', b'x'), ('.DS_Store', b'y'), "
        + "('d/.DS_Store', b'z'), ('d/__MACOSX.txt', b'b'), ('__MACOSX', b'c')]))")
    for sink in [try unzip(bytes), try unzip(file: bytes)] { #expect(sink.text == "a\nb\nc") }
    var options = UnzipOptions()
    options.entries = ["*/._*", "d/.DS*"]
    #expect(try unzip(bytes, options: options).text == "x\nz")
  }

  @Test(
    "formats that are read as a whole are not joined",
    arguments: [
      ("b'SQLite format 3\\0' + bytes(90)", WholeFormat.database),
      ("b'bplist00' + bytes(9)", WholeFormat.propertyList),
      ("b'\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1' + bytes(99)", WholeFormat.office),
      ("bytes(archive([('xl/workbook.xml', bytes(99))]))", WholeFormat.office),
    ])
  func severalMembers(_ contents: String, _ format: WholeFormat) throws {
    for (members, name) in [
      ("[('a', whole), ('b', whole)]", "a"), ("[('b.txt', b'text'), ('c', whole)]", "c"),
      ("[('c', whole), ('b.txt', b'text')]", "c"),
    ] {
      let bytes = try python("whole = \(contents)\nout.write(archive(\(members)))")
      let error = Failure.severalMembers(format, name: name, count: 2)
      #expect(unzipError { try unzip(bytes) } == error)
      #expect(unzipError { try unzip(file: bytes) } == error)
      var options = UnzipOptions()
      options.entries = [name]
      #expect(try unzip(bytes, options: options).bytes.count > 9)
    }
    // Empty members and those of macOS do not count.
    let one = try python(
      "whole = \(contents)\nout.write(archive([('a', b''), ('c', whole), ('__MACOSX/._c', b'x')]))")
    #expect(try unzip(one).bytes.count > 9)
  }

  @Test("members are chosen by patterns")
  func patterns() throws {
    let bytes = try python("out.write(archive(\(Self.three)))")
    var options = UnzipOptions()
    options.entries = ["*.json"]
    #expect(try unzip(bytes, options: options).text == "three")
    options.entries = ["c.json", "d/?.txt"]
    #expect(try unzip(file: bytes, options: options).text == "two\nthree")
    // Each pattern must match a member, as with unzip.
    options.entries = ["*.json", "X*"]
    #expect(
      unzipError { try unzip(bytes, options: options) }
        == .noSuchEntry(
          patterns: ["X*"], available: ["a.txt", "d/b.txt", "e.txt", "c.json"], count: 4))
    options.entries = ["*.csv", "X*"]
    let failure = unzipError { try unzip(bytes, options: options) }
    #expect(
      failure
        == .noSuchEntry(
          patterns: ["*.csv", "X*"], available: ["a.txt", "d/b.txt", "e.txt", "c.json"], count: 4))
    #expect(failure?.errorClass == .noInput)
  }

  @Test("a listing has every entry and no data")
  func listing() throws {
    let bytes = try python("out.write(archive(\(Self.three), zipfile.ZIP_STORED))")
    var entries: [ArchiveEntry] = []
    let sink = KeepingSink()
    let stage = Unzipper(options: UnzipOptions(), context: try context(), downstream: sink) {
      entries.append($0)
    }
    var chunk = ByteChunk()
    chunk.append(bytes.span)
    try stage.receive(&chunk)
    try stage.finish()
    #expect(entries.map(\.name) == ["a.txt", "d/", "d/b.txt", "e.txt", "c.json"])
    #expect(entries.map(\.size) == [4, 0, 3, 0, 5])
    #expect(entries.map(\.compressedSize) == [4, 0, 3, 0, 5])
    #expect(entries.map(\.isDirectory) == [false, true, false, false, false])
    #expect(entries.allSatisfy { !$0.isEncrypted })
    #expect(sink.isFinished && sink.bytes.isEmpty)
    #expect(entries.allSatisfy { $0.method == 0 })
  }

  @Test("a listing has the selected members, and reports errors")
  func listingOfSome() throws {
    func list(_ bytes: [UInt8], _ patterns: [String]) throws -> [String] {
      var names: [String] = []
      var options = UnzipOptions()
      options.entries = patterns
      let stage = Unzipper(options: options, context: try context(), downstream: KeepingSink()) {
        names.append($0.name)
      }
      var chunk = ByteChunk()
      chunk.append(bytes.span)
      try stage.receive(&chunk)
      try stage.finish()
      return names
    }
    let bytes = try python("out.write(archive(\(Self.three)))")
    #expect(try list(bytes, ["*.txt"]) == ["a.txt", "d/b.txt", "e.txt"])
    #expect(
      unzipError { try list(bytes, ["*.txt", "*.csv"]) }
        == .noSuchEntry(patterns: ["*.csv"], available: ["a.txt", "d/b.txt", "e.txt", "c.json"], count: 4))
    var damaged = bytes
    damaged[30] ^= 1
    #expect(
      unzipError { try list(damaged, []) } == damagedMember("a.txt", .headerMismatch("name")))
  }

  @Test("--entry and --list reject input that is not a zip archive")
  func notAnArchive() throws {
    var options = UnzipOptions()
    options.entries = ["*"]
    #expect(unzipError { try unzip(Array("plain".utf8), options: options) } == .notAnArchive)
    #expect(unzipError { try unzip(Array("P".utf8), options: options) } == .notAnArchive)
    let gzip = try python("out.write(gzip.compress(b'x'))")
    #expect(unzipError { try unzip(gzip, options: options) } == .notAnArchive)
  }

  /// Sets a bit of the flags in the member's header and in the directory.
  static let encrypted = """
    data = archive([('plain.txt', b'x'), ('secret.txt', b'some bytes')])
    place = data.index(b'secret.txt') - 30
    data[place + 6] |= 1
    place = data.rindex(b'secret.txt') - 46
    data[place + 8] |= 1
    out.write(data)
    """

  @Test("an encrypted member is refused with its name, before anything is written")
  func encrypted() throws {
    let bytes = try python(Self.encrypted)
    let sink = KeepingSink()
    #expect(unzipError { try unzip(bytes, into: sink) } == .encrypted(name: "secret.txt"))
    #expect(sink.chunks == 0 && !sink.isFinished)
    var options = UnzipOptions()
    options.entries = ["plain.txt"]
    #expect(try unzip(bytes, options: options).text == "x")
  }

  @Test("an unknown method is refused with the member's name, before anything is written")
  func method() throws {
    let bytes = try python(
      """
      data = archive([('a', b'x'), ('odd', b'some bytes')])
      data[data.index(b'odd') - 30 + 8] = 18
      data[data.rindex(b'odd') - 46 + 10] = 18
      out.write(data)
      """)
    let sink = KeepingSink()
    #expect(unzipError { try unzip(bytes, into: sink) } == zip(.unsupportedMethod(name: "odd", method: 18)))
    #expect(sink.chunks == 0)
  }

  @Test("an archive that was written as a stream, with sizes after the data, is read")
  func dataDescriptors() throws {
    let bytes = try python(
      """
      stream = Stream()
      with zipfile.ZipFile(stream, 'w', zipfile.ZIP_DEFLATED) as zip:
          zip.writestr('a', b'one'); zip.writestr('b', b'two')
      out.write(stream.data)
      """)
    #expect(bytes[6] & 8 != 0, "the sizes follow the data")
    #expect(try unzip(bytes).text == "one\ntwo")
  }

  @Test("names are data: parent paths and pattern characters have no effect")
  func names() throws {
    let bytes = try python(
      "out.write(archive([('../../etc/x', b'1\\n'), ('/abs', b'2\\n'), ('[', b'3\\n'), ('', b'4\\n')]))")
    #expect(try unzip(bytes).text == "1\n2\n3\n4\n")
  }

  @Test("a failure downstream is rethrown")
  func downstreamFails() throws {
    let bytes = try python("out.write(archive([('m', b'x' * 3000000)]))")
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

  @Test("the temporary file is in the chosen directory, and nothing of it stays")
  func spool() throws {
    let bytes = try python("out.write(archive(\(Self.three)))")
    let directory = try TemporaryDirectory()
    var options = UnzipOptions()
    options.tempDirectory = directory.path
    #expect(try unzip(bytes, options: options).text == Self.threeText)
    #expect(directory.names.isEmpty)
    options.tempDirectory = directory.path + "/none"
    do {
      _ = try unzip(bytes, options: options)
      Issue.record("it did not fail")
    } catch let failure as Failure {
      #expect(
        failure.systemError
          == SystemError(.createSpill, directory.path + "/none", .noSuchFileOrDirectory))
    }
  }

  @Test("a full disk ends the copy to the temporary file")
  func fullDisk() throws {
    let bytes = try python("out.write(archive([('m', b'x' * 1000)], zipfile.ZIP_STORED))")
    let context = StageContext(
      meter: StageMeter(.unzip), rejects: try RejectLog(), calls: FailingCalls.fullDisk(after: 600))
    var options = UnzipOptions()
    options.tempDirectory = "/tmp"
    let sink = KeepingSink()
    let stage = Unzipper(options: options, context: context, downstream: sink)
    do throws(Failure) {
      for start in stride(from: 0, to: bytes.count, by: 100) {
        var chunk = ByteChunk(capacity: 100)
        chunk.append(bytes.span.extracting(start..<min(start + 100, bytes.count)))
        try stage.receive(&chunk)
      }
      Issue.record("it did not fail")
    } catch {
      #expect(error.systemError == SystemError(.writeSpill, "/tmp", .noSpace))
      #expect(error.stage == .unzip)
    }
    #expect(context.meter.bytesSpilled.value == 600 && sink.chunks == 0)
  }

  @Test("a missing library is named")
  func missingLibrary() {
    guard case .libraryMissing("libnone.so.1", _) = ZipMember.problem(loading: "libnone.so.1")
    else {
      Issue.record("it was found")
      return
    }
    #expect(Failure.libraryMissing(name: "", package: "").errorClass == .unavailable)
    // A library that exists but is not libzip.
    #if os(Linux)
      #expect(ZipMember.problem(loading: "libc.so.6") != nil)
    #endif
  }
}
