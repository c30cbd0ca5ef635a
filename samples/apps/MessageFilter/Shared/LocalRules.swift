// A file of rules that `cdpipe rules compile` wrote, and the stores that the rules name, open and ready to classify.
//
// Not for where the rules are (InstalledRules).

import CallStoreReader
import Foundation
import IdentityLookup
import MessageRules

/// Compiled rules and the stores that they name.
///
/// `@unchecked Sendable`: the classifier has its own buffers and is used only while `lock` is held.
nonisolated final class LocalRules: @unchecked Sendable {
  private let lock = NSLock()
  private var classifier: MessageClassifier?
  /// Why there are no rules; nil if there are.
  let error: CompiledRulesError?
  /// Whether there are rules, but none of the trusted keys signed them. Then they are not used.
  let isUntrusted: Bool
  /// The number of rules.
  let ruleCount: Int
  /// The sub-actions that the rules use; the filter declares them to iOS.
  let subActions: [ILMessageFilterSubAction]
  /// The stores that the rules name and that are missing or damaged. No sender is in them.
  let missingStores: [String]

  /// Opens a rules file. If it is missing or damaged, there are no rules and every message goes to the server.
  ///
  /// - Parameters:
  ///   - path: the rules file.
  ///   - bundle: a folder with stores, for those that are not next to the rules: downloaded rules may use the stores in
  ///     the bundle.
  ///   - trust: who must have signed the rules.
  init(path: String, bundle: URL? = nil, trust: RulesTrust = .anyone) {
    do throws(CompiledRulesError) {
      let rules = try CompiledRules(path: path)
      // The hash is that of the bytes that are used: the file may be replaced at any time.
      isUntrusted = !trust.accepts({ rules.sha256 }, of: URL(fileURLWithPath: path))
      if isUntrusted {
        classifier = nil
        (ruleCount, subActions, missingStores, error) = (0, [], [], nil)
        return
      }
      ruleCount = rules.ruleCount
      subActions = rules.subActions.compactMap { ILMessageFilterSubAction(rawValue: Int($0.rawValue)) }
      let folders = [URL(fileURLWithPath: path).deletingLastPathComponent(), bundle].compactMap { $0 }
      let stores = SenderStores(rules.storePaths, in: folders)
      missingStores = stores.missing
      classifier = MessageClassifier(rules) { stores.contains($0, $1) }
      error = nil
    } catch {
      classifier = nil
      (ruleCount, subActions, missingStores, isUntrusted) = (0, [], [], false)
      self.error = error
    }
  }

  /// Whether the rules can be used.
  var isUsable: Bool { error == nil && !isUntrusted }

  /// The SHA-256 of the rules; nil if they can't be used.
  var sha256: [UInt8]? { lock.withLock { classifier?.rules.sha256 } }

  /// The rules' verdict on a message; `none` if no rule matches.
  func verdict(sender: String?, body: String?, receiver: String?) -> FilterVerdict {
    decision(sender: sender, body: body, receiver: receiver).verdict
  }

  /// The rules' verdict on a message, and the name of the rule that matched.
  func decision(
    sender: String?, body: String?, receiver: String?
  ) -> (verdict: FilterVerdict, rule: String?) {
    lock.withLock {
      guard
        let verdict = classifier?.classify(sender: sender ?? "", body: body ?? "", receiver: receiver)
      else { return (.none, nil) }
      return (
        FilterVerdict(verdict.action, verdict.subAction),
        verdict.rule.flatMap { classifier?.rules.name(ofRule: $0) }
      )
    }
  }
}

/// The stores in which rules look up senders.
private nonisolated final class SenderStores {
  /// A class around a store, because an array can't hold a noncopyable value.
  private final class Store {
    let store: CallStore
    init?(path: String) {
      guard let store = try? CallStore(path: path) else { return nil }
      self.store = store
    }
  }

  private let stores: [Store?]
  /// The names of the stores that can't be opened.
  let missing: [String]

  /// Opens stores, each in the first of some folders that has it.
  init(_ names: [String], in folders: [URL]) {
    stores = names.map { name in
      folders.lazy.compactMap { Store(path: $0.appendingPathComponent(name).path) }.first
    }
    missing = zip(names, stores).compactMap { $1 == nil ? $0 : nil }
  }

  /// Whether a store contains a number; false if the store is missing or damaged.
  func contains(_ store: Int, _ number: UInt64) -> Bool {
    guard stores.indices.contains(store), let opened = stores[store] else { return false }
    return (try? opened.store.record(of: number)) ?? nil != nil
  }
}
