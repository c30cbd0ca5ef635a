// A folder published in process: numbers become shards and a version, with calls that may fail.

import CallManifest
import RecordStages
import Records
import StoreWriting
import SystemIO
import TestSupport

@testable import Runner

/// A folder for one test, in which versions are published.
final class PublishFixture: Sendable {
  /// The folder.
  let root: String
  /// The published folder.
  let folder: PublishedFolder
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    root = directory.path
    folder = PublishedFolder(root + "/public")
  }

  deinit {
    DirectoryTree.remove(root)
  }

  /// Options for the folder.
  var options: PublishOptions { PublishOptions(directory: folder.directory) }

  /// Options for signed versions, and the public key.
  func signedOptions() throws -> (options: PublishOptions, key: ManifestKey) {
    var options = self.options
    options.signingKeys = [root + "/list.key"]
    let key = try SigningKey.make(at: root + "/list.key")
    return (options, key.publicKey)
  }

  /// The current version's content ID and entries, after every byte of it was verified; nil if there is none.
  func current() throws -> String? {
    guard let id = folder.currentVersion else { return nil }
    return try content(id)
  }

  /// A version's content ID and entries, after every byte of it was verified.
  func content(_ id: String) throws -> String {
    let shards = try ShardFolder(folder.version(id))
    try shards.verify()
    return "\(shards.contentID) \(shards.entries)"
  }

  /// The names of temporary files that a killed run would leave.
  func leftovers() throws -> [String] {
    try DirectoryTree.files(folder.directory).filter { path in
      path.split(separator: "/").contains { $0.hasPrefix(".") && $0.hasSuffix(".tmp") }
    }
  }

  /// The versions in the folder.
  func versions() throws -> Set<String> {
    Set(try Directory.names(folder.versions).filter { !$0.hasPrefix(".") })
  }
}

/// Emits numbers into a folder.
func emit(
  _ numbers: [UInt64], label: String = "spam", to staging: String, from baselines: [String] = [],
  maxEntries: UInt64 = 100, calls: any SystemCalls = KernelCalls()
) throws(Failure) {
  var options = EmitOptions(format: .store, maxEntries: maxEntries, output: staging)
  options.allowsEmpty = true
  options.shards.baseline = baselines.first
  options.shards.olderBaselines = Array(baselines.dropFirst())
  let rejects = try RejectLog()
  let context = StageContext(meter: StageMeter(.emit), rejects: rejects, calls: calls)
  let emitter = try Emitter(options: [options], context: context)
  let reader = RecordReader(context: context, downstream: emitter)
  var chunk = ByteChunk()
  chunk.append(Array(numbers.sorted().map { "\($0)\t\(label)\n" }.joined().utf8).span)
  try reader.receive(&chunk)
  try reader.finish()
}

/// Publishes numbers like a run.
@discardableResult
func publish(
  _ numbers: [UInt64], _ options: PublishOptions, inputs: [PublishMemory.Input]? = nil,
  calls: any SystemCalls = KernelCalls(), now: Int64 = WallClock.wholeSeconds(),
  reached: @escaping (PublishStep) -> Void = { _ in }
) throws(Failure) -> PublishOutcome {
  let publisher = try Publisher(options, calls: calls, now: now, reached: reached)
  let staging = try publisher.begin()
  try emit(numbers, to: staging, from: publisher.baselines, calls: calls)
  return try publisher.commit(
    PublishMemory(result: "", pipeline: "test", inputs: inputs, sources: []))
}

extension PublishOutcome {
  /// The version that was published.
  var version: String {
    switch self {
    case .published(let version, _, _, _), .repaired(let version, _), .signed(let version),
      .unchanged(let version), .withdrawn(let version, _):
      version
    }
  }

  var isPublished: Bool { if case .published = self { true } else { false } }
}

/// `count` consecutive numbers from a first one.
func numbers(_ count: Int, from first: UInt64 = 8_613_800_130_000) -> [UInt64] {
  (0..<UInt64(count)).map { first + $0 }
}
