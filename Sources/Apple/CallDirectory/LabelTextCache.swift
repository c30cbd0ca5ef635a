// Caches the texts of labels: lists have few labels, and each text needs an allocation.

import CallStoreReader

/// A cache of the texts of recently used labels.
struct LabelTextCache {
  /// The label size from which iOS drops an entry, in bytes. iOS stores the length in 16 bits and silently drops
  /// entries with longer or empty labels (found in its builds).
  static let bytesRefusedAt = 65_535
  /// The number of cached texts; most lists have a few dozen labels.
  private static let slots = 256
  /// The maximum size of a cached text in bytes, so that the cache needs at most 140 KiB.
  private static let keptBytesMax = 512

  private var labels = ContiguousArray<StoreLabel?>(repeating: nil, count: slots)
  private var texts = ContiguousArray<String>(repeating: "", count: slots)

  /// Returns the text of a label; nil if iOS would drop its entry.
  mutating func text(of label: StoreLabel, in store: borrowing CallStore) -> String? {
    let slot = label.hashValue & (Self.slots - 1)
    if labels[slot] == label {
      return texts[slot]
    }
    let text = store.text(of: label)
    let count = text.utf8.count
    guard count > 0, count < Self.bytesRefusedAt else { return nil }
    if count <= Self.keptBytesMax {
      labels[slot] = label
      texts[slot] = text
    }
    return text
  }
}
