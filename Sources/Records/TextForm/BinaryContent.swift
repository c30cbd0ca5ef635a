// Recognises inputs that are not text although a stage reads text: compressed files, stores and the packed form, by their
// first bytes.
//
// The signatures are also those of the formats' own modules, which this one does not depend on; tests compare them.
// Not for: unpacking (UnzipStage), or reading stores (CallStoreReader).

/// The content of an input that is not text.
package enum BinaryContent: String, CaseIterable, Sendable {
  case store
  case zip, gzip, xz, bzip2, zstandard, lz4, rar
  case sevenZip = "7z"
  case packedForm = "packed"

  /// The number of bytes that are needed to recognise any content.
  package static let bytesMax = 10

  /// The bytes that the content starts with; nil stands for any byte.
  package var signature: [UInt8?] {
    switch self {
    case .store: [0x89, 0x43, 0x44, 0x53, 0x54, 0x4F, 0x0D, 0x0A]
    case .zip: [0x50, 0x4B, 3, 4]
    case .gzip: [0x1F, 0x8B]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]
    case .bzip2: [0x42, 0x5A, 0x68, nil, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
    case .zstandard: [0x28, 0xB5, 0x2F, 0xFD]
    case .lz4: [0x04, 0x22, 0x4D, 0x18]
    case .rar: [0x52, 0x61, 0x72, 0x21, 0x1A, 7]
    case .sevenZip: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]
    case .packedForm: PackedForm.signature.map { $0 }
    }
  }

  /// Recognises the content by the first bytes of an input; nil if it may be text.
  package init?(_ start: Span<UInt8>) {
    for content in Self.allCases where Self.begins(start, with: content.signature) {
      self = content
      return
    }
    return nil
  }

  private static func begins(_ start: Span<UInt8>, with signature: [UInt8?]) -> Bool {
    guard start.count >= signature.count else { return false }
    for index in signature.indices {
      if let byte = signature[index], byte != start[index] { return false }
    }
    return true
  }
}

/// An input of a stage that reads text has another content.
package struct BinaryInputError: ErrorCause, Equatable {
  /// The input's name in messages; `-` for standard input.
  package let input: String
  /// Its content.
  package let content: BinaryContent

  /// Creates the error.
  package init(_ input: String, _ content: BinaryContent) {
    self.input = input
    self.content = content
  }

  /// True: the rows of the inputs before this one are valid.
  package var endsInput: Bool { true }
  /// Bad data.
  package var errorClass: ErrorClass { .badData }
}
