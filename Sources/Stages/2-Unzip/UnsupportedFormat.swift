// Packed formats that are detected but not supported. Passing them on as if they were not packed would only cause a
// confusing error later.
//
// Not for: the supported formats (Magic).

/// A packed format that is not supported.
package enum UnsupportedFormat: CaseIterable, Equatable, Sendable {
  case sevenZip, xz, bzip2, zstandard, rar, lz4

  /// The signatures of the format. Sources: 7zFormat.txt of the LZMA SDK, the .xz file format 2.1.1.1, bzip2's block
  /// and end headers, RFC 8878 3.1.1, RAR's technical notes for 4 and 5, LZ4's frame format.
  var signatures: [[UInt8]] {
    switch self {
    case .sevenZip: [[0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]]
    case .xz: [[0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]]
    case .bzip2:
      // The level is a digit.
      (UInt8(ascii: "1")...UInt8(ascii: "9")).flatMap { level in
        let head: [UInt8] = [0x42, 0x5A, 0x68, level]
        return [
          head + [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], head + [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
        ]
      }
    case .zstandard: [[0x28, 0xB5, 0x2F, 0xFD]]
    case .rar: [[0x52, 0x61, 0x72, 0x21, 0x1A, 0x07]]
    case .lz4: [[0x04, 0x22, 0x4D, 0x18]]
    }
  }

  /// All signatures, computed once.
  static let all: [(format: UnsupportedFormat, bytes: [UInt8])] = allCases.flatMap { format in
    format.signatures.map { (format, $0) }
  }
}
