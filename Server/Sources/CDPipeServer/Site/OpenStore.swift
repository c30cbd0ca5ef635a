// A store in which several threads look up numbers. Not for finding the store of a number (NumberLists).

import CallStoreReader
import Synchronization

/// The result of a lookup.
struct FoundNumber: Equatable, Encodable, Sendable {
  /// The number.
  var number: UInt64
  /// The kind of entry: `blocking` or `identification`.
  var kind: String
  /// The first number of the record.
  var first: UInt64
  /// The last number of the record.
  var last: UInt64
  /// The record's label.
  var label: String
}

/// A mapped store. A lookup needs less than a microsecond, so lookups run one at a time.
final class OpenStore: Sendable {
  /// The store's path, or its name in a folder.
  let path: String
  private let store: Mutex<CallStore>

  /// Opens a store by its path.
  init(path: String) throws(SiteError) {
    do throws(CallStoreError) {
      store = Mutex(try CallStore(path: path))
    } catch {
      throw .store(path: path, error)
    }
    self.path = path
  }

  /// Maps an open store.
  init(_ file: OpenFile, path: String) throws(SiteError) {
    do throws(CallStoreError) {
      store = Mutex(try CallStore(descriptor: file.descriptor))
    } catch {
      throw .store(path: path, error)
    }
    self.path = path
  }

  /// The store's content hash, in hexadecimal.
  var contentHash: String {
    store.withLock { store in
      let digits = Array("0123456789abcdef".utf8)
      let text = store.contentHash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// Looks up a number; nil if the store does not contain it.
  ///
  /// - Throws: if the block that would contain the number is damaged.
  func find(_ number: UInt64) throws(SiteError) -> FoundNumber? {
    let found: Result<FoundNumber?, CallStoreError> = store.withLock { store in
      do throws(CallStoreError) {
        guard let record = try store.record(of: number) else { return .success(nil) }
        return .success(
          FoundNumber(
            number: number, kind: record.kind == .blocking ? "blocking" : "identification",
            first: record.first,
            last: record.last, label: store.text(of: record.label)))
      } catch {
        return .failure(error)
      }
    }
    switch found {
    case .success(let found): return found
    case .failure(let error): throw .store(path: path, error)
    }
  }

  /// Whether the store contains a number; false if its block is damaged.
  func contains(_ number: UInt64) -> Bool {
    store.withLock { store in
      do throws(CallStoreError) {
        return try store.record(of: number) != nil
      } catch {
        return false
      }
    }
  }
}

/// A store that is served instead of lists.
final class SingleStore: Opened {
  let store: OpenStore
  let otherFiles: [String] = []

  init(path: String) throws(SiteError) {
    store = try OpenStore(path: path)
  }

  static func mainFile(at path: String) -> String { path }
}
