// What an extension sends to the phone at a time: changes of one sort, as many as iOS sends at once.

/// CallKit's two kinds of entries.
public enum EntryKind: UInt8, Sendable, CaseIterable {
  /// Calls are blocked.
  case blocking = 0
  /// Calls show a label.
  case identification = 1
}

/// Whether entries come or go.
public enum EntryChange: UInt8, Sendable {
  /// They come.
  case add = 0
  /// They go.
  case remove = 1
}

/// Additions or removals of one kind.
public struct ChangeBatch: Sendable, Equatable {
  /// As many entries as iOS sends to its daemon at once (seen in builds).
  public static let entriesMax = 10_000
  /// The labels of a batch, in bytes. 10,000 labels of the longest sort would be 655 MB; a batch is sent early
  /// instead, which nothing but its size shows.
  public static let labelBytesMax = 16 * 1024 * 1024
  /// A label this long is dropped without a word, and so is an empty one: iOS keeps its length in 16 bits.
  public static let labelBytesRefusedAt = 65_535

  /// The kind.
  public let kind: EntryKind
  /// Whether they come or go.
  public var change: EntryChange
  /// The numbers, in the order of the calls.
  public internal(set) var numbers: ContiguousArray<Int64> = []
  /// For each number of an identification that comes, the place of its label in `labels`.
  public internal(set) var labelPlaces: ContiguousArray<UInt32> = []
  /// The different labels.
  public internal(set) var labels: ContiguousArray<String> = []
  private var labelBytes = 0
  private var places: [String: UInt32] = [:]

  /// Creates an empty batch.
  public init(_ kind: EntryKind, _ change: EntryChange) {
    self.kind = kind
    self.change = change
  }

  /// Whether it must be sent now.
  public var isFull: Bool { numbers.count >= Self.entriesMax || labelBytes >= Self.labelBytesMax }

  /// Adds a number without a label.
  public mutating func append(_ number: Int64) {
    numbers.append(number)
  }

  /// Adds a number and its label; equal labels are kept once. The label's length must have been looked at.
  public mutating func append(_ number: Int64, label: String) {
    numbers.append(number)
    labelPlaces.append(place(of: label))
  }

  /// Empties the batch for another use.
  public mutating func clear() {
    numbers.removeAll(keepingCapacity: true)
    labelPlaces.removeAll(keepingCapacity: true)
    labels.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    labelBytes = 0
  }

  /// Whether two batches say the same.
  public static func == (one: ChangeBatch, other: ChangeBatch) -> Bool {
    one.kind == other.kind && one.change == other.change && one.numbers == other.numbers
      && one.labelPlaces == other.labelPlaces && one.labels.count == other.labels.count
      && zip(one.labels, other.labels).allSatisfy { hasSameBytes($0, $1) }
  }

  private mutating func place(of label: String) -> UInt32 {
    if let last = labels.last, hasSameBytes(last, label) {
      return UInt32(truncatingIfNeeded: labels.count - 1)
    }
    // Strings that look the same may differ in their bytes; the second of such a pair is kept on its own.
    if let known = places[label], hasSameBytes(labels[Int(known)], label) { return known }
    let place = UInt32(truncatingIfNeeded: labels.count)
    labels.append(label)
    places[label] = place
    labelBytes += label.utf8.count
    return place
  }
}

/// Whether two texts are the same bytes. `==` of strings would take two spellings of an accent for the same.
private func hasSameBytes(_ one: String, _ other: String) -> Bool {
  one.utf8.count == other.utf8.count && one == other && one.utf8.elementsEqual(other.utf8)
}
