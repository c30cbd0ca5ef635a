// The simulated phone of `cdpipe simulate`: loads extensions one after another and receives calls.

import CallDeltaReader
import CallDirectory
import CallManifest
import CallStoreReader
import DirectorySimulation
package import Records
package import SimulatedPhone
import StoreWriting
import SystemIO
import SystemPackage

package struct PhoneSimulation {
  /// The seconds to wait for an extension's report after the phone has reported the result of its request: at most one
  /// batch is left then.
  private static let accountSeconds = 60

  private let phone: SimulatedPhone
  private let memoryLimit: Int?

  /// Creates a phone that counts entries and stores only those of the given numbers. With a memory limit, each
  /// extension runs in its own process.
  package init(watching numbers: Set<Int64>, _ memoryLimit: Int?) throws(Failure) {
    do throws(LoadError) {
      phone = try SimulatedPhone(.counting(watching: numbers))
    } catch {
      throw .simulatedPhone
    }
    self.memoryLimit = memoryLimit
  }

  /// Loads the extensions and returns the results, including those of calls.
  package func run(
    _ extensions: [SimulatedExtension], _ callers: [SimulatedCaller]
  ) throws(Failure) -> SimulationReport {
    guard extensions.count <= SimulatedPhone.extensionsMax else {
      let limit = Figures.grouped(UInt64(SimulatedPhone.extensionsMax))
      throw Failure(nil, .usage, "too-many-extensions", "more than \(limit) extensions")
    }
    var report = SimulationReport()
    for (index, one) in extensions.enumerated() {
      report.extensions.append(try load(one, as: "\(index)"))
    }
    for caller in callers {
      do throws(LoadError) {
        let answer = try phone.answer(caller.call)
        report.calls.append(
          SimulationReport.Call(text: caller.text, number: caller.number, answer: answer) {
            Int($0).map { extensions[$0].name } ?? ""
          })
      } catch {
        throw .simulatedPhone
      }
    }
    return report
  }

  private func load(
    _ one: SimulatedExtension, as identifier: String
  ) throws(Failure) -> SimulationReport.Extension {
    let record = TemporaryRecordFile()
    defer { record.remove() }
    var report = SimulationReport.Extension(file: one.name, withoutDeltas: one.withoutDeltas)
    report.hasEarlierStore = one.former != nil
    report.bytesToDownload = one.bytesToDownload
    for (state, isUpdate) in [(one.former, false), (one.wanted, one.former != nil)] {
      guard let state else { continue }
      var files = ExtensionFiles(store: state.store, deltas: state.deltas, record: record.path)
      // Load everything in one request, like an extension that does not count; the phone rejects a request with this
      // many entries.
      files.additionsMax = phone.assumptions.additionsRefusedAt
      var progress = try Self.progress(files)
      report.isUnchanged = progress.isComplete
      while !progress.isComplete {
        let file = try Self.check(progress.next, files)
        let outcome = try request(identifier, files)
        report.requests.append(SimulationReport.Request(file: file, isUpdate: isUpdate, outcome: outcome))
        if outcome.failure != nil { return report }
        let former = progress
        progress = try Self.progress(files)
        // The next request would repeat this one, because the record could not be written.
        if progress == former {
          throw Failure(
            nil, .cannotCreate, "cannot-write-record", "cannot write in '\(record.directory)'",
            hint: "choose another directory with TMPDIR")
        }
      }
    }
    if let counts = try? phone.entryCounts(identifier) { report.entries = counts }
    return report
  }

  private static func progress(_ files: ExtensionFiles) throws(Failure) -> LoadProgress {
    do throws(CallDirectoryError) {
      return try files.progress()
    } catch {
      switch error {
      case .store(let error, let path): throw .store(error, path)
      case .delta(let error, let path): throw .delta(error, path)
      // Other errors can't occur for these files.
      default: throw .store(.notAStore, files.store)
      }
    }
  }

  /// Checks the file that the next request loads, so that the message names a damaged file instead of its consequences.
  /// Returns its path.
  private static func check(_ step: LoadStep, _ files: ExtensionFiles) throws(Failure) -> String {
    guard case .delta(let place, _) = step else {
      do throws(CallStoreError) {
        try CallStore(path: files.store).verify()
      } catch {
        throw .store(error, files.store)
      }
      return files.store
    }
    let path = files.deltas[place]
    let delta: CallDelta
    do throws(CallDeltaError) {
      delta = try CallDelta(path: path)
    } catch {
      throw .delta(error, path)
    }
    do throws(CallStoreError) { try delta.removals.verify() } catch {
      throw .delta(.removals(error), path)
    }
    do throws(CallStoreError) { try delta.additions.verify() } catch {
      throw .delta(.additions(error), path)
    }
    return path
  }

  /// Runs one request, and returns after the extension has reported its statistics.
  private func request(_ identifier: String, _ files: ExtensionFiles) throws(Failure) -> LoadOutcome {
    let account = OneAnswer<Bool>()
    let program = program(files, account)
    do throws(RegistryError) {
      if phone.extensionState(identifier) == nil {
        try phone.install(identifier, program)
      } else {
        try phone.update(identifier, program)
      }
    } catch {
      throw .simulatedPhone
    }
    let isOn = phone.extensionState(identifier) == .loaded
    let outcome = isOn ? phone.load(identifier) : phone.switchOn(identifier)
    // An extension that was not started reports nothing.
    let isStarted = if case .notStarted = outcome.interruption { false } else { true }
    if memoryLimit == nil, isStarted { _ = account.wait(atMost: .seconds(Self.accountSeconds)) }
    return outcome
  }

  private func program(_ files: ExtensionFiles, _ account: OneAnswer<Bool>) -> ExtensionProgram {
    #if os(Linux)
      if let memoryLimit {
        // Start this program again: its main function checks first whether it was started as an extension.
        let own = ProgramPath.own ?? "/proc/self/exe"
        return LoadingExtension.child(files, program: own, privateBytesMax: memoryLimit)
      }
    #endif
    return LoadingExtension.inProcess(files) { _ in account.give(true) }
  }
}

/// A temporary file for an extension's record. ``remove()`` deletes it, as does an interruption of the program.
private struct TemporaryRecordFile {
  let directory = TemporaryFile.defaultDirectory
  let path: String
  /// The names of the record and of its temporary file.
  private let names: [String]
  private let tickets: [Int]

  init() {
    let tag = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    path = FilePath(directory).appending("cdpipe-\(RunningProcess.identifier)-\(tag).cdrecord").string
    names = [path, path + ".new"]
    tickets = names.map { UnpublishedFiles.shared.add(FilePath($0)) }
  }

  func remove() {
    for name in names { try? KernelCalls().unlink(FilePath(name)) }
    for ticket in tickets { UnpublishedFiles.shared.remove(ticket) }
  }
}

extension Failure {
  fileprivate static func store(_ error: CallStoreError, _ path: String) -> Failure {
    let errorClass: ErrorClass = if case .cannotOpen(let code) = error { .opening(code) } else { .badData }
    return Failure(nil, errorClass, "store", error.userMessage(path: path))
  }

  fileprivate static func delta(_ error: CallDeltaError, _ path: String) -> Failure {
    let errorClass: ErrorClass = if case .cannotOpen(let code) = error { .opening(code) } else { .badData }
    return Failure(nil, errorClass, "delta", error.userMessage(path: path))
  }

  fileprivate static let simulatedPhone = Failure(
    nil, .inputOutput, "phone", "cannot create the simulated phone's database")

  /// Only one of `--incremental` and the argument is a manifest.
  fileprivate static func manifestAndStore(_ former: String) -> Failure {
    Failure(
      nil, .usage, "manifest-and-store",
      "--incremental '\(former)' and the argument must both be manifests, or both be stores",
      hint: "a directory counts as the manifest in it")
  }
}

/// An extension and the files that it loads.
package struct SimulatedExtension {
  package struct StoreVersion {
    package var store: String
    package var deltas: [String] = []
  }

  /// The version that the extension has loaded before; nil for none.
  package var former: StoreVersion?
  var wanted: StoreVersion
  /// Why the phone loads everything again instead of deltas from the store that was loaded before; nil if it does not.
  var withoutDeltas: SimulationReport.WithoutDeltas?
  /// The size of the files that an app downloads for the update. That of a manifest counts for its first shard.
  var bytesToDownload: UInt64 = 0
  package var name: String { wanted.store }

  package static func all(of inputs: [String], from former: String?) throws(Failure) -> [SimulatedExtension] {
    var lists: [ListInput] = []
    for path in inputs { lists.append(try list(path)) }
    guard let former else {
      var all: [SimulatedExtension] = []
      for list in lists {
        switch list {
        case .shards(let directory):
          for shard in directory.shards {
            all.append(SimulatedExtension(wanted: StoreVersion(store: shard.store.path)))
          }
        case .lookup: break  // list(_:) accepts none.
        case .file(let path) where DeltaFile.isDelta(path):
          throw Failure(
            nil, .usage, "delta-alone", "'\(path)' is a delta",
            hint: "name the store that it changes with --incremental")
        case .file(let path): all.append(SimulatedExtension(wanted: StoreVersion(store: path)))
        }
      }
      return all
    }
    let start = try list(former)
    try demand([start] + lists)
    switch start {
    case .shards(let directory):
      guard lists.count == 1, case .shards(let wanted) = lists[0] else { throw .manifestAndStore(former) }
      return extensions(of: wanted, from: directory)
    case .file(let path):
      var files: [String] = []
      for list in lists {
        guard case .file(let file) = list else { throw .manifestAndStore(former) }
        files.append(file)
      }
      return [try store(files, from: path)]
    case .lookup: return []  // list(_:) accepts none.
    }
  }

  /// Finds out what an argument names. The headers of a directory's stores are checked; a phone would load the stores
  /// unchecked. No directory of another kind is accepted.
  private static func list(_ path: String) throws(Failure) -> ListInput {
    let list = try ListInput(path)
    switch list {
    case .shards(let directory): try directory.checkHeaders()
    case .lookup: throw .notShards(path: path)
    case .file: break
    }
    return list
  }

  /// Throws for missing files, before they are reported as files of the wrong kind.
  private static func demand(_ lists: [ListInput]) throws(Failure) {
    for case .file(let path) in lists where FileKind(of: FilePath(path)) == .none {
      _ = try contentHash(path)
    }
  }

  /// Matches shards: those with the same id belong to the same extension. An app that has the former ones, and nothing
  /// else, downloads what `DirectoryUpdater` would.
  private static func extensions(
    of wanted: ShardFolder, from former: ShardFolder
  ) -> [SimulatedExtension] {
    let old = Dictionary(former.shards.map { ($0.id, $0) }) { first, _ in first }
    var all: [SimulatedExtension] = []
    for (shard, described) in zip(wanted.shards, wanted.manifest.shards) {
      var one = SimulatedExtension(wanted: StoreVersion(store: shard.store.path))
      let present = old[shard.id]
      let chain = (present.flatMap { described.chains[$0.contentHash] } ?? []).map(\.bytes)
      let plan = UpdatePlan(
        to: shard.store.contentHash, storeBytes: described.store.bytes,
        from: present.map { ExtensionFilesState(target: $0.store.contentHash) }, chain: chain)
      one.bytesToDownload = plan.bytes(ofStore: described.store.bytes, chain: chain)
      if let present {
        one.former = StoreVersion(store: present.store.path)
        if plan == .store(withDeltas: false) {
          one.withoutDeltas = .init(from: present.store.path, areLarge: !chain.isEmpty)
        } else {
          one.wanted.deltas = shard.deltas[present.contentHash] ?? []
        }
      }
      if all.isEmpty { one.bytesToDownload += listBytes(of: wanted, from: former, plan) }
      all.append(one)
    }
    return all
  }

  /// The bytes of the files that are not a shard's: the manifest, its signature, and the bootstrap store, which is for the
  /// first shard.
  private static func listBytes(
    of wanted: ShardFolder, from former: ShardFolder, _ first: UpdatePlan
  ) -> UInt64 {
    if wanted.manifest == former.manifest { return 0 }
    let bytes = size(wanted.manifestPath) + size(wanted.signaturePath)
    guard let bootstrap = wanted.manifest.bootstrap else { return bytes }
    let isSameShard = wanted.shards.first?.id == former.shards.first?.id
    let present = isSameShard ? former.manifest.bootstrap?.contentHash : nil
    return first.replacesBootstrap(present, with: bootstrap.contentHash) ? bytes + bootstrap.bytes : bytes
  }

  /// The size of a file in bytes; 0 if it is missing.
  private static func size(_ path: String) -> UInt64 {
    UInt64(clamping: (try? KernelCalls().status(FilePath(path), followsLinks: true))?.size ?? 0)
  }

  private static func store(_ inputs: [String], from former: String) throws(Failure) -> SimulatedExtension {
    let deltas = inputs.filter(DeltaFile.isDelta)
    let stores = inputs.filter { !DeltaFile.isDelta($0) }
    guard stores.count <= 1 else {
      throw Failure(
        nil, .usage, "several-stores",
        "with a store for --incremental, the arguments must be its deltas or a single new store")
    }
    let first = try contentHash(former)
    let last = try end(of: deltas, from: first)
    var isWithout = false
    if let store = stores.first {
      let wanted = try contentHash(store)
      guard deltas.isEmpty || last == wanted else {
        throw Failure(
          nil, .badData, "deltas-lead-elsewhere", "the result of the deltas is not '\(store)'",
          hint: "leave out the store to load the deltas' result; 'cdpipe info' shows where each leads")
      }
      isWithout = last != wanted
    }
    var one = SimulatedExtension(
      former: StoreVersion(store: former),
      wanted: StoreVersion(store: stores.first ?? former, deltas: deltas))
    if isWithout { one.withoutDeltas = .init(from: former, areLarge: false) }
    one.bytesToDownload = (isWithout ? stores : deltas).reduce(0) { $0 + size($1) }
    return one
  }

  private static func contentHash(_ store: String) throws(Failure) -> [UInt8] {
    do throws(CallStoreError) {
      return try CallStore(path: store).contentHash
    } catch {
      throw .store(error, store)
    }
  }

  /// Returns the content hash after the deltas. Deltas that don't fit are an error here; a phone would silently load
  /// the store again.
  private static func end(of deltas: [String], from first: [UInt8]) throws(Failure) -> [UInt8] {
    var state = first
    for path in deltas {
      let header: DeltaHeader
      do throws(CallDeltaError) {
        header = try CallDelta(path: path).header
      } catch {
        throw .delta(error, path)
      }
      guard header.baselineHash == state else {
        throw Failure(
          nil, .badData, "deltas-do-not-fit",
          "'\(path)' does not apply to the result of the previous one",
          hint: "list the deltas in the order of their steps; 'cdpipe info' shows where each starts")
      }
      state = header.resultHash
    }
    return state
  }
}

/// A caller. iOS looks up a call by the digits that the network presents, and by the international ones.
package struct SimulatedCaller {
  package let text: String
  package let number: Int64
  /// The digits as typed, if they lack the country calling code.
  private let presented: Int64?

  /// Creates a caller. A national number is presented as typed, unless it contains characters other than digits and
  /// separators; then, as its international digits.
  package init(_ text: String, _ number: Int64, isNational: Bool) {
    self.text = text
    self.number = number
    let isPlain = text.utf8.allSatisfy { (0x20...0x39).contains($0) }
    let digits = text.utf8.filter { (0x30...0x39).contains($0) }
    let typed = isNational && isPlain ? Int64(String(decoding: digits, as: UTF8.self)) : nil
    presented = typed.flatMap { $0 > 0 && $0 != number ? $0 : nil }
  }

  /// All numbers by which the call is looked up.
  package var numbers: [Int64] { [number] + (presented.map { [$0] } ?? []) }

  package var call: IncomingCall {
    IncomingCall(from: presented.map { "\($0)" } ?? "+\(number)", international: "+\(number)")
  }
}
