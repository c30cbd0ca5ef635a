// Switches the links `current` and `manifest.json` of a published folder to a version.

import CallManifest
import PipeStage
import SystemIO

extension Publisher {
  /// Makes a version current. If that fails, a new version is removed.
  func makeCurrent(_ id: String, after before: String?) throws(StageError) {
    do throws(SystemError) {
      try SymbolicLink.replace(folder.current, by: "versions/" + id, calls: calls)
    } catch {
      if before != id { DirectoryTree.remove(folder.version(id), calls: calls) }
      throw StageError(nil, error)
    }
    current = id
    reached(.current)
    do throws(SystemError) {
      try linkManifest()
      try Directory.sync(folder.directory, calls: calls)
    } catch {
      throw StageError(nil, PublishError.notDurable(version: id, error))
    }
    reached(.durable)
  }

  /// Creates the link to the current version's manifest. It never changes afterwards.
  func linkManifest() throws(SystemError) {
    let destination = "current/" + Manifest.fileName
    if SymbolicLink.destination(of: folder.manifest, calls: calls) == destination { return }
    try SymbolicLink.replace(folder.manifest, by: destination, calls: calls)
  }
}
