// The offset of every field of a delta file; docs/formats/delta.md describes them.
//
// Not for: the two stores after the header (CallStoreFormat).

/// The header, the first bytes of the file. The store of removals follows it, then the store of additions.
package enum DeltaLayout {
  package static let bytes = 128
  /// `\x89CDDLT\r\n`: not text, and damaged by programs that convert line ends.
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

/// The limits that readers and writers of deltas share.
public enum DeltaLimits {
  /// The maximum number of steps from one store to another. Each costs the writer a walk through both.
  public static let stepsMax = 100
}
