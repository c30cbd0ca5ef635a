// The app's own list of recent calls, for its screen. iOS has another one, in the Phone app (ProviderSettings).

import Foundation

/// A call that has ended.
nonisolated struct FinishedCall: Codable, Equatable, Sendable, Identifiable {
  /// How a call ended.
  enum Ending: String, Codable, Sendable {
    /// The call was connected, here or on another device.
    case answered
    /// The call came in and was not answered.
    case missed
    /// The user declined the call.
    case declined
    /// The app declined the call: the store, or the user's block list in iOS, blocks the caller.
    case blocked
    /// The user's call was not answered.
    case notAnswered
    /// An error occurred.
    case failed
  }

  /// The id that iOS and the transport used.
  let id: UUID
  /// Whether the user made the call.
  let isOutgoing: Bool
  /// The number or address of the other side.
  let handle: String
  /// The store's name for the handle, if any.
  let name: String?
  /// Whether the call had video.
  let hasVideo: Bool
  /// How the call ended.
  let ending: Ending
  /// When the call ended.
  let ended: Date
  /// How long the call was connected, in seconds.
  let seconds: Int
  /// Whether the handle can be called. That of a push that could not be read can't.
  let isCallable: Bool

  /// Describes a call that ends now.
  init(_ call: Call, _ ending: Ending, isCallable: Bool = true) {
    let now = Date()
    id = call.id
    isOutgoing = call.isOutgoing
    handle = call.handle
    name = call.name
    hasVideo = call.hasVideo
    self.ending = ending
    ended = now
    self.isCallable = isCallable
    seconds = call.answered.map { Int(max(0, now.timeIntervalSince($0))) } ?? 0
  }
}

/// The recent calls, newest first, in a file.
nonisolated struct CallHistory: Sendable {
  /// The maximum number of calls: as many as the Phone app shows.
  static let callsMax = 100

  /// The calls, newest first.
  private(set) var calls: [FinishedCall] = []
  private let file: URL?

  /// Reads the list; a missing or damaged file is an empty list. Without a file, the list ends with the app.
  init(file: URL? = nil) {
    self.file = file
    guard let file, let data = try? Data(contentsOf: file) else { return }
    calls = (try? JSONDecoder().decode([FinishedCall].self, from: data)) ?? []
  }

  /// Adds a call and saves the list. A list that can't be saved lasts until the app ends.
  mutating func add(_ call: FinishedCall) {
    calls.insert(call, at: 0)
    if calls.count > Self.callsMax { calls.removeLast(calls.count - Self.callsMax) }
    guard let file, let data = try? JSONEncoder().encode(calls) else { return }
    try? data.write(to: file, options: .atomic)
  }
}
