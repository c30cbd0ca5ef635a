// What the server counts. Not for: what a scraper reads (ServerMetrics+Text).

import MessageRules
import Synchronization

/// A counter that threads share.
final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  /// What was counted.
  var value: UInt64 { count.load(ordering: .relaxed) }

  /// Counts some more.
  func add(_ more: UInt64 = 1) {
    count.wrappingAdd(more, ordering: .relaxed)
  }
}

/// A figure that goes up and down.
final class Gauge: Sendable {
  private let level = Atomic<Int>(0)

  /// The level now.
  var value: Int { level.load(ordering: .relaxed) }

  /// Goes up, or down.
  func add(_ more: Int) {
    level.wrappingAdd(more, ordering: .relaxed)
  }
}

/// What the server counts, in series that are all there from the beginning: nothing that a client sends makes one.
public final class ServerMetrics: Sendable {
  /// Why the server closed a connection.
  enum Closing: String, CaseIterable, Sendable {
    /// It had nothing to say for too long.
    case idle
    /// A request's head took too long.
    case head
    /// A request's body took too long.
    case body
    /// Its client was refused and had to go.
    case refused
  }

  /// The statuses that are counted by themselves; others are counted as the last one.
  static let statuses = [200, 206, 304, 400, 403, 404, 405, 413, 415, 416, 429, 500, 0]
  /// The upper ends of the classes of durations, in microseconds; a further class has what took longer.
  static let durations: [UInt64] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000,
  ]

  /// Counters by kind of route and status.
  private let requests: [Counter]
  /// Counters by class of duration, for all routes.
  let took: [Counter]
  /// All durations together, in nanoseconds.
  let tookNanoseconds = Counter()
  /// Connections that are open.
  let connections = Gauge()
  /// Connections that there were.
  let accepted = Counter()
  private let closings: [Counter]
  private let verdicts: [Counter]
  private let reloads: [Counter]

  /// Nothing is counted yet.
  public init() {
    func counters(_ count: Int) -> [Counter] { (0..<count).map { _ in Counter() } }
    requests = counters(Route.RouteKind.allCases.count * Self.statuses.count)
    took = counters(Self.durations.count + 1)
    closings = counters(Closing.allCases.count)
    verdicts = counters(MessageAction.allCases.count)
    reloads = counters(2 * Site.Part.allCases.count)
  }

  /// The counter of a kind's answers with a status.
  func requests(_ kind: Route.RouteKind, statusAt index: Int) -> Counter {
    let kind = Route.RouteKind.allCases.firstIndex(of: kind) ?? 0
    return requests[kind * Self.statuses.count + index]
  }

  /// Counts an answer.
  func answered(_ kind: Route.RouteKind, status: Int, nanoseconds: UInt64) {
    let index = Self.statuses.firstIndex(of: status) ?? Self.statuses.count - 1
    requests(kind, statusAt: index).add()
    let limit = Self.durations.firstIndex { nanoseconds <= $0 * 1_000 } ?? Self.durations.count
    took[limit].add()
    tookNanoseconds.add(nanoseconds)
  }

  /// The counter of messages that an action was given.
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
