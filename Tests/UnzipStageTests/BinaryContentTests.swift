// What is not text, by its first bytes: the same signatures as those that unzip recognises.

import Records
import Testing

@testable import InputStages

@Suite("content that is not text") struct BinaryContentTests {
  private static func content(_ format: UnsupportedFormat) -> BinaryContent {
    switch format {
    case .sevenZip: .sevenZip
    case .rar: .rar
    case .lz4: .lz4
    }
  }

  private static func recognised(_ bytes: [UInt8]) -> BinaryContent? { BinaryContent(bytes.span) }

  @Test("formats that unzip detects")
  func unsupported() {
    for (format, bytes) in ForeignTests.signatures {
      #expect(Self.recognised(bytes) == Self.content(format), "\(format)")
      #expect(Self.recognised(Array(bytes.dropLast())) == nil, "\(format)")
    }
  }

  @Test("formats that unzip unpacks with a library")
  func streams() throws {
    for (format, content) in [(CompressedFormat.zstd, BinaryContent.zstandard), (.xz, .xz), (.bzip2, .bzip2)]
    {
      let bytes = try StreamTests.python(format, "out.write(pack(b'x'))")
      #expect(Self.recognised(bytes) == content)
      #expect(Self.recognised(Array(bytes.prefix(content.signature.count - 1))) == nil)
      #expect(
        CompressedFormat.streams.contains { $0.format == format && Self.recognised($0.bytes) == content })
    }
  }

  @Test("archives, and text that begins similarly")
  func others() {
    #expect(Self.recognised([0x1F, 0x8B, 8, 0]) == .gzip)
    #expect(Self.recognised(Array("PK".utf8) + [3, 4]) == .zip)
    let header = Array("list.csv".utf8) + [UInt8](repeating: 0, count: 249)
    #expect(Self.recognised(header + Array("ustar".utf8)) == .tar && Self.recognised(header) == nil)
    for text in ["", "BZh9 is a name\n", "Rar!", "7zip,1\n", "PK,1\n", "8613800138000\n"] {
      #expect(Self.recognised(Array(text.utf8)) == nil, "\(text)")
    }
    #expect(BinaryContent.allCases.allSatisfy { $0 == .tar || $0.signature.count <= BinaryContent.bytesMax })
  }
}
