// Caches the texts of labels: lists have few labels, and each text needs an allocation.

/// A cache of the texts of recently used labels of one store.
package struct LabelTextCache {
  /// The number of cached texts; most lists have a few dozen labels.
  private static let slots = 256
  /// The maximum size of a cached text in bytes, so that the cache needs at most 140 KiB.
  private static let keptBytesMax = 512

  private var labels = ContiguousArray<StoreLabel?>(repeating: nil, count: slots)
  private var texts = ContiguousArray<String>(repeating: "", count: slots)

  /// Creates an empty cache.
  package init() {}

  /// Returns the text of a label.
  package mutating func text(of label: StoreLabel, in store: borrowing CallStore) -> String {
    let slot = label.hashValue & (Self.slots - 1)
    if labels[slot] == label { return texts[slot] }
    let text = store.text(of: label)
    if text.utf8.count <= Self.keptBytesMax {
      labels[slot] = label
      texts[slot] = text
    }
    return text
  }
}
