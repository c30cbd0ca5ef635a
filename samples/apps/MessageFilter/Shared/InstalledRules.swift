// Where the rules are. The app and the filter decide it here, and so use the same ones: the app writes the app group's
// folder, and the filter reads it.

import Foundation
import MessageRules

#if canImport(SampleShared)
  import SampleShared
#endif

/// The folders that may have rules.
nonisolated struct RulesFolders: Equatable, Sendable {
  /// The name of the rules file in both folders.
  static let fileName = "rules.cdrules"

  /// The app group's folder, which has the downloaded rules.
  let group: URL?
  /// The resources of the bundle, which has the rules to start with.
  let bundle: URL?

  /// Creates a pair of folders.
  init(group: URL?, bundle: URL?) {
    self.group = group
    self.bundle = bundle
  }

  /// The folders of the app, or of its filter: the app group's that Info.plist names, and the bundle's own.
  init(of bundle: Bundle = .main) {
    self.init(group: AppGroup.folder(of: bundle), bundle: bundle.resourceURL)
  }
}

/// The rules that the filter uses: those that the app has downloaded, or else those in the bundle.
nonisolated struct InstalledRules: Sendable {
  /// Where rules come from.
  enum Origin: Sendable {
    /// The app has downloaded them.
    case downloaded
    /// They came with the app.
    case bundle
  }

  /// The rules; without any if no file can be used.
  let rules: LocalRules
  /// Where they come from; nil if there are none.
  let origin: Origin?
  /// Why downloaded rules that are there are not used; nil if they are used, or there are none.
  let downloadError: CompiledRulesError?
  /// Whether there are downloaded rules that are not used because no trusted key signed them.
  let isDownloadUntrusted: Bool

  /// Opens the rules in some folders. If the downloaded ones are damaged, or not signed by a key that is trusted, those in
  /// the bundle are used.
  init(in folders: RulesFolders = RulesFolders(), trust: RulesTrust = RulesTrust()) {
    func path(in folder: URL?) -> String? {
      guard let path = folder?.appendingPathComponent(RulesFolders.fileName).path,
        FileManager.default.fileExists(atPath: path)
      else { return nil }
      return path
    }
    var downloadError: CompiledRulesError?
    var isUntrusted = false
    if let path = path(in: folders.group) {
      let rules = LocalRules(path: path, bundle: folders.bundle, trust: trust)
      (downloadError, isUntrusted) = (rules.error, rules.isUntrusted)
      if rules.isUsable {
        self.rules = rules
        self.downloadError = nil
        isDownloadUntrusted = false
        origin = .downloaded
        return
      }
    }
    rules = LocalRules(path: path(in: folders.bundle) ?? "")
    self.downloadError = downloadError
    isDownloadUntrusted = isUntrusted
    origin = rules.isUsable ? .bundle : nil
  }
}
