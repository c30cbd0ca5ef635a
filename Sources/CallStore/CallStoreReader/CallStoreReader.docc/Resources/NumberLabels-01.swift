import CallStoreReader
import Foundation

/// The labels in the app's own store.
final class NumberLabels: Sendable {
  private let store: CallStore

  init(_ url: URL) throws(CallStoreError) {
    store = try CallStore(url: url)
  }
}
