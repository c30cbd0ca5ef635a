// Downloads compiled rules into the app group's folder, where the filter finds them.
//
// Not for when to update (NightlyUpdate, FilterModel), and not for stores that rules name: those are in the bundle.

import CallDirectoryKit
import CallManifest
import Foundation
import MessageRules
import Synchronization

#if canImport(SampleShared)
  import SampleShared
#endif

/// Downloads the rules that `cdpipe rules compile` wrote, if the server has others than the last time.
///
///     let update = RulesUpdate(url: url, folder: container)
///     switch try await update.run() {
///     case .updated: show("New rules")
///     case .upToDate: show("No new rules")
///     }
///
/// The file is checked before it replaces the former rules, in one step. Whatever the server sends, and whenever the
/// app is terminated, the filter finds rules that it can use.
nonisolated struct RulesUpdate: Sendable {
  /// The key in the app's Info.plist with the URL of the rules.
  static let urlKey = "RulesURL"
  /// The maximum size of a file of rules in bytes. One with 10,000 keywords has 1.3 MB. It is held in memory until it is
  /// checked.
  static let bytesMax = 16 << 20

  /// What an update changed.
  enum Outcome: Equatable, Sendable {
    /// There are new rules.
    case updated
    /// The server has the same rules as the last time.
    case upToDate
  }

  /// The URL of the rules.
  let url: URL
  /// The app group's folder.
  let folder: URL
  /// Who must have signed the rules.
  let trust: RulesTrust
  private let transport: any UpdateTransport
  private let clock: @Sendable () -> Date
  private let write: @Sendable (Data, URL) throws -> Void

  /// Creates an update. Nothing is read or written.
  ///
  /// - Parameters:
  ///   - url: the URL of the rules, with https.
  ///   - folder: the app group's folder.
  ///   - trust: who must have signed the rules.
  ///   - transport: how the file is requested.
  ///   - clock: the time that is stored as that of the update.
  ///   - write: writes a file in one step: afterwards there is the old one or the new one.
  init(
    url: URL, folder: URL, trust: RulesTrust = .anyone,
    transport: any UpdateTransport = URLSessionTransport(),
    clock: @escaping @Sendable () -> Date = { Date() },
    write: @escaping @Sendable (Data, URL) throws -> Void = { try $0.write(to: $1, options: .forExtensions) }
  ) {
    self.url = url
    self.folder = folder
    self.trust = trust
    self.transport = transport
    self.clock = clock
    self.write = write
  }

  /// The update that a bundle's Info.plist describes; nil if it has no URL of rules.
  init?(of bundle: Bundle = .main) throws(RulesUpdateError) {
    guard let text = bundle.object(forInfoDictionaryKey: Self.urlKey) as? String else { return nil }
    guard let url = URL(string: text), Self.isSecure(url) else { throw .badAddress }
    guard let folder = AppGroup.folder(of: bundle) else { throw .noAppGroup }
    self.init(url: url, folder: folder, trust: RulesTrust(of: bundle))
  }

  /// What is known about the last update; nil before the first one.
  var record: UpdateRecord? { UpdateRecord(in: folder, of: url) }

  /// Downloads the rules if there are new ones, checks them, and puts them into place.
  ///
  /// - Complexity: O(bytes). Memory: three times the file.
  @concurrent
  func run() async throws(RulesUpdateError) -> Outcome {
    guard Self.isSecure(url) else { throw .badAddress }
    guard Self.inProgress.withLock({ $0.insert(folder.path).inserted }) else { throw .inProgress }
    defer { _ = Self.inProgress.withLock { $0.remove(folder.path) } }
    // If the file is damaged, or of another URL, the server has to send it again.
    let file = folder.appendingPathComponent(RulesFolders.fileName)
    let installed = LocalRules(path: file.path, trust: trust)
    let former = installed.isUsable ? record : nil
    let signed = try await signature()
    let received = try await download(
      url, RulesBody(isConditional: former?.tag != nil),
      headers: former?.tag.map { ["If-None-Match": $0] } ?? [:])
    let now = clock()
    let (sha256, isNew) =
      received.isUnchanged
      ? (installed.sha256, false)
      : (try Self.check(received.bytes), (try? Data(contentsOf: file)) != received.bytes)
    if let signed, sha256.map({ signed.signature.covers(sha256: $0) }) != true { throw .untrusted(.altered) }
    try install(isNew ? received.bytes : nil, signed?.bytes, as: file)
    // The rules first: if the app is terminated between the two, the tag is an old one, and the rules are sent again.
    try store(
      UpdateRecord(
        url: url, tag: received.isUnchanged ? former?.tag : received.tag,
        downloaded: isNew ? now : former?.downloaded ?? now, checked: now, serial: signed?.signature.serial))
    return isNew ? .updated : .upToDate
  }

  private func download(
    _ url: URL, _ body: RulesBody, headers: [String: String] = [:]
  ) async throws(RulesUpdateError) -> RulesBody.Received {
    do {
      try await transport.get(url, headers: headers, body: body)
      try Task.checkCancellation()
    } catch {
      throw RulesUpdateError(download: error)
    }
    return body.received
  }

  /// The signature of the rules on the server, which is small; nil if rules need none.
  private func signature() async throws(RulesUpdateError) -> (bytes: Data, signature: ManifestSignature)? {
    guard let keys = trust.keys else { return nil }
    var address = URLComponents(url: url, resolvingAgainstBaseURL: true)
    address?.path += ".sig"
    guard let address = address?.url else { throw .badAddress }
    var bytes = Data()
    do throws(RulesUpdateError) {
      bytes = try await download(address, RulesBody(bytesMax: ManifestSignature.bytesMax)).bytes
    } catch .refused(status: 404), .refused(status: 410) {
      // There is no signature.
    } catch {
      throw error
    }
    do throws(ManifestSignatureError) {
      let signature = try ManifestSignature(
        bytes: Array(bytes), of: .rules, keys: keys, lastAccepted: record?.serial,
        now: Int64(clock().timeIntervalSince1970))
      return (bytes, signature)
    } catch {
      throw .untrusted(error)
    }
  }

  /// Checks downloaded rules, and returns their SHA-256.
  private static func check(_ bytes: Data) throws(RulesUpdateError) -> [UInt8]? {
    do throws(CompiledRulesError) {
      return try CompiledRules(bytes: ContiguousArray(bytes).span).sha256
    } catch {
      throw RulesUpdateError(check: error)
    }
  }

  /// Replaces the rules, their signature, or both, each in one step; nil: stays. Whenever the app is terminated, one of
  /// the two signatures is that of the rules.
  private func install(_ rules: Data?, _ signature: Data?, as file: URL) throws(RulesUpdateError) {
    let next = RulesTrust.nextSignature(of: file)
    do {
      if let signature { try write(signature, next) }
      if let rules { try write(rules, file) }
      if let signature {
        try write(signature, RulesTrust.signature(of: file))
        try FileManager.default.removeItem(at: next)
      }
    } catch {
      throw RulesUpdateError(writing: error)
    }
  }

  private func store(_ record: UpdateRecord) throws(RulesUpdateError) {
    do { try write(record.data, UpdateRecord.file(in: folder)) } catch {
      throw RulesUpdateError(writing: error)
    }
  }

  private static func isSecure(_ url: URL) -> Bool {
    url.scheme?.lowercased() == "https" && url.host?.isEmpty == false
  }

  /// The folders that are being updated: the user may ask for an update while iOS runs the nightly one.
  private static let inProgress = Mutex<Set<String>>([])
}

/// The record of updates: a small file next to the downloaded rules, which only the app uses.
nonisolated struct UpdateRecord: Codable, Equatable, Sendable {
  /// The URL of the rules.
  let url: URL
  /// The server's tag of the file (`ETag`); nil if it sends none.
  let tag: String?
  /// When the rules were downloaded.
  let downloaded: Date
  /// When the server was last asked, successfully.
  let checked: Date
  /// The serial number of the rules' signature, below which no other is accepted; nil if they need none.
  let serial: Int64?

  /// Creates a record.
  init(url: URL, tag: String?, downloaded: Date, checked: Date, serial: Int64? = nil) {
    self.serial = serial
    self.url = url
    self.tag = tag
    self.downloaded = downloaded
    self.checked = checked
  }

  /// Reads the record; nil if there is none, it is damaged, or it is about another URL: the app was updated since.
  init?(in folder: URL, of url: URL) {
    guard let data = try? Data(contentsOf: Self.file(in: folder)),
      let record = try? JSONDecoder().decode(Self.self, from: data), record.url == url
    else { return nil }
    self = record
  }

  /// The record's file.
  static func file(in folder: URL) -> URL { folder.appendingPathComponent("rules-update.json") }

  /// The content of the file.
  var data: Data {
    get throws { try JSONEncoder().encode(self) }
  }
}

/// The recipient of the rules.
private nonisolated final class RulesBody: UpdateBody {
  struct Received: Sendable {
    var bytes = Data()
    var tag: String?
    var isUnchanged = false
  }

  /// The maximum length of a tag in characters; a longer one is not stored.
  private static let tagMax = 1_024

  private let isConditional: Bool
  private let bytesMax: Int
  private let state = Mutex(Received())

  init(isConditional: Bool = false, bytesMax: Int = RulesUpdate.bytesMax) {
    self.isConditional = isConditional
    self.bytesMax = bytesMax
  }

  /// What has arrived.
  var received: Received { state.withLock { $0 } }

  func begin(_ response: ServerResponse) throws {
    if response.status == 304, isConditional {
      return state.withLock { $0.isUnchanged = true }
    }
    guard response.status == 200 else { throw RulesUpdateError.refused(status: response.status) }
    if let length = response.header("Content-Length").flatMap(Int.init), length > bytesMax {
      throw RulesUpdateError.tooLarge
    }
    let tag = response.header("ETag").flatMap { $0.count <= Self.tagMax ? $0 : nil }
    state.withLock { $0 = Received(tag: tag) }
  }

  func append(_ bytes: Data) throws {
    try state.withLock { received in
      // A response without a change has no body.
      if received.isUnchanged { return }
      guard received.bytes.count + bytes.count <= bytesMax else {
        throw RulesUpdateError.tooLarge
      }
      received.bytes.append(bytes)
    }
  }
}
