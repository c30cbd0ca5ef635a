// The origin of a run's records, as a manifest records it.

/// What a manifest records about the sources of a run.
package enum ProvenanceLevel: Int, Comparable, Sendable {
  /// Nothing.
  case none
  /// The names of the sources.
  case names
  /// The names, sizes and hashes of the sources.
  case hashes

  /// Orders levels from nothing to everything.
  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The sources of a run's records, and the row counts of the run.
package struct RunProvenance: Equatable, Sendable {
  /// A source of records.
  package struct Source: Equatable, Sendable {
    /// The source's name.
    package var name: String
    /// The number of bytes that were read from it; nil if they were not counted.
    package var bytes: UInt64?
    /// Their SHA-256, 32 bytes; nil if it was not computed.
    package var sha256: [UInt8]?

    /// Makes a source.
    package init(name: String, bytes: UInt64? = nil, sha256: [UInt8]? = nil) {
      self.name = name
      self.bytes = bytes
      self.sha256 = sha256
    }
  }

  /// The sources in their order.
  package var sources: [Source]
  /// Rows that were read from them.
  package var rowsRead: UInt64
  /// Rows that were rejected.
  package var rejects: UInt64
  /// Records that were dropped as duplicates.
  package var duplicates: UInt64
  /// Records that were left out by a label map, a minimum score or a limit.
  package var leftOut: UInt64
  /// Records that a set operation removed whole.
  package var removed: UInt64

  /// Makes a provenance.
  package init(
    sources: [Source], rowsRead: UInt64, rejects: UInt64, duplicates: UInt64, leftOut: UInt64, removed: UInt64
  ) {
    self.sources = sources
    self.rowsRead = rowsRead
    self.rejects = rejects
    self.duplicates = duplicates
    self.leftOut = leftOut
    self.removed = removed
  }
}
