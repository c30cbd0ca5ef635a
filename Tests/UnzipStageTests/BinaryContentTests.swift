// What is not text, by its first bytes: the same signatures as those that unzip recognises.

import Records
import Testing

@testable import InputStages

@Suite("content that is not text") struct BinaryContentTests {
  private static func content(_ format: UnsupportedFormat) -> BinaryContent {
    switch format {
    case .sevenZip: .sevenZip
    case .xz: .xz
    case .bzip2: .bzip2
    case .zstandard: .zstandard
    case .rar: .rar
    case .lz4: .lz4
    }
  }

  private static func recognised(_ bytes: [UInt8]) -> BinaryContent? { BinaryContent(bytes.span) }

  @Test("formats that unzip detects")
  func unsupported() {
    // A bzip2 file without content has another signature, and nothing to unpack.
    for (format, bytes) in ForeignTests.signatures where bytes[bytes.count - 1] != 0x90 {
      #expect(Self.recognised(bytes) == Self.content(format), "\(format)")
      #expect(Self.recognised(Array(bytes.dropLast())) == nil, "\(format)")
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
