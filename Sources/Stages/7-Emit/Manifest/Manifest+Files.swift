// The files that a manifest names, which are those that go when another one takes its place.

import SystemIO

extension Manifest {
  /// The names of all files that it names.
  var fileNames: Set<String> {
    var names = Set(shards.map(\.store.name))
    names.formUnion(shards.flatMap { $0.deltas ?? [] }.map(\.name))
    if let bootstrap { names.insert(bootstrap.name) }
    return names
  }

  /// The names in the manifest at a path; none when there is none, or none that can be read: what nobody is known to have
  /// named is nobody's to remove.
  static func fileNames(namedIn path: String) -> Set<String> {
    guard Directory.holdsFile(path) else { return [] }
    do throws(ManifestError) {
      return try Manifest(reading: path, calls: KernelCalls()).fileNames
    } catch {
      return []
    }
  }
}
