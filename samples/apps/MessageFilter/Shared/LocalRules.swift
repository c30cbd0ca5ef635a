// The filter's local rules, compiled by `cdpipe rules compile`: the file that the app put into the app group, or else
// the one in the extension's bundle.

import CallStoreReader
import Foundation
import IdentityLookup
import MessageRules

#if canImport(SampleShared)
  import SampleShared
#endif

/// Compiled rules and the stores that they name.
///
/// `@unchecked Sendable`: the classifier has its own buffers and is used only while `lock` is held.
final class LocalRules: @unchecked Sendable {
  /// The name of the rules file, in the app group's container and in the bundle.
  static let fileName = "rules.cdrules"

  private let lock = NSLock()
  private var classifier: MessageClassifier?
  /// The sub-actions that the rules use; the filter declares them to iOS.
  let subActions: [ILMessageFilterSubAction]

  /// Opens a rules file. If it is missing or damaged, there are no rules and every message goes to the server.
  init(path: String) {
    guard let rules = try? CompiledRules(path: path) else {
      classifier = nil
      subActions = []
      return
    }
    subActions = rules.subActions.compactMap { ILMessageFilterSubAction(rawValue: Int($0.rawValue)) }
    let stores = SenderStores(rules.storePaths, beside: path)
    classifier = MessageClassifier(rules) { stores.contains($0, $1) }
  }

  /// Opens the installed rules: the app group's, or else the bundle's.
  static func installed(in bundle: Bundle = .main) -> LocalRules {
    let places = [AppGroup.folder(of: bundle), bundle.resourceURL].compactMap {
      $0?.appendingPathComponent(fileName).path
    }
    return LocalRules(path: places.first { FileManager.default.isReadableFile(atPath: $0) } ?? "")
  }

  /// The rules' verdict on a message; `none` if no rule matches.
  func verdict(sender: String?, body: String?, receiver: String?) -> FilterVerdict {
    lock.withLock {
      guard
        let verdict = classifier?.classify(sender: sender ?? "", body: body ?? "", receiver: receiver)
      else { return .none }
      return FilterVerdict(verdict.action, verdict.subAction)
    }
  }
}

/// The stores in which rules look up senders. They are in the same folder as the rules.
private final class SenderStores {
  /// A class around a store, because an array can't hold a noncopyable value.
  private final class Store {
    let store: CallStore
    init?(path: String) {
      guard let store = try? CallStore(path: path) else { return nil }
      self.store = store
    }
  }

  private let stores: [Store?]

  init(_ names: [String], beside rules: String) {
    let folder = URL(fileURLWithPath: rules).deletingLastPathComponent()
    stores = names.map { Store(path: folder.appendingPathComponent($0).path) }
  }

  /// Whether a store contains a number; false if the store is missing or damaged.
  func contains(_ store: Int, _ number: UInt64) -> Bool {
    guard stores.indices.contains(store), let opened = stores[store] else { return false }
    return (try? opened.store.record(of: number)) ?? nil != nil
  }
}
