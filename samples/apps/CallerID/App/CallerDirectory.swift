// The app's only button: downloads updates, then reloads the extensions that have something to load. Not for screens.

import CallDirectory
import CallDirectoryKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The caller directory: downloaded by the app, loaded by its extensions.
struct CallerDirectory: Sendable {
  /// Keeps the extensions' folders in the app group's folder up to date.
  let updater: DirectoryUpdater
  /// The app's extensions.
  let extensions: [InstalledExtension]

  /// Creates the directory of an app.
  ///
  /// - Parameters:
  ///   - server: the URL of the published folder, in which each file except the manifest and its signature is compressed
  ///     with gzip (`NAME.gz`).
  ///   - group: the app group's folder.
  ///   - trust: the publisher's keys.
  init(
    server: URL, group: URL, extensions: [InstalledExtension], trust: UpdateTrust,
    transport: any UpdateTransport = URLSessionTransport()
  ) {
    updater = DirectoryUpdater(
      server: server, folder: group, trust: trust, extensions: Set(extensions.map(\.index.number)),
      encoding: .gzip, transport: transport)
    self.extensions = extensions
  }

  /// Downloads what is new and reloads the extensions that have something to load, also what an earlier update left
  /// over. Returns the outcome of each of them.
  ///
  /// - Throws: the errors of `DirectoryUpdater.update`. Files that were downloaded before the error are loaded the next
  ///   time.
  func update(_ report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }) async throws
    -> [ReloadOutcome]
  {
    let update = try await updater.update()
    let items = extensions.compactMap { own -> ReloadItem? in
      let files = updater.files(of: own.index.number)
      // Without files, an extension loads an empty list, which removes its entries.
      let isLoaded = files.map { (try? $0.progress().isComplete) == true }
      let isDue = isLoaded.map(!) ?? update.removed.contains(own.index.number)
      return isDue ? ReloadItem(own.identifier, files) : nil
    }
    return await ReloadRun(items).run(report)
  }
}
