// The links `current`, `manifest.json` and `manifest.json.sig` of a published folder, and how they are switched.

import CallManifest
import RecordStages
import Records
import StoreWriting
import SystemIO
import SystemPackage

extension Publisher {
  /// Makes a version current. If that fails, a new version is removed.
  func makeCurrent(_ id: String, after before: String?) throws(Failure) {
    do throws(SystemError) {
      try SymbolicLink.replace(folder.current, by: "versions/" + id, calls: calls)
    } catch {
      if before != id { DirectoryTree.remove(folder.version(id), calls: calls) }
      throw Failure(nil, error)
    }
    current = id
    reached(.current)
    do throws(SystemError) {
      try linkManifest()
      try Directory.sync(folder.directory, calls: calls)
    } catch {
      throw .notDurable(version: id, Failure(nil, error))
    }
    reached(.durable)
  }

  /// Creates the links to the current version's manifest and its signature. They never change afterwards.
  func linkManifest() throws(SystemError) {
    try link(folder.manifest, to: Manifest.fileName)
    if signer != nil { try link(folder.signature, to: ManifestSignature.fileName) }
  }

  private func link(_ path: String, to name: String) throws(SystemError) {
    let destination = "current/" + name
    if SymbolicLink.destination(of: path, calls: calls) == destination { return }
    try SymbolicLink.replace(path, by: destination, calls: calls)
  }
}
