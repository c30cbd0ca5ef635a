// The icon of an app on the phone's screen for calls.

public import FoundationEssentials

/// An app's icon on the screen for calls. Apple: PNG data, a square with sides of 40 points, of which only the alpha
/// channel is used (documentation of `iconTemplateImageData`).
public struct CallIcon: Sendable, Equatable {
  /// The image.
  public let png: Data
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int

  /// Reads the size of an image; nil if the data is not in PNG format, so that the phone can't show it.
  init?(_ data: Data) {
    let bytes = [UInt8](data.prefix(24))
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard bytes.count == 24, Array(bytes[..<8]) == signature, Array(bytes[12..<16]) == Array("IHDR".utf8)
    else { return nil }
    func number(at start: Int) -> Int { bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    png = data
    width = number(at: 16)
    height = number(at: 20)
  }

  /// Whether the image has the form that Apple asks for.
  public var isSquare: Bool { width == height && width > 0 }
}
