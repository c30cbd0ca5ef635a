// Labels as text, made once for many entries: lists have few labels, and each text costs an allocation.

import CallStoreReader

/// The texts of the labels met last.
struct LabelTextCache {
  /// iOS keeps a label's length in 16 bits, and drops the entry of a longer one, or of an empty one, without a word (seen
  /// in its builds).
  static let bytesRefusedAt = 65_535
  /// The number of texts that are kept: lists have some dozens of labels.
  private static let slots = 256
  /// A longer text is not kept, so that all of them take 140 KiB at the most.
  private static let keptBytesMax = 512

  private var labels = ContiguousArray<StoreLabel?>(repeating: nil, count: slots)
  private var texts = ContiguousArray<String>(repeating: "", count: slots)

  /// The text of a label; nil if iOS would drop its entry.
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
