// The simulated phone of `cdpipe simulate`: loads extensions one after another and receives calls.

import CallDeltaReader
import CallDirectory
import CallStoreReader
import DirectorySimulation
import SimulatedPhone
import SystemIO
import SystemPackage

/// A phone and the settings for its extensions.
package struct PhoneSimulation {
  /// The seconds to wait for an extension's report after the phone has reported the result of its request: at most one
  /// batch is left then.
  private static let accountSeconds = 60

  private let phone: SimulatedPhone
  private let memoryLimit: Int?

  /// Creates a phone that counts entries and stores only those of the given numbers. With a memory limit, each
  /// extension runs in its own process.
  package init(watching numbers: Set<Int64>, _ memoryLimit: Int?) throws(SimulationError) {
    do throws(LoadError) {
      phone = try SimulatedPhone(.counting(watching: numbers))
    } catch {
      throw .phone
    }
    self.memoryLimit = memoryLimit
  }

  /// Loads the extensions and returns the results, including those of calls.
  package func run(
    _ extensions: [SimulatedExtension], _ callers: [SimulatedCaller]
  ) throws(SimulationError) -> SimulationReport {
    guard extensions.count <= SimulatedPhone.extensionsMax else {
      throw .tooManyExtensions(limit: SimulatedPhone.extensionsMax)
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
        throw .phone
      }
    }
    return report
  }

  private func load(
    _ one: SimulatedExtension, as identifier: String
  ) throws(SimulationError) -> SimulationReport.Extension {
    let record = TemporaryRecordFile()
    defer { record.remove() }
    var report = SimulationReport.Extension(file: one.name, withoutDeltasFrom: one.withoutDeltasFrom)
    report.hasEarlierStore = one.former != nil
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
        let bytes = (try? KernelCalls().status(FilePath(file), followsLinks: true))?.size ?? 0
        report.requests.append(
          SimulationReport.Request(
            file: file, fileBytes: UInt64(clamping: bytes), isUpdate: isUpdate, outcome: outcome))
        if outcome.failure != nil { return report }
        let former = progress
        progress = try Self.progress(files)
        // The next request would repeat this one, because the record could not be written.
        if progress == former { throw .cannotWriteRecord(directory: record.directory) }
      }
    }
    if let counts = try? phone.entryCounts(identifier) { report.entries = counts }
    return report
  }

  private static func progress(_ files: ExtensionFiles) throws(SimulationError) -> LoadProgress {
    do throws(CallDirectoryError) {
      return try files.progress()
    } catch {
      switch error {
      case .store(let error, let path): throw .store(error, path: path)
      case .delta(let error, let path): throw .delta(error, path: path)
      // Other errors can't occur for these files.
      default: throw .store(.notAStore, path: files.store)
      }
    }
  }

  /// Checks the file that the next request loads, so that the message names a damaged file instead of its consequences.
  /// Returns its path.
  private static func check(_ step: LoadStep, _ files: ExtensionFiles) throws(SimulationError) -> String {
    guard case .delta(let place, _) = step else {
      do throws(CallStoreError) {
        try CallStore(path: files.store).verify()
      } catch {
        throw .store(error, path: files.store)
      }
      return files.store
    }
    let path = files.deltas[place]
    let delta: CallDelta
    do throws(CallDeltaError) {
      delta = try CallDelta(path: path)
    } catch {
      throw .delta(error, path: path)
    }
    do throws(CallStoreError) { try delta.removals.verify() } catch {
      throw .delta(.removals(error), path: path)
    }
    do throws(CallStoreError) { try delta.additions.verify() } catch {
      throw .delta(.additions(error), path: path)
    }
    return path
  }

  /// Runs one request, and returns after the extension has reported its statistics.
  private func request(_ identifier: String, _ files: ExtensionFiles) throws(SimulationError)
    -> LoadOutcome
  {
    let account = OneAnswer<Bool>()
    let program = program(files, account)
    do throws(RegistryError) {
      if phone.extensionState(identifier) == nil {
        try phone.install(identifier, program)
      } else {
        try phone.update(identifier, program)
      }
    } catch {
      throw .phone
    }
    let isOn = phone.extensionState(identifier) == .loaded
    let outcome = isOn ? phone.load(identifier) : phone.switchOn(identifier)
    if memoryLimit == nil { _ = account.wait(atMost: .seconds(Self.accountSeconds)) }
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
