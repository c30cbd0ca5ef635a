// Downloads compiled rules into the app group's folder, where the filter finds them.
//
// Not for when to update (NightlyRules, FilterModel), and not for stores that rules name: those are in the bundle.

import CallDirectoryKit
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
  private let transport: any UpdateTransport
  private let clock: @Sendable () -> Date
  private let write: @Sendable (Data, URL) throws -> Void

  /// Creates an update. Nothing is read or written.
  ///
  /// - Parameters:
  ///   - url: the URL of the rules, with https.
  ///   - folder: the app group's folder.
  ///   - transport: how the file is requested.
  ///   - clock: the time that is stored as that of the update.
  ///   - write: writes a file in one step: afterwards there is the old one or the new one.
  init(
    url: URL, folder: URL, transport: any UpdateTransport = URLSessionTransport(),
    clock: @escaping @Sendable () -> Date = { Date() },
    write: @escaping @Sendable (Data, URL) throws -> Void = { try $0.write(to: $1, options: .atomic) }
  ) {
    self.url = url
    self.folder = folder
    self.transport = transport
    self.clock = clock
    self.write = write
  }

  /// The update that a bundle's Info.plist describes; nil if it has no URL of rules.
  init?(of bundle: Bundle = .main) throws(RulesUpdateError) {
    guard let text = bundle.object(forInfoDictionaryKey: Self.urlKey) as? String else { return nil }
    guard let url = URL(string: text), Self.isSecure(url) else { throw .badAddress }
    guard let folder = AppGroup.folder(of: bundle) else { throw .noAppGroup }
    self.init(url: url, folder: folder)
  }

  /// What is known about the last update; nil before the first one.
  var record: UpdateRecord? { UpdateRecord(in: folder, of: url) }

  /// Downloads the rules if there are new ones, checks them, and puts them into place.
  ///
  /// - Complexity: O(bytes). Memory: three times the file.
  func run() async throws(RulesUpdateError) -> Outcome {
    guard Self.isSecure(url) else { throw .badAddress }
    guard Self.inProgress.withLock({ $0.insert(folder.path).inserted }) else { throw .inProgress }
    defer { _ = Self.inProgress.withLock { $0.remove(folder.path) } }
    // If the file is damaged, or of another URL, the server has to send it again.
    let file = folder.appendingPathComponent(RulesFolders.fileName)
    let former = LocalRules(path: file.path).error == nil ? record : nil
    let body = RulesBody(isConditional: former?.tag != nil)
    do {
      try await transport.get(url, headers: former?.tag.map { ["If-None-Match": $0] } ?? [:], body: body)
      try Task.checkCancellation()
    } catch {
      throw RulesUpdateError(download: error)
    }
    let received = body.received
    let now = clock()
    if received.isUnchanged, let former {
      try store(UpdateRecord(url: url, tag: former.tag, downloaded: former.downloaded, checked: now))
      return .upToDate
    }
    do throws(CompiledRulesError) {
      _ = try CompiledRules(bytes: ContiguousArray(received.bytes).span)
    } catch {
      throw RulesUpdateError(check: error)
    }
    let isNew = (try? Data(contentsOf: file)) != received.bytes
    if isNew {
      do { try write(received.bytes, file) } catch { throw RulesUpdateError(writing: error) }
    }
    // The rules first: if the app is terminated between the two, the tag is an old one, and the rules are sent again.
    try store(
      UpdateRecord(
        url: url, tag: received.tag, downloaded: isNew ? now : former?.downloaded ?? now, checked: now))
    return isNew ? .updated : .upToDate
  }

  private func store(_ record: UpdateRecord) throws(RulesUpdateError) {
    do { try write(record.data, UpdateRecord.file(in: folder)) } catch {
      throw RulesUpdateError(writing: error)
    }
  }

  private static func isSecure(_ url: URL) -> Bool {
    url.scheme?.lowercased() == "https" && url.host?.isEmpty == false
  }

  /// The folders that are being updated: the owner may ask for an update while iOS runs the nightly one.
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

  /// Creates a record.
  init(url: URL, tag: String?, downloaded: Date, checked: Date) {
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
  private let state = Mutex(Received())

  init(isConditional: Bool) {
    self.isConditional = isConditional
  }

  /// What has arrived.
  var received: Received { state.withLock { $0 } }

  func begin(_ response: ServerResponse) throws {
    if response.status == 304, isConditional {
      return state.withLock { $0.isUnchanged = true }
    }
    guard response.status == 200 else { throw RulesUpdateError.refused(status: response.status) }
    if let length = response.header("Content-Length").flatMap(Int.init), length > RulesUpdate.bytesMax {
      throw RulesUpdateError.tooLarge
    }
    let tag = response.header("ETag").flatMap { $0.count <= Self.tagMax ? $0 : nil }
    state.withLock { $0 = Received(tag: tag) }
  }

  func append(_ bytes: Data) throws {
    try state.withLock { received in
      // A response without a change has no body.
      if received.isUnchanged { return }
      guard received.bytes.count + bytes.count <= RulesUpdate.bytesMax else {
        throw RulesUpdateError.tooLarge
      }
      received.bytes.append(bytes)
    }
  }
}
