// A count for each of CallKit's two kinds of entries: records or single numbers.

/// A count for each kind of entry.
///
/// Manifests, reports and `cdpipe info --json` write it as JSON: the names of its properties are frozen.
public struct KindCounts: Codable, Equatable, Sendable {
  /// The count for blocking.
  public var blocking: UInt64
  /// The count for identification.
  public var identification: UInt64

  /// Creates counts.
  public init(blocking: UInt64 = 0, identification: UInt64 = 0) {
    self.blocking = blocking
    self.identification = identification
  }

  /// The count for both kinds. It wraps around: a manifest that was tampered with may hold any two numbers.
  public var sum: UInt64 { blocking &+ identification }

  /// The count for one kind.
  public subscript(kind: StoreKind) -> UInt64 {
    kind == .blocking ? blocking : identification
  }

  /// Adds counts, kind by kind. It wraps around as ``sum`` does.
  public static func += (counts: inout KindCounts, other: KindCounts) {
    counts.blocking &+= other.blocking
    counts.identification &+= other.identification
  }
}
