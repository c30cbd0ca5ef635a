// Shared by the tests: a download that records its waits instead of waiting, and temporary
// files.

import Records
import Synchronization
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import InputStages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Actions during a download.
struct Hooks {
  /// After bytes were forwarded.
  var firstChunk: (() -> Void)?
  /// Instead of each wait.
  var whenWaiting: (() -> Void)?
}

extension Server {
  /// Expects that a time limit ends a transfer that stops after a byte, and that the server would not end. Where that byte
  /// does not arrive before a short limit, on a loaded machine, a longer one is tried.
  func expectSlow(
    _ limit: WebClient.TimeLimit, set: (inout DownloadOptions, Double) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for seconds in [2, 20, 200] as [Double] {
      let cause = try Download(url("/slow")) { set(&$0, seconds) }.cause
      func ended(after received: UInt64) -> Failure {
        .timedOut(url: url("/slow"), limit: limit, seconds: seconds, received: received)
      }
      if seconds < 200, cause == ended(after: 0) { continue }
      #expect(cause == ended(after: 1), sourceLocation: sourceLocation)
      return
    }
  }
}

/// A download and its results.
struct Download {
  let sink = KeepingSink()
  var failure: Failure?
  var waits: [Double] = []
  var isUnchanged = false
  let meter = StageMeter(.download)

  /// The events except details, one word each.
  var events: [String] = []

  init(
    _ resources: String..., failsBeyond: Int = .max, hooks: Hooks = Hooks(),
    set: (inout DownloadOptions) -> Void = { _ in }
  ) throws {
    var options = DownloadOptions(resources)
    let noted = Mutex<[String]>([])
    options.observe = { event in
      if !event.isDetail { noted.withLock { $0.append(String("\(event)".prefix { $0 != "(" })) } }
    }
    set(&options)
    sink.failsBeyond = failsBeyond
    sink.beyond = hooks.firstChunk.map { (0, $0) }
    let context = StageContext(meter: meter, rejects: try RejectLog())
    let downloader = Downloader(options: options, context: context, downstream: sink)
    var waits: [Double] = []
    downloader.sleep = {
      waits.append($0)
      hooks.whenWaiting?()
    }
    do throws(Failure) {
      try downloader.run()
    } catch {
      failure = error
    }
    self.waits = waits
    events = noted.withLock { $0 }
    isUnchanged = downloader.isUnchanged
    #expect((failure == nil) == sink.isFinished, "a failed download has no end, a whole one has")
    #expect((failure == nil) == meter.isFinished)
  }

  /// The stage's own error.
  var cause: Failure? {
    guard let failure else { return nil }
    #expect(failure.stage == .download)
    return failure.systemError == nil ? failure : nil
  }

  /// The error for a file.
  var systemError: SystemError? { failure?.systemError }

  /// Whether the stage's own error has a code, and a sentence with a text.
  func failed(_ code: String, _ text: String) -> Bool {
    cause?.code == code && cause?.message.message.contains(text) ?? false
  }
}

/// Whether two failures are the same, for users and for programs.
func == (one: Failure?, other: Failure?) -> Bool {
  one?.stage == other?.stage && one?.errorClass == other?.errorClass && one?.code == other?.code
    && one?.message == other?.message && one?.blamesSource == other?.blamesSource
}

extension TemporaryDirectory {
  /// The bytes of a file.
  func bytes(_ name: String) throws -> [UInt8] {
    try #require(read(name))
  }

  /// Writes a file and returns its path.
  func file(_ name: String, _ bytes: [UInt8], _ permissions: FilePermissions = [.ownerReadWrite]) throws
    -> String
  {
    let file = "\(path)/\(name)"
    let calls = KernelCalls()
    let descriptor = try calls.open(FilePath(file), .writeOnly, [.create, .truncate], permissions)
    defer { try? calls.close(descriptor) }
    try calls.writeAll(descriptor, bytes.span)
    return file
  }
}

/// The id of this process.
enum ProcessIdentity {
  static var mine: Int { Int(getpid()) }
}
