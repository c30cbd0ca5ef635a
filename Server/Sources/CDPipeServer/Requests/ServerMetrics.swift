// The server's counters. Not for their text format (ServerMetrics+Text).

import MessageRules
import Synchronization

/// A counter that threads share.
final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  /// The counter's value.
  var value: UInt64 { count.load(ordering: .relaxed) }

  /// Increases the counter.
  func add(_ more: UInt64 = 1) {
    count.wrappingAdd(more, ordering: .relaxed)
  }
}

/// A figure that goes up and down.
final class Gauge: Sendable {
  private let level = Atomic<Int>(0)

  /// The current level.
  var value: Int { level.load(ordering: .relaxed) }

  /// Increases the level, or decreases it by a negative amount.
  func add(_ more: Int) {
    level.wrappingAdd(more, ordering: .relaxed)
  }
}

/// The server's metrics. All series exist from the start: clients can't create new ones.
public final class ServerMetrics: Sendable {
  /// Why the server closed a connection.
  enum Closing: String, CaseIterable, Sendable {
    /// The connection was idle for too long.
    case idle
    /// A request's head exceeded its time limit.
    case head
    /// A request's body exceeded its time limit.
    case body
    /// A client did not read its response for too long.
    case answer
    /// A request was rejected and the client disconnected.
    case refused
    /// The client already had its maximum number of connections.
    case client
  }

  /// The statuses with their own counters; all others share the last one.
  static let statuses = [200, 206, 304, 400, 403, 404, 405, 413, 415, 416, 429, 500, 503, 0]
  /// The upper bounds of the histogram's buckets in microseconds; one more bucket counts longer durations.
  static let durations: [UInt64] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000,
  ]

  /// Counters by kind of route and status.
  private let requests: [Counter]
  /// Counters by histogram bucket, for all routes.
  let took: [Counter]
  /// The sum of all durations in nanoseconds.
  let tookNanoseconds = Counter()
  /// The open connections.
  let connections = Gauge()
  /// All connections accepted so far.
  let accepted = Counter()
  private let closings: [Counter]
  private let verdicts: [Counter]
  private let reloads: [Counter]

  /// Creates counters of 0.
  public init() {
    func counters(_ count: Int) -> [Counter] { (0..<count).map { _ in Counter() } }
    requests = counters(Route.RouteKind.allCases.count * Self.statuses.count)
    took = counters(Self.durations.count + 1)
    closings = counters(Closing.allCases.count)
    verdicts = counters(MessageAction.allCases.count)
    reloads = counters(2 * Site.Part.allCases.count)
  }

  /// The counter of responses of a kind of route with a status.
  func requests(_ kind: Route.RouteKind, statusAt index: Int) -> Counter {
    let kind = Route.RouteKind.allCases.firstIndex(of: kind) ?? 0
    return requests[kind * Self.statuses.count + index]
  }

  /// Counts a response.
  func answered(_ kind: Route.RouteKind, status: Int, nanoseconds: UInt64) {
    let index = Self.statuses.firstIndex(of: status) ?? Self.statuses.count - 1
    requests(kind, statusAt: index).add()
    let limit = Self.durations.firstIndex { nanoseconds <= $0 * 1_000 } ?? Self.durations.count
    took[limit].add()
    tookNanoseconds.add(nanoseconds)
  }

  /// The counter of messages with an action.
  func verdicts(_ action: MessageAction) -> Counter { verdicts[Int(action.rawValue)] }

  /// The counter of connections that were closed for a reason.
  func closings(_ closing: Closing) -> Counter {
    closings[Closing.allCases.firstIndex(of: closing) ?? 0]
  }

  /// The counter of a part's reloads.
  func reloads(_ part: Site.Part, isFailure: Bool) -> Counter {
    reloads[2 * (Site.Part.allCases.firstIndex(of: part) ?? 0) + (isFailure ? 1 : 0)]
  }
}
