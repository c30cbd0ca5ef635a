// Publishes a new version of a folder: written to a staging folder, checked, and made current in one step.
//
//     let publisher = try Publisher(options)          // acquires the lock, removes leftovers
//     let folder = try publisher.begin()              // emit writes there
//     let outcome = try publisher.commit(memory)      // without it, the folder is removed
//
// At any time `current` leads to a complete version, old or new.

import CallManifest
import RecordStages
package import Records
package import StoreWriting
package import SystemIO
import SystemPackage

package enum PublishOutcome: Equatable, Sendable {
  /// A new version is current. `before` is the previous one, if any, and `changes` the numbers that differ from it, if
  /// there are deltas.
  case published(version: String, entries: UInt64, before: String?, changes: NumberChanges? = nil)
  case repaired(version: String, entries: UInt64)
  /// The content equals the current version's, which none of the keys had signed; it was written again and signed.
  case signed(version: String)
  /// The content equals the current version's; nothing was published.
  case unchanged(version: String)
  /// The content equals a version that was rolled back; nothing was published.
  case withdrawn(version: String, current: String)
}

/// Publishes one version. Holds the folder's lock until it is deallocated.
package final class Publisher {
  package let folder: PublishedFolder
  private let options: PublishOptions
  package let calls: any SystemCalls
  let reached: (PublishStep) -> Void
  /// Signs versions; nil if they are not signed.
  let signer: ManifestSigner?
  let now: Int64
  private var lock: FileLock?
  var state: PublishState
  private var ticket: Int?
  /// What a first run made of the folder itself; nil once it publishes.
  private var madeFolder: MadeFolder?
  /// Versions that were found to be damaged; they can't be baselines.
  private var damaged: Set<String> = []

  /// Acquires the lock and removes the leftovers of interrupted runs. `reached` is called for every step, in order.
  ///
  /// Throws if another run holds the lock.
  package init(
    _ options: PublishOptions, calls: any SystemCalls = KernelCalls(),
    now: Int64 = WallClock.wholeSeconds(), reached: @escaping (PublishStep) -> Void = { _ in }
  ) throws(Failure) {
    let folder = PublishedFolder(options.directory)
    let signer = try ManifestSigner(options, now: now)
    let (calls, made) = try Self.open(folder, calls)
    self.options = options
    self.folder = folder
    self.calls = calls
    self.reached = reached
    self.signer = signer
    self.now = now
    state = PublishState()
    let holder = PublishHolder(
      process: Int(RunningProcess.identifier), host: Self.hostName, since: WallClock.text(Double(now)))
    let madeInside = MadeDirectories(calls: calls)
    lock = try asFailure(nil) { () throws(SystemError) -> FileLock? in
      try madeInside.make(folder.versions)
      guard let held = try FileLock.acquire(folder.lock, note: holder.note, calls: calls) else { return nil }
      // A first run that is interrupted removes the folder with its lock.
      guard try held.isFile(at: folder.lock) else { return nil }
      return held
    }
    if lock == nil {
      let other = PublishHolder(FileLock.note(in: folder.lock, calls: calls))
      throw .locked(options.directory, by: other)
    }
    if !madeInside.isEmpty {
      madeFolder = MadeFolder(folder, [made, madeInside], calls: calls)
    }
    reached(.locked)
    try recover()
    try checkSigned(options)
    reached(.cleaned)
  }

  deinit {
    discard()
  }

  /// Makes the folder if it is missing, and opens it. Also returns the directories that were made.
  private static func open(
    _ folder: PublishedFolder, _ calls: any SystemCalls
  ) throws(Failure) -> (calls: any SystemCalls, made: MadeDirectories) {
    let made = MadeDirectories(calls: calls)
    let (confined, planted) = try asFailure(nil) { () throws(SystemError) -> (DirectoryCalls, String?) in
      try made.make(folder.directory)
      let confined = try folder.confine(calls)
      return (confined, try folder.planted(calls: confined))
    }
    if let planted { throw .isLink(path: planted) }
    return (confined, made)
  }

  private static var hostName: String {
    guard let name = RunningProcess.hostName, !name.contains(" ") else { return "-" }
    return name
  }

  // MARK: Existing versions

  /// The id of the current version; nil if there is none.
  package internal(set) var current: String?

  /// The inputs of the last version; nil if unknown.
  package var memory: PublishMemory? { state.memory }

  /// The folders of the versions that deltas start from, the current one first. Even without deltas, the current
  /// version is included for its shard boundaries. Versions with anything but files and folders are left out.
  package var baselines: [String] {
    guard let current else { return [] }
    let sources = Retention.deltaSources(state.history, current: current, count: options.deltas)
    return (sources.isEmpty ? [current] : sources).filter {
      // A version that can't be looked up stays: reading it shows whether it is damaged or the machine is at fault.
      !damaged.contains($0) && ((try? folder.hasOnlyFiles($0, calls: calls)) ?? true)
    }.map(folder.version)
  }

  /// Finds damaged baselines after a run that used them failed, and excludes them from ``baselines``. Returns their
  /// ids; if there are none, the run failed for another reason. A damaged version must not prevent the next one from
  /// being published.
  ///
  /// - Complexity: O(bytes of the baselines); nothing is read unless emit failed because of a manifest.
  package func excludeDamagedBaselines(
    after failure: Failure
  ) throws(Failure) -> [(version: String, problem: VersionProblem)] {
    guard failure.stage == .emit, failure.isOfShards else { return [] }
    var found: [(version: String, problem: VersionProblem)] = []
    for path in baselines {
      let id = String(path.dropFirst(folder.versions.count + 1))
      if let problem = try problem(of: id) { found.append((id, problem)) }
    }
    return found
  }

  /// Checks the current version; returns nil if every byte is as published. Files whose signature has not changed since
  /// the last check are not read again.
  package func problemOfCurrent() throws(Failure) -> VersionProblem? {
    guard let current else { return nil }
    let looks = folder.looks(of: current, calls: calls)
    if looks == nil || looks != state.verified {
      if let problem = try problem(of: current) { return problem }
      state.verified = looks
      try save()
    }
    guard let signer else { return nil }
    return try signer.hasSigned(folder.version(current), calls: calls) ? nil : .unsigned
  }

  /// Checks a version. Throws when the machine can't read it, because then it may be intact.
  private func problem(of id: String) throws(Failure) -> VersionProblem? {
    let problem = try folder.problem(of: id, calls: calls)
    if problem != nil { damaged.insert(id) }
    return problem
  }

  /// When a version was published, in seconds since 1970; nil if it is not in the history.
  package func published(_ id: String) -> Int64? { state.history.first { $0.id == id }?.published }

  /// The versions that were current at some time, oldest first.
  var history: [PublishState.HistoryEntry] { state.history }

  private func recover() throws(Failure) {
    let (folder, calls) = (self.folder, self.calls)
    for path in [folder.current, folder.manifest] + (signer == nil ? [] : [folder.signature]) {
      let isForeign = try asFailure(nil) { () throws(SystemError) -> Bool in
        guard try SymbolicLink.isPresent(path, calls: calls) else { return false }
        return try SymbolicLink.read(path, calls: calls) == nil
      }
      if isForeign { throw .notOurs(path: path) }
    }
    let (ids, current) = try asFailure(nil) { () throws(SystemError) -> ([String], String?) in
      (try folder.ids(calls: calls), try folder.currentVersion(calls: calls))
    }
    folder.removeUnfinished(calls: calls)
    self.current = current
    let known = try asFailure(nil) { () throws(SystemError) in
      try PublishState.read(folder.state, calls: calls)
    }
    state = known ?? PublishState()
    state.fit(folder, ids: ids, current: current, isKnown: known != nil, calls: calls)
    // A version that never became current: its run ended before the switch.
    for id in Set(ids).subtracting(state.history.map(\.id)) {
      DirectoryTree.remove(folder.version(id), calls: calls)
    }
    if current != nil { try asFailure(nil) { () throws(SystemError) in try linkManifest() } }
    if state != known { try save() }
  }

  func save() throws(Failure) {
    let (path, calls) = (folder.state, self.calls)
    try asFailure(nil) { () throws(SystemError) in try state.write(path, calls: calls) }
  }

  // MARK: A new version

  /// Creates the empty staging folder that emit writes to. Removes the files of an earlier attempt of this run.
  package func begin() throws(Failure) -> String {
    discard()
    let staging = folder.staging
    let calls = self.calls
    ticket = try asFailure(nil) { () throws(SystemError) in
      try UnpublishedFiles.shared.add(directory: FilePath(staging), calls: calls) { () throws(SystemError) in
        try Directory.make(staging, calls: calls)
      }
    }
    reached(.staged)
    return staging
  }

  /// Reports ``PublishStep/fetched``.
  package func noteFetched() { reached(.fetched) }

  /// Removes the staging folder, unless it has become a version.
  package func discard() {
    guard let ticket else { return }
    DirectoryTree.remove(folder.staging, calls: calls)
    UnpublishedFiles.shared.remove(ticket)
    self.ticket = nil
  }

  /// Ends a run without a new version: saves the memory and what happened, and removes expired versions that a killed
  /// run may have left.
  package func keep(_ memory: PublishMemory, after outcome: PublishOutcome) throws(Failure) {
    state.memory = memory
    if case .withdrawn(let version, _) = outcome {
      state.log(PublishEvent(.withdrawn, version, at: now, missing: memory.missing))
    } else if let current {
      state.log(PublishEvent(.unchanged, current, at: now, missing: memory.missing))
    }
    try save()
    if let current { prune(current: current) }
  }

  /// Removes temporary files that could not be removed when they were discarded: they are not part of the version.
  private func removeTemporaryFiles() throws(Failure) {
    try asFailure(nil) { () throws(SystemError) in
      for name in try Directory.names(folder.staging, calls: calls, where: PublishedFolder.isUnfinished) {
        let path = folder.staging + "/" + name
        do throws(Errno) {
          try calls.unlink(FilePath(path))
        } catch {
          throw SystemError(.writeOutput, path, error)
        }
      }
    }
  }

  /// Checks the staged version and makes it current. `memory` describes its inputs; its `result` is set here.
  ///
  /// If it throws, the current version is unchanged, except after ``Failure/notDurable(version:_:)``.
  package func commit(_ memory: PublishMemory) throws(Failure) -> PublishOutcome {
    reached(.written)
    let (folder, calls) = (self.folder, self.calls)
    try removeTemporaryFiles()
    let staged = try VersionContent(folder.staging, calls: calls)
    let id = staged.id
    var memory = memory
    memory.result = id
    let before = current
    let problem = id == before ? try problemOfCurrent() : nil
    let isRepair = problem != nil
    if let before, !isRepair {
      let isWithdrawn = state.history.contains { $0.id == id && $0.isWithdrawn }
      if id == before || isWithdrawn {
        discard()
        try renewSignature()
        let outcome: PublishOutcome =
          id == before ? .unchanged(version: id) : .withdrawn(version: id, current: before)
        try keep(memory, after: outcome)
        return outcome
      }
    }
    try judge(staged, against: isRepair ? nil : before)
    try staged.verify()
    // Counted here, because the deltas are in the staging folder.
    let changes = isRepair ? nil : before.flatMap { staged.changes(since: folder.version($0), calls: calls) }
    reached(.judged)
    try sign(folder.staging)
    var event = PublishEvent(.published, id, at: now, missing: memory.missing)
    (event.replaced, event.changes) = (isRepair ? nil : before, changes)
    (event.numbers, event.kinds) = (staged.entries, staged.kinds)
    event.bytes = try asFailure(nil) { () throws(SystemError) in
      try folder.bytes(of: folder.staging, calls: calls)
    }
    if isRepair { event.kind = .repaired }
    if problem == .unsigned { event.kind = .signed }
    try isRepair ? repair(id) : place(id)
    do throws(Failure) {
      try switchCurrent(to: id)
    } catch {
      if current != id { DirectoryTree.remove(folder.version(id), calls: calls) }
      throw error
    }
    state.note(event)
    state.memory = memory
    state.verified = folder.looks(of: id, calls: calls)
    do throws(Failure) {
      try save()
    } catch {
      throw .notDurable(version: id, error.of(nil))
    }
    reached(.noted)
    prune(current: id)
    reached(.pruned)
    return switch event.kind {
    case .signed: .signed(version: id)
    case .repaired: .repaired(version: id, entries: staged.entries)
    default: .published(version: id, entries: staged.entries, before: before, changes: changes)
    }
  }

  /// Applies the guards to the staged version. If the previous version is damaged, only its count of numbers is
  /// compared.
  private func judge(_ staged: VersionContent, against before: String?) throws(Failure) {
    let guards = ResultGuards(options, calls: calls)
    if let before, !damaged.contains(before), (try? folder.hasOnlyFiles(before, calls: calls)) ?? false {
      do throws(Failure) {
        return try guards.check(staged, against: folder.version(before))
      } catch {
        if error.isOfPublishing { throw error }
        if try problem(of: before) == nil { throw error }
      }
    }
    try guards.check(staged, againstCount: state.history.first { $0.id == before }?.entries ?? 0)
  }

  private func place(_ id: String) throws(Failure) {
    let (folder, calls) = (self.folder, self.calls)
    let version = folder.version(id)
    do throws(SystemError) {
      try DirectoryTree.sync(folder.staging, calls: calls)
      reached(.synced)
      madeFolder = nil
      // An older version with the same content is replaced: the new one has deltas from other versions.
      DirectoryTree.remove(version, calls: calls)
      do throws(Errno) {
        try calls.rename(FilePath(folder.staging), to: FilePath(version))
      } catch {
        throw SystemError(.publishOutput, version, error)
      }
      if let ticket { UnpublishedFiles.shared.remove(ticket) }
      ticket = nil
      reached(.placed)
      try Directory.sync(folder.versions, calls: calls)
    } catch {
      if ticket == nil { DirectoryTree.remove(version, calls: calls) }
      throw Failure(nil, error)
    }
  }

  /// Makes a version current.
  func switchCurrent(to id: String) throws(Failure) {
    try asFailure(nil) { () throws(SystemError) in
      try SymbolicLink.replace(folder.current, by: "versions/" + id, calls: calls)
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
  private func linkManifest() throws(SystemError) {
    var links = [(folder.manifest, Manifest.fileName)]
    if signer != nil { links.append((folder.signature, ManifestSignature.fileName)) }
    for (path, name) in links {
      let destination = "current/" + name
      if SymbolicLink.destination(of: path, calls: calls) == destination { continue }
      try SymbolicLink.replace(path, by: destination, calls: calls)
    }
  }

  /// Replaces the damaged files of the current version by the staged ones. After an error, every file still exists,
  /// damaged or repaired.
  private func repair(_ id: String) throws(Failure) {
    let (folder, calls, reached) = (self.folder, self.calls, self.reached)
    try asFailure(nil) { () throws(SystemError) in
      try DirectoryTree.sync(folder.staging, calls: calls)
      reached(.synced)
      try folder.repair(id, calls: calls) { reached(.mending) }
    }
    discard()
    reached(.placed)
  }

  /// Removes expired versions. The next run retries those that can't be removed.
  private func prune(current: String) {
    let expired = Retention.expired(
      state.history, current: current, result: state.memory?.result, now: now, options)
    for id in expired { DirectoryTree.remove(folder.version(id), calls: calls) }
  }
}

// MARK: - The options of publishing, and its steps for tests of crash safety

package struct PublishOptions: Equatable, Sendable {
  /// The maximum number of versions to keep: one per day for almost three years. Each is a folder, and every run looks
  /// at all of them.
  package static let keepMax = 1000
  /// The maximum number of versions that deltas start from. Each needs a pass over both versions; a phone that missed
  /// more versions loads everything again.
  package static let deltasMax = 30
  /// The default of ``signatureSeconds``: two weeks, so that a phone that was off for some days has a valid list.
  package static let defaultSignatureSeconds: Int64 = 14 * 86_400
  /// The maximum of ``signatureSeconds``: ten years.
  package static let signatureSecondsMax: Int64 = 3_650 * 86_400

  /// The folder that holds the versions and names the current one.
  package var directory: String
  /// The number of versions to keep, including the current one.
  package var keep = 7
  /// The maximum age of versions in days; older ones are removed even if fewer than `keep` remain. Nil for no limit.
  package var keepDays: Int?
  package var deltas = 1
  /// The minimum count of single numbers in a version; nil for none.
  package var minEntries: UInt64?
  /// The maximum share of numbers that a version may remove or add, in percent of the current version's numbers; nil
  /// for no limit.
  package var maxChangePercent: Double?
  /// The files of the private keys that sign each version; empty for unsigned versions.
  package var signingKeys: [String] = []
  /// Whether a version without a signature may follow signed ones.
  package var allowsUnsigned = false
  /// The number of seconds for which a signature is valid. Every run renews it.
  package var signatureSeconds = defaultSignatureSeconds

  package init(directory: String) { self.directory = directory }
}

/// The steps of publishing: the state on disk changes between any two. Tests in the same process look at it at each of them.
package enum PublishStep: String, CaseIterable, Sendable {
  /// The lock is held; the folder has not been read yet.
  case locked
  case cleaned
  case fetched
  /// The staging folder exists and is empty.
  case staged
  case written
  /// Every file was read back and is valid, and the result passed the guards.
  case judged
  case synced
  /// A file of the damaged current version was replaced by a valid one. Reported for each file, only when a version is
  /// repaired.
  case mending
  /// The new version is in the versions folder; `current` does not lead to it yet.
  case placed
  /// `current` leads to the new version.
  case current
  /// `current` is durable, and `manifest.json` leads to the new version.
  case durable
  case noted
  case pruned
}

// MARK: - What a first run made of a published folder

/// The files and directories of a published folder that a run made. A signal that ends the process removes them, the
/// directories only if they are empty, until this object is released.
final class MadeFolder {
  private let tickets: [Int]
  private let directories: [MadeDirectories]

  /// Tracks the lock and the state of a folder, and the directories that were made for it. `calls` remove the files.
  init(_ folder: PublishedFolder, _ directories: [MadeDirectories], calls: any SystemCalls) {
    self.directories = directories
    tickets = [folder.lock, folder.state].map { UnpublishedFiles.shared.add(FilePath($0), calls: calls) }
  }

  deinit {
    for ticket in tickets { UnpublishedFiles.shared.remove(ticket) }
  }
}
