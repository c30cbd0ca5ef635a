// The message filter's app with its filter on a phone, and a server of rules that a test controls.

import CallDirectoryKit
import Foundation
import FrameworkServices
import IdentityLookup
import SimulatedPhone
import Synchronization
import Testing

@testable import MessageFilter

/// A server of rules: it answers as a test sets it, and records what it was asked.
final class RulesServer: UpdateTransport {
  /// What the server does with a request.
  enum Answer: Sendable {
    /// A response whose body arrives in pieces.
    case response(Int, [String: String] = [:], [Data] = [])
    /// The connection fails.
    case error(any Error)
    /// Nothing arrives until the request is cancelled.
    case silence
  }

  private let answer = Mutex(Answer.response(404))
  private let signature = Mutex<Data?>(nil)
  private let headers = Mutex<[[String: String]]>([])

  /// The headers of the requests so far.
  var requests: [[String: String]] { headers.withLock { $0 } }

  /// The signature beside the rules; nil for none.
  func sign(_ file: Data?) { signature.withLock { $0 = file } }

  func set(_ answer: Answer) { self.answer.withLock { $0 = answer } }

  /// Serves a file with a tag: it is sent unless the request has the tag.
  func serve(_ file: Data, tag: String? = nil) {
    set(.response(200, tag.map { ["ETag": $0] } ?? [:], [file.prefix(100), file.dropFirst(100)]))
  }

  func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
    if url.pathExtension == "sig" {
      let file = signature.withLock { $0 }
      try body.begin(ServerResponse(status: file == nil ? 404 : 200))
      return try file.map { try body.append($0) } ?? ()
    }
    self.headers.withLock { $0.append(headers) }
    switch answer.withLock({ $0 }) {
    case .error(let error): throw error
    case .silence: try await Task.sleep(for: .seconds(100))
    case .response(let status, let response, let pieces):
      if status == 200, let tag = headers["If-None-Match"], tag == response["ETag"] {
        return try body.begin(ServerResponse(status: 304))
      }
      try body.begin(ServerResponse(status: status, headers: response))
      for piece in pieces { try body.append(piece) }
    }
  }
}

/// Writes files as `Data` does, until the disk is full.
final class FullDisk: Sendable {
  private let left: Mutex<Int>

  init(afterFiles count: Int) { left = Mutex(count) }

  func write(_ data: Data, to url: URL) throws {
    let isFull = left.withLock { left in
      left -= 1
      return left < 0
    }
    if isFull { throw CocoaError(.fileWriteOutOfSpace) }
    try data.write(to: url, options: .atomic)
  }
}

/// The folders of the app and its filter, and its server of rules.
final class FilterAppScene {
  static let url = URL(string: "https://rules.example.com/rules.cdrules") ?? URL(fileURLWithPath: "/")
  /// The times of the updates: the first at this time, each later one an hour after the one before.
  static let start = Date(timeIntervalSince1970: 1_790_000_000)

  let workplace: Workplace
  let server = RulesServer()
  let folders: RulesFolders
  private let updates = Mutex(0)

  /// Creates the folders. `bundled` is the text of the rules in the bundle; nil for none.
  init(bundled: String? = "rules: [{ name: casino, action: junk, when: { body: { contains: [casino] } } }]\n")
    throws
  {
    workplace = try Workplace()
    let (group, bundle) = (
      workplace.folder.appending(path: "group"), workplace.folder.appending(path: "bundle")
    )
    for folder in [group, bundle] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    folders = RulesFolders(group: group, bundle: bundle)
    if let bundled { try compile(bundled).write(to: bundle.appending(path: RulesFolders.fileName)) }
  }

  var group: URL { workplace.folder.appending(path: "group") }
  /// The downloaded rules.
  var downloaded: Data? { try? Data(contentsOf: group.appending(path: RulesFolders.fileName)) }

  func compile(_ text: String) throws -> Data {
    try workplace.write("rules.yaml", text)
    try workplace.cdpipe("rules", "compile", "rules.yaml", "-o", "compiled.cdrules")
    return try Data(contentsOf: workplace.folder.appending(path: "compiled.cdrules"))
  }

  /// Compiled rules that make messages with a word junk.
  func junk(_ words: String...) throws -> Data {
    try compile(
      "rules:\n"
        + words.map { "  - { name: \($0), action: junk, when: { body: { contains: [\($0)] } } }\n" }.joined())
  }

  /// The update of the app.
  func update(
    from url: URL = url, trust: RulesTrust = .anyone,
    write: @escaping @Sendable (Data, URL) throws -> Void = { try $0.write(to: $1, options: .atomic) }
  ) -> RulesUpdate {
    let hours = updates.withLock { count in
      defer { count += 1 }
      return count
    }
    let now = Self.start + Double(hours) * 3_600
    return RulesUpdate(
      url: url, folder: group, trust: trust, transport: server, clock: { now }, write: write)
  }

  /// The state of the app's screen.
  @MainActor
  func model(
    updater: RulesUpdate? = nil, setupError: RulesUpdateError? = nil, host: String? = nil,
    receiver: String? = nil, systemVersion: Int = 26
  ) -> FilterModel {
    FilterModel(
      folders: folders, updater: updater, setupError: setupError, server: host, receiver: receiver,
      systemVersion: systemVersion,
      dates: Date.FormatStyle(
        date: .numeric, time: .shortened, locale: Locale(identifier: "en_GB"), timeZone: .gmt))
  }
}
