// The bytes with a meaning in the text form, and its four escapes.

/// ASCII bytes by name.
@usableFromInline
package enum Byte {
  @inlinable package static var tab: UInt8 { 0x09 }
  @inlinable package static var lineFeed: UInt8 { 0x0A }
  @inlinable package static var carriageReturn: UInt8 { 0x0D }
  @inlinable package static var dot: UInt8 { 0x2E }
  @inlinable package static var backslash: UInt8 { 0x5C }

  /// The letter that follows the backslash in the escape of `byte`; nil if it needs no escape.
  package static func escape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case backslash: backslash
    case tab: UInt8(ascii: "t")
    case lineFeed: UInt8(ascii: "n")
    case carriageReturn: UInt8(ascii: "r")
    default: nil
    }
  }

  /// Whether `letter` may follow a backslash.
  package static func isEscaped(_ letter: UInt8) -> Bool {
    letter == backslash || letter == UInt8(ascii: "t") || letter == UInt8(ascii: "n")
      || letter == UInt8(ascii: "r")
  }

  /// The byte that a backslash followed by `letter` means.
  package static func unescaped(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "t"): tab
    case UInt8(ascii: "n"): lineFeed
    case UInt8(ascii: "r"): carriageReturn
    default: letter
    }
  }
}
