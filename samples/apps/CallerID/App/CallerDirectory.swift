// Keeps the list up to date: downloads updates, then reloads the extensions that have something to load. Not for screens
// (CallerModel).

import CallDirectory
import CallDirectoryKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The caller directory: downloaded by the app, loaded by its extensions.
nonisolated struct CallerDirectory: Sendable {
  /// Keeps the extensions' folders in the app group's folder up to date.
  let updater: DirectoryUpdater
  /// The app's extensions.
  let extensions: [InstalledExtension]
  /// How long to wait for iOS.
  let times: ReloadTimes

  /// Creates the directory of an app.
  ///
  /// - Parameters:
  ///   - settings: the server, the publisher's keys, and how the server offers stores and deltas.
  ///   - group: the app group's folder.
  init(
    _ settings: ListSettings, group: URL, extensions: [InstalledExtension],
    times: ReloadTimes = ReloadTimes(), transport: any UpdateTransport = URLSessionTransport()
  ) {
    updater = DirectoryUpdater(
      server: settings.url, folder: group, trust: settings.trust,
      extensions: Set(extensions.map(\.index).filter { $0 != .ownList }.map(\.number)),
      encoding: settings.encoding, transport: transport)
    self.extensions = extensions
    self.times = times
  }

  /// The files of an extension; nil if it has none.
  func files(of own: InstalledExtension) -> ExtensionFiles? {
    own.index == .ownList
      ? DirectoryUpdater.filesOfOwnList(in: updater.folder) : updater.files(of: own.index.number)
  }

  /// Installs the bootstrap store of a folder for the first extension, until the first update replaces it. Without one, or if
  /// the extension has files already, it does nothing.
  ///
  /// - Parameter resources: the folder of the app's resources.
  func installBootstrap(from resources: URL) throws {
    guard let first = extensions.first(where: { $0.index != .ownList }), files(of: first) == nil else {
      return
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: resources.path)
    guard let name = names.first(where: { $0.hasPrefix("bootstrap") && $0.hasSuffix(".cdstore") }) else {
      return
    }
    let folder = DirectoryUpdater.folder(of: first.index.number, in: updater.folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Never half a file under the store's name.
    let copy = folder.appendingPathComponent("bootstrap.part")
    try? FileManager.default.removeItem(at: copy)
    try FileManager.default.copyItem(at: resources.appendingPathComponent(name), to: copy)
    FileProtection.apply(to: copy.path)
    try FileManager.default.moveItem(
      at: copy, to: folder.appendingPathComponent(ExtensionFiles.storeName))
  }

  /// Downloads what is new and reloads the extensions that have something to load, also what an earlier update left
  /// over. Returns the outcome of each of them.
  ///
  /// - Throws: the errors of `DirectoryUpdater.update`, after the files that are there were loaded.
  @concurrent
  func update(_ report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }) async throws
    -> [ReloadOutcome]
  {
    let update: DirectoryUpdate
    do {
      update = try await updater.update()
    } catch {
      // Without the server, extensions that were just turned on still load what is there.
      if !Task.isCancelled { _ = await load(report) }
      throw error
    }
    return await load(emptying: Set(update.removed), report)
  }

  /// Reloads the extensions that have something to load.
  ///
  /// - Parameter removed: the numbers of extensions that have no files any more.
  @concurrent
  func load(
    emptying removed: Set<Int> = [], _ report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }
  ) async -> [ReloadOutcome] {
    let items = extensions.compactMap { own -> ReloadItem? in
      let files = files(of: own)
      // Without files, an extension loads an empty list, which removes its entries.
      let isLoaded = files.map { (try? $0.progress().isComplete) == true }
      let isDue = isLoaded.map(!) ?? removed.contains(own.index.number)
      return isDue ? ReloadItem(own.identifier, files) : nil
    }
    return await ReloadRun(items, times: times).run(report)
  }
}
