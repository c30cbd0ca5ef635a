// The app's one switch: it sets the flag that the extensions read, and has them loaded.

import CallDirectory
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Switches blocking on and off.
struct BlockingSwitch: Sendable {
  let flag: BlockingFlag
  let extensions: [InstalledExtension]

  /// Sets the flag, and loads all extensions one after another; returns what became of each.
  ///
  /// - Throws: that the flag can't be written; then nothing was loaded.
  func set(
    _ isOn: Bool, report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }
  ) async throws -> [ReloadOutcome] {
    try flag.set(isOn)
    let items = extensions.map { own in
      ReloadItem(own.identifier, isOn ? own.files(recordsIn: flag.folder) : nil)
    }
    return await ReloadRun(items).run(report)
  }
}
