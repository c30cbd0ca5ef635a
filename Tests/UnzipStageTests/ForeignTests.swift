// Packed formats that are detected and refused, so that they don't pass as text.

import Records
import Testing

@testable import InputStages

@Suite("other compression formats") struct ForeignTests {
  static let signatures: [(UnsupportedFormat, [UInt8])] = [
    (.sevenZip, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), (.rar, Array("Rar!".utf8) + [0x1A, 0x07]),
    (.lz4, [0x04, 0x22, 0x4D, 0x18]),
  ]

  @Test("each is named, in pieces of any size", arguments: signatures)
  func named(_ format: UnsupportedFormat, _ beginning: [UInt8]) throws {
    for bytes in [beginning, beginning + Array("and more".utf8)] {
      for pieces in [[1], [2], [3], [5], [100_000]] {
        let failure = unzipError { try unzip(bytes, pieces: pieces) }
        #expect(failure == .unsupportedFormat(format, member: nil), "pieces of \(pieces)")
      }
      #expect(unzipError { try unzip(file: bytes) } == .unsupportedFormat(format, member: nil))
      #expect(Failure.unsupportedFormat(format, member: nil).errorClass == .badData)
    }
    // All bytes except the last one, or a wrong last one, are something else.
    for bytes in [Array(beginning.dropLast()), beginning.dropLast() + [UInt8(ascii: "x"), 0x0A]] {
      for pieces in [[1], [2], [100_000]] { #expect(try unzip(bytes, pieces: pieces).bytes == bytes) }
    }
  }

  @Test(
    "text that begins like one is copied",
    arguments: ["B", "BZh9 is a name\n", "Rar!", "7zip,1\n", "BZh0"])
  func text(_ text: String) throws {
    for pieces in [[1], [3], [100_000]] {
      #expect(try unzip(Array(text.utf8), pieces: pieces).text == text)
    }
  }

  @Test("an archive after other data is refused, with its offsets adjusted or not")
  func archiveAfterOtherData() throws {
    let archive = try python("out.write(archive([('a.csv', b'861\\n' * 100)]))")
    let adjusted = try python(
      "file = io.BytesIO(b'MZ' + b'x' * 998)\n"
        + "with zipfile.ZipFile(file, 'a') as zip: zip.writestr('a.csv', '861\\n' * 100)\n"
        + "out.write(file.getvalue())")
    let commented = try python(
      "file = io.BytesIO()\n"
        + "with zipfile.ZipFile(file, 'w') as zip:\n    zip.comment = b'made up' * 9000\n"
        + "    zip.writestr('a.csv', '861\\n' * 100)\nout.write(b'Status: 200\\r\\n\\r\\n' + file.getvalue())"
    )
    for bytes in [Array("#!/bin/sh\nexec unzip $0\n".utf8) + archive, adjusted, commented] {
      #expect(unzipError { try unzip(file: bytes) } == .archiveAfterOtherData)
      for pieces in [[1], [7], [100_000]] {
        #expect(unzipError { try unzip(bytes, pieces: pieces) } == .archiveAfterOtherData)
      }
    }
    #expect(Failure.archiveAfterOtherData.errorClass == .badData)
    // A text about archives is a text.
    let text = Array("The signature PK\u{5}\u{6} ends an archive, and this line is long enough\n".utf8)
    #expect(try unzip(file: text).bytes == text)
  }

  @Test("a member is refused only with --nested")
  func member() throws {
    let start = "bytes([0x04, 0x22, 0x4D, 0x18]) + b'more'"
    let bytes = try python("out.write(archive([('a.lz4', \(start))]))")
    #expect(try unzip(bytes).bytes.starts(with: [0x04, 0x22, 0x4D, 0x18]))
    var options = UnzipOptions()
    options.unpacksNested = true
    #expect(unzipError { try unzip(bytes, options: options) } == .unsupportedFormat(.lz4, member: "a.lz4"))
  }
}
