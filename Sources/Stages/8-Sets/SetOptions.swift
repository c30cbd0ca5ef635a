// What a set operation can be told: which one, and of which lists.

/// What a set operation can be told.
public struct SetOptions: Equatable, Sendable {
  /// The operations that give records.
  public enum Operation: String, Sendable {
    /// All records of all lists in order; a dedupe behind it decides where they meet.
    case union
    /// All records of all lists in the order that sort gives, when each list is in that order.
    case merge
    /// The first list without the numbers of the others.
    case subtract
    /// The numbers of the first list that every other list has, too.
    case intersect
  }

  /// The most lists: each has a read buffer and a batch, together about 350 KiB, so that all of them stay within
  /// 24 MiB and far below the 256 files that a process may open on macOS.
  public static let listsMax = 64
  /// The name for standard input, which can be one of the lists.
  public static let standardInput = "-"

  /// Which operation.
  public var operation: Operation
  /// The lists: files in the text form, stores, directories of shards; `-` is standard input.
  public var lists: [String]
  /// Which of the lists comes from the stage before; nil when the stage reads all of them.
  public var fed: Int?

  /// Makes options.
  public init(_ operation: Operation, lists: [String], fed: Int? = nil) {
    self.operation = operation
    self.lists = lists
    self.fed = fed
  }
}
