// Writes a project to its folder: completely to a staging folder first, then moved into place.
//
// Not for the content of the files (ProjectPlan) or the options (ScaffoldCommand).

import StoreWriting
import Hashing
package import Records
import SystemIO
import SystemPackage

/// The folder of a project.
package struct ProjectFolder {
  /// The buffer size for copying a store, in bytes.
  private static let copiedBytesMax = 1 << 18

  /// The folder's path as typed.
  package let path: String
  /// Whether the folder may contain other files.
  package let force: Bool

  /// Refers to a folder; does not access it.
  package init(path: String, force: Bool) {
    self.path = path
    self.force = force
  }

  /// Writes a project, its stores and its compiled rules. After an error the folder is unchanged, unless the disk fails
  /// during the renames. A folder that was missing or empty is missing or empty again.
  package func write(_ plan: ProjectPlan, _ stores: [ProjectStore], rules: ContiguousArray<UInt8>? = nil)
    throws(Failure)
  {
    var files = plan.files.map { ($0.path, ContiguousArray($0.text.utf8)) }
    if let rules { files.append(("\(ProjectPlan.rulesFolder)/\(ProjectPlan.rulesName)", rules)) }
    if FileKind(of: FilePath(path)) == .directory {
      let wasEmpty = try checked { () throws(SystemError) in try Directory.names(path).isEmpty }
      guard wasEmpty || force else { throw Failure(nil, ProjectFolderError.notEmpty(path: path)) }
      try checkKind(plan.kind)
      let staging = UnpublishedFiles.name(beside: FilePath(path).appending("scaffold"))
      try staged(staging) { () throws(Failure) in
        let names = try stage(files, stores, in: staging)
        try checked { () throws(SystemError) in
          try check(names)
          try move(names, from: staging, wasEmpty: wasEmpty)
          if stores.contains(where: { $0.id != nil }) { try removeFormer(keeping: names) }
        }
      }
    } else {
      let (top, rest) = try checked { () throws(SystemError) in try missing() }
      let staging = UnpublishedFiles.name(beside: top)
      try staged(staging) { () throws(Failure) in
        _ = try stage(files, stores, in: rest.reduce(into: staging) { $0.append($1) })
        try checked { () throws(SystemError) in try rename(staging, to: top) }
      }
    }
  }

  /// The descriptions of Xcode projects in the folder that are not the plan's: an earlier project had another name or
  /// was for another program. They are not removed, because they may be the user's own.
  package func formerDescriptions(besides plan: ProjectPlan) -> [String] {
    let files = plan.files.compactMap { FilePath($0.path).components.first?.string }
    // XcodeGen and Tuist generate one with the plan's name.
    let own = Set(files + ["\(plan.name).xcodeproj"])
    let descriptions: Set<String> = ["project.yml", "Project.swift", "Tuist.swift"]
    let names = (try? Directory.names(path)) ?? []
    return names.filter { !own.contains($0) && ($0.hasSuffix(".xcodeproj") || descriptions.contains($0)) }
      .sorted()
  }

  /// Refuses a folder with a project of another kind, whose entry point would remain.
  private func checkKind(_ kind: ProjectKind) throws(Failure) {
    for other in ProjectKind.allCases
    where other != kind
      && FileKind(of: FilePath(path).pushing(FilePath(other.entryFile))) != .none
    {
      throw Failure(nil, ProjectFolderError.otherKind(path: path, other))
    }
  }

  /// The topmost missing folder of the path, and the remaining path from it to the project.
  private func missing() throws(SystemError) -> (top: FilePath, rest: [FilePath.Component]) {
    var top = FilePath(path)
    var rest: [FilePath.Component] = []
    while true {
      let parent = top.removingLastComponent()
      // A dangling link is not a missing folder, and .. after a missing folder is undefined.
      guard let last = top.lastComponent, last.kind == .regular, !SymbolicLink.exists(top.string) else {
        throw SystemError(.createOutput, path, .notDirectory)
      }
      switch parent.isEmpty ? .directory : FileKind(of: parent) {
      case .directory: return (top, rest)
      case .none where !SymbolicLink.exists(parent.string):
        rest.insert(last, at: 0)
        top = parent
      default: throw SystemError(.createOutput, path, .notDirectory)
      }
    }
  }

  /// Runs `work` with a staging folder, which is removed afterwards, also on a signal, unless it was renamed. Errors
  /// name the project's folder instead of the staging folder.
  private func staged(_ staging: FilePath, _ work: () throws(Failure) -> Void) throws(Failure) {
    let ticket = UnpublishedFiles.shared.add(directory: staging)
    defer {
      DirectoryTree.remove(staging.string)
      UnpublishedFiles.shared.remove(ticket)
    }
    do throws(Failure) {
      try work()
    } catch {
      guard let failure = error.cause as? SystemError, failure.path.hasPrefix(staging.string) else {
        throw error
      }
      throw Failure(nil, SystemError(failure.operation, path, failure.code))
    }
  }

  // MARK: Writing

  /// Writes everything to a folder and returns the names, stores first.
  private func stage(
    _ files: [(path: String, content: ContiguousArray<UInt8>)], _ stores: [ProjectStore], in folder: FilePath
  ) throws(Failure) -> [FilePath] {
    var names: [FilePath] = []
    for store in stores {
      let name = FilePath(store.place)
      try copy(store, to: folder.pushing(name))
      names.append(name)
    }
    for file in files {
      let name = FilePath(file.path)
      try checked { () throws(SystemError) in
        try Directory.make(folder.pushing(name).removingLastComponent().string)
        var written = try OutputFile(folder.pushing(name).string)
        try written.write(file.content.span)
        try written.publish(durably: false)
      }
      names.append(name)
    }
    return names
  }

  /// Copies a store and verifies the copy.
  private func copy(_ store: ProjectStore, to place: FilePath) throws(Failure) {
    let kind = FileKind(of: FilePath(store.path))
    guard kind == .regular || kind == .none, SymbolicLink.destination(of: store.path) == nil else {
      throw Failure(nil, ProjectFolderError.notAFile(path: store.path))
    }
    try checked { () throws(SystemError) in
      try Directory.make(place.removingLastComponent().string)
      var source = try InputFile(store.path)
      var copy = try OutputFile(place.string)
      var chunk = ByteChunk(capacity: Self.copiedBytesMax)
      while try source.read(into: &chunk) > 0 {
        try copy.write(chunk)
        chunk.removeAll()
      }
      try copy.publish(durably: false)
    }
    let found: [UInt8]
    do throws(StoreVerificationError) {
      found = try StoreVerification.verify(path: place.string)
    } catch {
      throw Failure(nil, ProjectFolderError.damagedStore(error, path: store.path))
    }
    guard Hexadecimal.text(found) == store.contentHash else {
      throw Failure(nil, ProjectFolderError.otherStore(path: store.path))
    }
  }

  // MARK: Moving

  /// Checks, before anything is changed, that every name is unused or a file.
  private func check(_ names: [FilePath]) throws(SystemError) {
    for name in names {
      let target = FilePath(path).pushing(name)
      if FileKind(of: target) == .directory {
        throw SystemError(.createOutput, target.string, .isDirectory)
      }
      let parent = target.removingLastComponent()
      if SymbolicLink.exists(parent.string), FileKind(of: parent) != .directory {
        throw SystemError(.createOutput, target.string, .notDirectory)
      }
    }
  }

  private func move(_ names: [FilePath], from staging: FilePath, wasEmpty: Bool) throws(SystemError) {
    do throws(SystemError) {
      for name in names {
        let target = FilePath(path).pushing(name)
        try Directory.make(target.removingLastComponent().string)
        try rename(staging.pushing(name), to: target)
      }
    } catch {
      if wasEmpty {
        for name in Set(names.compactMap { $0.components.first }) {
          DirectoryTree.remove(FilePath(path).appending(name).string)
        }
      }
      throw error
    }
  }

  /// Removes the previous stores after the new ones are in place, because an extension loads the store that it finds.
  private func removeFormer(keeping names: [FilePath]) throws(SystemError) {
    let folder = FilePath(path).appending(ProjectPlan.storesFolder)
    let kept = Set(names.compactMap { $0.lastComponent?.string })
    for former in try Directory.names(folder.string) where Self.isShard(former) && !kept.contains(former) {
      do throws(Errno) {
        try KernelCalls().unlink(folder.appending(former))
      } catch {
        throw SystemError(.publishOutput, folder.appending(former).string, error)
      }
    }
  }

  /// Whether a file has a shard's name, `0001-….cdstore`. Other files belong to the user.
  private static func isShard(_ name: String) -> Bool {
    let id = name.utf8.prefix { $0 != UInt8(ascii: "-") }
    return id.count == 4 && Int(name.prefix(4)) != nil && name.hasSuffix(".cdstore")
  }

  private func rename(_ one: FilePath, to other: FilePath) throws(SystemError) {
    do throws(Errno) {
      try KernelCalls().rename(one, to: other)
    } catch {
      throw SystemError(.publishOutput, other.string, error)
    }
  }

  private func checked<Result>(_ work: () throws(SystemError) -> Result) throws(Failure) -> Result {
    do throws(SystemError) {
      return try work()
    } catch {
      throw Failure(nil, error)
    }
  }
}
