// The app's only button: downloads updates, then reloads the extensions. Not for screens.

import CallDirectory
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The caller directory: downloaded by the app, loaded by its extensions.
struct CallerDirectory: Sendable {
  /// The URL of the folder on the server.
  let server: URL
  /// The app group's folder.
  let group: URL
  /// The app's extensions.
  let extensions: [InstalledExtension]
  /// Fetches a file; tests replace it.
  var fetch: Fetch = DirectoryUpdate.overNetwork

  /// Downloads what is new and reloads the extensions. Returns the outcome of each extension that has something to
  /// load.
  ///
  /// - Throws: the errors of `DirectoryUpdate`. Files that were downloaded before the error are loaded the next time.
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
