// What the labels of a batch are called in a store, so that records whose labels came before cost no look-up.
//
// Not for: the labels themselves. Whoever hands over records knows those by their places in a batch.

import BasicContainers
import CallStoreFormat

/// The names of a batch's labels in one store: for each, its kind and its identity, once they are known.
///
/// A name in the store's table holds as long as the store; one of a block's own labels as long as the block. Forget
/// all of them when another batch or another store begins.
public struct StoreNames: ~Copyable, Sendable {
  /// A kind and an identity, or ``none``.
  struct Name: BitwiseCopyable {
    var kind: UInt16
    var identity: UInt16
    /// No kind: a label without a name.
    static let none = Name(kind: .max, identity: 0)
  }

  private var names = UniqueArray<Name>()
  /// How many blocks the store had closed when the names were right.
  private var epoch = 0
  /// Whether a name is one that does not outlive its block.
  private var hasOwn = false

  /// Makes names of no labels.
  public init() {}

  /// Forgets all names; from now on there are `count` labels.
  ///
  /// - Complexity: O(count).
  public mutating func reset(count: Int) {
    names.removeAll(keepingCapacity: true)
    names.append(addingCount: count) { output in output.append(repeating: .none, count: count) }
    hasOwn = false
  }

  /// Whether a label had a name when it was last heard of.
  public func isNamed(_ index: Int) -> Bool { names[index].kind != Name.none.kind }

  var all: Span<Name> {
    @_lifetime(borrow self)
    borrowing get { names.span }
  }

  func kind(at index: Int) -> StoreKind? {
    StoreKind(rawValue: UInt8(truncatingIfNeeded: names[index].kind))
  }

  mutating func set(_ index: Int, _ kind: StoreKind, identity: Int) {
    names[index] = Name(kind: UInt16(kind.rawValue), identity: UInt16(truncatingIfNeeded: identity))
    if identity >= StoreLimits.tableLabelsMax { hasOwn = true }
  }

  /// Forgets the names of blocks that were closed since.
  mutating func follow(_ epoch: Int) {
    guard epoch != self.epoch else { return }
    self.epoch = epoch
    guard hasOwn else { return }
    for index in 0..<names.count where names[index].identity >= StoreLimits.tableLabelsMax {
      names[index] = .none
    }
    hasOwn = false
  }
}
