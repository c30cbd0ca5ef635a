// The rules that the filter has with it: what `cdpipe rules compile` made, put into the app group by the app, or the file that
// came in the extension's bundle.

import CallStoreReader
import Foundation
import IdentityLookup
import MessageRules

#if canImport(SampleShared)
  import SampleShared
#endif

/// Compiled rules, and the stores that they name.
///
/// `@unchecked Sendable`: the classifier has buffers of its own, and is used with `lock` held only.
final class LocalRules: @unchecked Sendable {
  /// The file's name, in the app group's container and in the bundle.
  static let fileName = "rules.cdrules"

  private let lock = NSLock()
  private var classifier: MessageClassifier?
  /// The finer kinds that the rules use, which the filter declares.
  let subActions: [ILMessageFilterSubAction]

  /// Opens a file of rules. If it is missing or damaged there are no rules, and everything goes to the server.
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

  /// The newest rules: the app group's, else the bundle's.
  static func installed(in bundle: Bundle = .main) -> LocalRules {
    let places = [AppGroup.folder(of: bundle), bundle.resourceURL].compactMap {
      $0?.appendingPathComponent(fileName).path
    }
    return LocalRules(path: places.first { FileManager.default.isReadableFile(atPath: $0) } ?? "")
  }

  /// The rules' verdict on a message; `none` when no rule matches.
  func verdict(sender: String?, body: String?, receiver: String?) -> FilterVerdict {
    lock.withLock {
      guard
        let verdict = classifier?.classify(sender: sender ?? "", body: body ?? "", receiver: receiver)
      else { return .none }
      return FilterVerdict(verdict.action, verdict.subAction)
    }
  }
}

/// The stores that rules look senders up in; they lie beside the rules.
private final class SenderStores {
  /// A store's place in `storePaths`, and the store. An array can't hold what can't be copied.
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

  /// Whether a number is in a store. It is not in one that is missing or damaged.
  func contains(_ store: Int, _ number: UInt64) -> Bool {
    guard stores.indices.contains(store), let opened = stores[store] else { return false }
    return (try? opened.store.record(of: number)) ?? nil != nil
  }
}
