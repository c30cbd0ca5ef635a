// The unit in which an extension sends changes to the phone: changes of one kind, as many as iOS sends at once.

/// CallKit's two kinds of entries.
public enum EntryKind: UInt8, Sendable, CaseIterable {
  /// Calls from the number are blocked.
  case blocking = 0
  /// Calls from the number show a label.
  case identification = 1
}

/// Whether entries are added or removed.
public enum EntryChange: UInt8, Sendable {
  /// The entries are added.
  case add = 0
  /// The entries are removed.
  case remove = 1
}

/// Additions or removals of one kind.
public struct ChangeBatch: Sendable, Equatable {
  /// The maximum number of entries in a batch, as in iOS (observed in builds).
  public static let entriesMax = 10_000
  /// The maximum size of a batch's labels in bytes. 10,000 labels of maximum length would be 655 MB; such batches are
  /// sent early, which has no other effect.
  public static let labelBytesMax = 16 * 1024 * 1024
  /// The label size from which entries are dropped silently, as are those with empty labels: iOS stores the length in
  /// 16 bits.
  public static let labelBytesRefusedAt = 65_535

  /// The kind of the entries.
  public let kind: EntryKind
  /// Whether the entries are added or removed.
  public var change: EntryChange
  /// The numbers, in the order in which they were added.
  public internal(set) var numbers: ContiguousArray<Int64> = []
  /// For added identification entries: the index in `labels` of each number's label.
  public internal(set) var labelPlaces: ContiguousArray<UInt32> = []
  /// The distinct labels.
  public internal(set) var labels: ContiguousArray<String> = []
  private var labelBytes = 0
  private var places: [String: UInt32] = [:]

  /// Creates an empty batch.
  public init(_ kind: EntryKind, _ change: EntryChange) {
    self.kind = kind
    self.change = change
  }

  /// Whether the batch must be sent now.
  public var isFull: Bool { numbers.count >= Self.entriesMax || labelBytes >= Self.labelBytesMax }

  /// Adds a number without a label.
  public mutating func append(_ number: Int64) {
    numbers.append(number)
  }

  /// Adds a number and its label; equal labels are stored once. The caller must have checked the label's length.
  public mutating func append(_ number: Int64, label: String) {
    numbers.append(number)
    labelPlaces.append(place(of: label))
  }

  /// Empties the batch for reuse.
  public mutating func clear() {
    numbers.removeAll(keepingCapacity: true)
    labelPlaces.removeAll(keepingCapacity: true)
    labels.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    labelBytes = 0
  }

  /// Whether two batches contain the same changes.
  public static func == (one: ChangeBatch, other: ChangeBatch) -> Bool {
    one.kind == other.kind && one.change == other.change && one.numbers == other.numbers
      && one.labelPlaces == other.labelPlaces && one.labels.count == other.labels.count
      && zip(one.labels, other.labels).allSatisfy { hasSameBytes($0, $1) }
  }

  private mutating func place(of label: String) -> UInt32 {
    if let last = labels.last, hasSameBytes(last, label) {
      return UInt32(truncatingIfNeeded: labels.count - 1)
    }
    // Equal strings may differ in their bytes; such a label is stored separately.
    if let known = places[label], hasSameBytes(labels[Int(known)], label) { return known }
    let place = UInt32(truncatingIfNeeded: labels.count)
    labels.append(label)
    places[label] = place
    labelBytes += label.utf8.count
    return place
  }
}

/// Whether two texts have the same bytes. `==` of strings would treat two encodings of an accent as equal.
private func hasSameBytes(_ one: String, _ other: String) -> Bool {
  one.utf8.count == other.utf8.count && one == other && one.utf8.elementsEqual(other.utf8)
}
