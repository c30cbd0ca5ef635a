import CallStoreReader
import Foundation

/// The labels in the app's own store.
final class NumberLabels: Sendable {
  private let store: CallStore

  init(_ url: URL) throws(CallStoreError) {
    store = try CallStore(url: url)
  }

  /// What to show for a number.
  func text(for number: UInt64) throws(CallStoreError) -> String {
    guard let label = try store.label(of: number) else { return "Unknown" }
    return label.isEmpty ? "Listed" : label
  }

  /// The first records, as a preview.
  static func preview(_ url: URL) throws(CallStoreError) -> [LabeledRecord] {
    Array(try CallStore(url: url).records().prefix(20))
  }
}
