// libuchardet's answer for a text. The library is optional.
//
// Not for: whether the answer is plausible (EncodingGuess).

import CLibraries
package import SystemIO

/// The library that recognises encodings.
enum EncodingLibrary {
  /// The library examines nothing if a text is shorter than this, in bytes.
  private static let bytesMin = 4
  /// The maximum length of a name, in bytes; real ones have at most 16.
  private static let nameBytesMax = 64

  /// The library's name of the encoding that a text probably has; nil without an answer, or without the library.
  ///
  /// - Complexity: O(bytes).
  static func encoding(of text: Span<UInt8>) -> String? {
    guard text.count >= bytesMin, cdp_encodings_load() == 0 else { return nil }
    var name = [CChar](repeating: 0, count: nameBytesMax)
    let length = unsafe text.withUnsafeBufferPointer { text in
      unsafe name.withUnsafeMutableBufferPointer { name in
        unsafe cdp_encoding_of(text.baseAddress, text.count, name.baseAddress, name.count)
      }
    }
    if length == 0 { return nil }
    return String(decoding: name[..<length].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}

extension RuntimeLibrary {
  /// libuchardet, which recognises encodings. Opens it.
  package static var uchardet: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_encodings_library_name()), command: "parse",
      isUsable: cdp_encodings_load() == 0, isOptional: true)
  }
}
