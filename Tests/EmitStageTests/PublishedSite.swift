// A published folder as the tests make it, with directories of shards as its versions.

import RecordStages
import Records
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport

/// Writes a directory of shards, or a store if the path ends in `.cdstore`.
func emitShards(_ records: [TestRecord], to path: String, maxEntries: UInt64 = 1000) throws {
  try ShardOptionTests.emit(
    records, EmitOptions(format: .store, maxEntries: maxEntries, output: path), calls: FailingCalls.unsynced()
  )
}

/// Makes a symbolic link, in place of an existing one.
func link(_ path: String, to destination: String) throws {
  try SymbolicLink.replace(path, by: destination, calls: KernelCalls())
}

/// A published folder in a temporary directory, laid out as publishing does.
struct PublishedSite {
  let place: TemporaryDirectory
  /// The folder's path.
  var folder: String { place / "public" }

  /// Makes a folder without a version.
  init() throws {
    place = try TemporaryDirectory()
    try Directory.make(place / "public/versions")
    try link(place / "public/manifest.json", to: "current/manifest.json")
  }

  /// Writes a version and makes it current. Returns its id.
  @discardableResult
  func publish(_ records: [TestRecord], maxEntries: UInt64 = 2) throws -> String {
    try emitShards(records, to: place / "public/versions/new", maxEntries: maxEntries)
    let id = try ShardFolder(place / "public/versions/new").contentID
    try KernelCalls().rename(
      FilePath(place / "public/versions/new"), to: FilePath(place / "public/versions/\(id)"))
    try link(place / "public/current", to: "versions/\(id)")
    return id
  }
}

/// The error of an input; nil if there is none.
func inputError(_ path: String, calls: any SystemCalls = KernelCalls()) -> Failure? {
  do throws(Failure) {
    _ = try ListInput(path, calls: calls)
    return nil
  } catch {
    return error
  }
}
