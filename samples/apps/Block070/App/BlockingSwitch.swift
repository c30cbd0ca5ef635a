// The app's only switch: sets the flag that the extensions read, then reloads them. Not for screens (BlockingModel).

import CallDirectory
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Switches blocking on and off.
nonisolated struct BlockingSwitch: Sendable {
  let flag: BlockingFlag
  let extensions: [InstalledExtension]

  /// What an extension loads; nil if blocking is off, or if there is no shard for it.
  func files(of own: InstalledExtension) -> ExtensionFiles? {
    flag.isOn ? own.files(recordsIn: flag.folder) : nil
  }

  /// Sets the flag and reloads all extensions one after another. Returns the outcome of each.
  ///
  /// - Throws: if the flag can't be written; nothing was loaded then.
  func set(
    _ isOn: Bool, report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }
  ) async throws -> [ReloadOutcome] {
    try flag.set(isOn)
    let items = extensions.map { ReloadItem($0.identifier, files(of: $0)) }
    return await ReloadRun(items).run(report)
  }
}
