// The app's one button: update, then load. Not for: screens.

import CallDirectory
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The directory of callers: downloaded, and loaded by the app's extensions.
struct CallerDirectory: Sendable {
  /// The folder on the server.
  let server: URL
  /// The app group's folder.
  let group: URL
  /// The app's extensions.
  let extensions: [InstalledExtension]
  /// How files are fetched.
  var fetch: Fetch = DirectoryUpdate.overNetwork

  /// Brings everything up to date, and returns what became of each extension that has something to load.
  ///
  /// - Throws: what `DirectoryUpdate` throws; what was downloaded until then is loaded the next time.
  func update(_ report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }) async throws
    -> [ReloadOutcome]
  {
    let update = DirectoryUpdate(
      server: server, group: group, extensions: Set(extensions.map(\.index)), fetch: fetch)
    let loading = Set(try await update.run())
    let items = extensions.filter { loading.contains($0.index) }.map { own in
      ReloadItem(own.identifier, DirectoryFolder(own.index, in: group).files)
    }
    return await ReloadRun(items).run(report)
  }
}
