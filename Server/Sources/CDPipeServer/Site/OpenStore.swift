// A store that several threads look numbers up in. Not for: which store a number belongs to (NumberLists).

import CallStoreFormat
import CallStoreReader
import Synchronization

/// A number that was found.
struct FoundNumber: Equatable, Encodable, Sendable {
  /// The number.
  var number: UInt64
  /// What a phone does with it: `blocking` or `identification`.
  var kind: String
  /// The first number of its record.
  var first: UInt64
  /// The last number of its record.
  var last: UInt64
  /// Its label.
  var label: String
}

/// A store, mapped. A lookup needs less than a microsecond, so one at a time is enough.
final class OpenStore: Sendable {
  /// Its path, or its name in a folder.
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

  /// Maps a store that is open.
  init(_ file: OpenFile, path: String) throws(SiteError) {
    do throws(CallStoreError) {
      store = Mutex(try CallStore(descriptor: file.descriptor))
    } catch {
      throw .store(path: path, error)
    }
    self.path = path
  }

  /// The store's identity, in hexadecimal.
  var contentHash: String {
    store.withLock { store in
      let digits = Array("0123456789abcdef".utf8)
      let text = store.contentHash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// Looks a number up.
  ///
  /// - Throws: that the place where it would be is damaged.
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

  /// Whether a number is in the store; a damaged place has none.
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

/// A store that is served alone.
final class SingleStore: Opened {
  let store: OpenStore
  let otherFiles: [String] = []

  init(path: String) throws(SiteError) {
    store = try OpenStore(path: path)
  }

  static func mainFile(at path: String) -> String { path }
}
