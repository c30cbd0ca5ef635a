// The options of a set operation: which one, and over which lists.

/// The options of a set operation.
public struct SetOptions: Equatable, Sendable {
  /// The operations that output records.
  public enum Operation: String, Sendable {
    /// All records of all lists in ascending order; a following dedupe resolves overlaps.
    case union
    /// All records of all lists in sort's order; each list must be in that order.
    case merge
    /// The first list without the numbers of the others.
    case subtract
    /// The numbers of the first list that are in every other list, too.
    case intersect
  }

  /// The maximum number of lists. Each needs a read buffer and a batch, together about 350 KiB, so all of them stay
  /// within 24 MiB and far below the 256 files that a process may open on macOS.
  public static let listsMax = 64
  /// The name of standard input, which can be one of the lists.
  public static let standardInput = "-"

  /// The operation.
  public var operation: Operation
  /// The lists: files in the text form, stores, directories of shards; `-` is standard input.
  public var lists: [String]
  /// The index of the list that comes from the previous stage; nil if the stage reads all lists itself.
  public var fed: Int?

  /// Creates options.
  public init(_ operation: Operation, lists: [String], fed: Int? = nil) {
    self.operation = operation
    self.lists = lists
    self.fed = fed
  }
}
