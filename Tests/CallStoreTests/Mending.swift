// Corrects the checksums of a forged store, as a forger would.
//
// Not for: the content hash, which a reader does not compute.

import CallStoreFormat
import Hashing

enum Mending {
  /// Corrects all checksums, as far as the trailer and the index still locate the parts.
  static func mend(_ bytes: inout [UInt8]) {
    let trailer = bytes.count - TrailerLayout.bytes
    guard trailer >= HeadLayout.bytes else { return }
    let labels = number(bytes, trailer + TrailerLayout.labelsOffset, 8)
    let codes = number(bytes, trailer + TrailerLayout.codesOffset, 8)
    let index = number(bytes, trailer + TrailerLayout.indexOffset, 8)
    let extensions = number(bytes, trailer + TrailerLayout.extensionsOffset, 8)
    guard labels >= HeadLayout.bytes, labels <= codes, codes <= index, index <= extensions,
      extensions <= trailer
    else { return }
    for entry in stride(from: index, to: extensions - IndexLayout.bytes + 1, by: IndexLayout.bytes) {
      let offset = number(bytes, entry + IndexLayout.offset, 8)
      let length = number(bytes, entry + IndexLayout.length, 4)
      guard offset >= HeadLayout.bytes, offset <= labels, length <= labels - offset else { continue }
      set(&bytes, entry + IndexLayout.crc, checksum(bytes, offset..<(offset + length)))
    }
    set(&bytes, trailer + TrailerLayout.labelsCRC, checksum(bytes, labels..<codes))
    set(&bytes, trailer + TrailerLayout.codesCRC, checksum(bytes, codes..<index))
    set(&bytes, trailer + TrailerLayout.indexCRC, checksum(bytes, index..<extensions))
    set(&bytes, trailer + TrailerLayout.extensionsCRC, checksum(bytes, extensions..<trailer))
    set(&bytes, trailer + TrailerLayout.crc, checksum(bytes, trailer..<(trailer + TrailerLayout.crc)))
  }

  static func set(_ bytes: inout [UInt8], _ at: Int, _ value: UInt32) {
    for byte in 0..<4 { bytes[at + byte] = UInt8(truncatingIfNeeded: value >> UInt32(8 * byte)) }
  }

  private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(truncatingIfNeeded: UInt64(bytes[at + $1]) << UInt64(8 * $1)) }
  }

  private static func checksum(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    let part = ContiguousArray(bytes[range])
    return CRC32C.checksum(part.span)
  }
}
