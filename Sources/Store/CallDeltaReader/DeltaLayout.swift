// Where every field of a delta file stands; docs/formats/delta.md is the same in words.
//
// Not for: the two stores behind the header (CallStoreFormat).

/// The header, the first bytes of the file. The removals follow it, and the additions follow them.
package enum DeltaLayout {
  package static let bytes = 128
  /// `\x89CDDLT\r\n`: not text, and broken by whatever rewrites line ends.
  package static let magic: UInt64 = 0x0A0D_544C_4444_4389
  package static let version: UInt16 = 1
  package static let hashBytes = 32

  package static let versionAt = 8
  package static let length = 10
  package static let step = 12
  package static let steps = 16
  package static let flags = 20
  package static let removalsLength = 24
  package static let additionsLength = 32
  package static let baselineHash = 40
  package static let resultHash = 72
  package static let reserved = 104
  package static let crc = 120
  package static let reservedEnd = 124
}

/// The limits that a reader and a writer of deltas hold each other to.
public enum DeltaLimits {
  /// The most steps from one store to another: each costs the writer a walk through both.
  public static let stepsMax = 100
}
