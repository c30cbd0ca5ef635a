// The names of a batch's labels in a store, so that records with known labels need no lookup.
//
// Not for: the labels themselves. The caller refers to them by their indices in the batch.

import BasicContainers
import CallStoreFormat

/// The names of a batch's labels in one store: the kind and the identity of each label that was used.
///
/// A name in the store's table is valid for the whole store; the name of a block's own label only for that block. Reset
/// the names when another batch or another store begins.
package struct StoreNames: ~Copyable, Sendable {
  /// A kind and an identity, or ``none``.
  struct Name: BitwiseCopyable {
    var kind: UInt16
    var identity: UInt16
    /// The name of a label that was not used yet.
    static let none = Name(kind: .max, identity: 0)
  }

  private var names = UniqueArray<Name>()
  /// The number of ended blocks for which the names are valid.
  private var epoch = 0
  /// Whether one of the names is only valid for its block.
  private var hasOwn = false

  /// Makes names for no labels.
  package init() {}

  /// Removes all names, and sets the number of labels.
  ///
  /// - Complexity: O(count).
  package mutating func reset(count: Int) {
    names.removeAll(keepingCapacity: true)
    names.append(addingCount: count) { output in output.append(repeating: .none, count: count) }
    hasOwn = false
  }

  /// Whether a label has a name, or had one before the last block ended.
  package func isNamed(_ index: Int) -> Bool { names[index].kind != Name.none.kind }

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

  /// Removes the names that are only valid for ended blocks.
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
