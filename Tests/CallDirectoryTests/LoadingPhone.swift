// A simulated phone with one extension that loads its files.

import CallDirectory
import DirectorySimulation
import SimulatedPhone
import StoreSupport
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The results of the requests, in order.
final class FeedLog: Sendable {
  private let results = Mutex<[Result<FedStep, FeedError>]>([])

  func note(_ result: Result<FedStep, FeedError>) { results.withLock { $0.append(result) } }
  var all: [Result<FedStep, FeedError>] { results.withLock { $0 } }
  var last: FedStep? { try? all.last?.get() }
  var lastError: FeedError? {
    if case .failure(let failure)? = all.last { return failure }
    return nil
  }
}

/// A phone, an extension on it, and the extension's folder.
final class LoadingPhone {
  static let name = "com.example.app.directory"
  let place: TemporaryDirectory
  let phone: SimulatedPhone
  let log = FeedLog()
  var additionsMax = ExtensionFiles.additionsMax {
    didSet { try? phone.update(Self.name, program) }
  }

  init(
    _ storage: SimulatedPhone.Storage = .database(path: nil), assumptions: PhoneAssumptions = .init()
  ) throws {
    place = try TemporaryDirectory()
    phone = try SimulatedPhone(storage, assumptions: assumptions)
    try phone.install(Self.name, program)
  }

  /// Whether the files name the user's own list.
  var hasOwnList = false {
    didSet { try? phone.update(Self.name, program) }
  }
  /// Whether the extension is that of the own list.
  var blocksOwnList = false {
    didSet { try? phone.update(Self.name, program) }
  }

  /// The files in the extension's folder at the time of a request.
  var files: ExtensionFiles { currentFiles() }

  private var currentFiles: @Sendable () -> ExtensionFiles {
    let (folder, limit, hasOwnList, blocksOwnList) = (place.path, additionsMax, hasOwnList, blocksOwnList)
    return {
      let own = folder + "/" + OwnList.fileName
      var files = ExtensionFiles(folder: folder)
      if hasOwnList { files.ownList = own }
      if blocksOwnList { files = ExtensionFiles(blocking: own, record: files.record) }
      files.additionsMax = limit
      return files
    }
  }

  private var program: ExtensionProgram {
    let (current, log) = (currentFiles, log)
    return .inProcess { request in
      let files = current()
      request.onFailure { [files] _ in files.requestFailed() }
      log.note(request.load(files))
    }
  }

  /// Loads once, and enables the extension if it is disabled. The extension learns the result of a request shortly
  /// after the phone; if it writes a record, the record is awaited.
  @discardableResult
  func load(withAccount: Bool = true) -> LoadOutcome {
    let before = log.all.count
    let outcome =
      phone.extensionState(Self.name) == .loaded ? phone.load(Self.name) : phone.switchOn(Self.name)
    let start = ContinuousClock.now
    while withAccount, log.all.count == before, start.duration(to: .now) < .seconds(120) { sched_yield() }
    return outcome
  }

  /// Loads until everything wanted is loaded, at most a given number of times. Returns the number of loads.
  func loadAll(atMost limit: Int = 200) throws -> Int {
    for count in 1...limit {
      let outcome = load()
      if let failure = outcome.failure { throw failure }
      if log.last?.isComplete == true { return count }
    }
    throw TooManyLoads()
  }

  struct TooManyLoads: Error {}

  func write(_ records: [TestRecord], as name: String = ExtensionFiles.storeName) throws {
    try StoreFiles.write(records, to: place / name)
  }

  /// Removes files of the folder.
  func remove(_ names: String...) {
    for name in names { place.remove(name) }
  }

  /// Expects that each number up to `last` has the entry in these records, and that there are no other entries.
  func expect(
    _ records: [TestRecord], upTo last: UInt64 = 120, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var expected = EntryCounts()
    var answers: [UInt64: CallAnswer] = [:]
    for record in records {
      let isBlocking = StoreFiles.isBlocking(record)
      let count = Int(record.last - record.first + 1)
      if isBlocking { expected.blocking += count } else { expected.identification += count }
      let label = String(decoding: record.recordFields, as: UTF8.self)
      for number in record.first...record.last {
        answers[number] =
          isBlocking
          ? .blocked(by: .extension(Self.name)) : .identified(label: label, by: Self.name)
      }
    }
    let counts = try phone.entryCounts(Self.name)
    #expect(counts == expected, sourceLocation: sourceLocation)
    var wrong: [UInt64] = []
    for number in 1...last {
      let answer = try phone.answer(IncomingCall(from: "+\(number)"))
      if answer != answers[number] ?? .unknown { wrong.append(number) }
    }
    #expect(wrong.isEmpty, sourceLocation: sourceLocation)
  }
}
