// Reloads an app's Call Directory extensions one after another and reports progress and remaining time.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation

/// An extension to reload.
public nonisolated struct ReloadItem: Sendable {
  /// The extension's bundle identifier.
  public let identifier: String
  /// The files to load; nil to remove everything that the extension loaded.
  public let files: ExtensionFiles?
  /// The number of entries that are to be loaded, for the remaining time.
  let entries: UInt64

  /// Creates an item.
  public init(_ identifier: String, _ files: ExtensionFiles?) {
    self.identifier = identifier
    self.files = files
    entries = (try? files?.progress().entriesToCome) ?? 0
  }

  /// Creates an item for an extension that loads no store.
  public init(_ identifier: String, entries: UInt64) {
    self.identifier = identifier
    self.entries = entries
    files = nil
  }
}

/// The outcome of reloading an extension.
public nonisolated enum ReloadOutcome: Equatable, Sendable {
  /// iOS has loaded everything.
  case loaded
  /// The user has not enabled the extension; it was skipped.
  case disabled
  /// The run ended before this extension was reloaded: it was cancelled, or iOS did not answer about another one.
  case cancelled
  /// iOS did not answer in time. It may still be loading the extension.
  case noAnswer
  /// The extension could not be reloaded. The code stays a number because iOS returns codes that Apple's enum lacks.
  case failed(domain: String, code: Int)
}

/// The progress of a run: reported before each extension, and once at the end.
public nonisolated struct ReloadProgress: Equatable, Sendable {
  /// The bundle identifiers of the run's extensions, in the order in which they are loaded.
  public let identifiers: [String]
  /// The outcomes of the extensions so far, in the same order.
  public let outcomes: [ReloadOutcome]
  /// The estimated remaining time in seconds.
  public let secondsLeft: Double
  /// The estimated time of the extension that is being loaded, in seconds.
  let secondsOfCurrent: Double

  /// The index of the extension that is being loaded, from 0; at the end, the number of extensions.
  public var index: Int { outcomes.count }
  /// The number of extensions.
  public var count: Int { identifiers.count }

  /// The part of the run that is done, from 0 to 1, when the extension has been loading for some seconds. iOS does not
  /// report how far it is: the estimate reaches nine tenths of the extension in the estimated time, and never its end.
  func fraction(after seconds: Double) -> Double {
    let part =
      seconds < secondsOfCurrent ? 0.9 * seconds / secondsOfCurrent : 1 - 0.1 * secondsOfCurrent / seconds
    return (Double(index) + (seconds > 0 && secondsOfCurrent > 0 ? part : 0)) / Double(max(1, count))
  }
}

/// How long to wait for iOS, and between reloads.
public nonisolated struct ReloadTimes: Sendable {
  /// The key in the app's Info.plist with the seconds between two extensions.
  public static let pauseKey = "ReloadPause"

  /// The seconds to wait for the status of an extension.
  public var statusSeconds = CXCallDirectoryManager.statusSecondsMax
  /// The seconds to wait for a reload; nil for minutes, depending on the count of numbers.
  public var reloadSeconds: Double?
  /// The time before an extension is retried.
  public var retryPause = Duration.seconds(2)
  /// The time between two extensions, for devices on which a reload right after another one fails.
  public var pause = Duration.zero

  /// Creates the default times, with the pause that an Info.plist sets.
  public init(info: [String: Any] = Bundle.main.infoDictionary ?? [:]) {
    if let seconds = info[Self.pauseKey] as? Double, seconds > 0 { pause = .seconds(seconds) }
  }
}

/// Reloads extensions one after another: iOS rejects a second reload while one is in progress.
///
///     let outcomes = await ReloadRun(items).run { progress in
///       print("\(progress.index + 1) of \(progress.count), \(Int(progress.secondsLeft)) s")
///     }
public nonisolated struct ReloadRun: Sendable {
  /// The assumed load rate of numbers to block, until this run has measured its own. On an iPhone 13, 1,900,000 numbers
  /// reportedly took 12 to 15 s; labelled numbers take three times as long.
  public static let entriesPerSecond = 130_000.0
  /// The maximum count of numbers that iOS has from one extension.
  private static let entriesMax: UInt64 = 2_000_000
  /// The maximum attempts for an extension that iOS is already loading or whose load was interrupted.
  static let attemptsMax = 3

  private let items: [ReloadItem]
  private let times: ReloadTimes

  /// Creates a run.
  public init(_ items: [ReloadItem], times: ReloadTimes = ReloadTimes()) {
    self.items = items
    self.times = times
  }

  /// Reloads the extensions and returns the outcome of each. If the task is cancelled, or iOS does not answer, the run
  /// ends after the current extension.
  @concurrent
  public func run(_ report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }) async -> [ReloadOutcome]
  {
    let entries = items.map(\.entries)
    var time = RemainingTime(entries: entries.reduce(0, &+))
    let clock = ContinuousClock()
    let identifiers = items.map(\.identifier)
    var outcomes: [ReloadOutcome] = []
    func reportProgress() {
      report(
        ReloadProgress(
          identifiers: identifiers, outcomes: outcomes, secondsLeft: time.secondsLeft,
          secondsOfCurrent: entries.dropFirst(outcomes.count).first.map(time.seconds) ?? 0))
    }
    for (index, item) in items.enumerated() {
      let isStuck = outcomes.contains(.noAnswer)
      if index > 0, !isStuck { try? await Task.sleep(for: times.pause) }
      if Task.isCancelled || isStuck {
        outcomes.append(.cancelled)
        continue
      }
      reportProgress()
      let start = clock.now
      let outcome = await load(item)
      let taken = start.duration(to: clock.now)
      time.pass(
        entries[index],
        in: outcome == .loaded
          ? Double(taken.components.seconds) + Double(taken.components.attoseconds) * 1e-18 : nil)
      outcomes.append(outcome)
    }
    reportProgress()
    return outcomes
  }

  /// Reloads one extension if it is enabled.
  private func load(_ item: ReloadItem) async -> ReloadOutcome {
    do {
      let status = try await CXCallDirectoryManager.sharedInstance.status(
        of: item.identifier, secondsMax: times.statusSeconds)
      if status == .disabled { return .disabled }
      for _ in 1..<Self.attemptsMax {
        do {
          try await reload(item)
          return .loaded
        } catch  where Self.isRetryable(error) {
          try await Task.sleep(for: times.retryPause)
        }
      }
      try await reload(item)
      return .loaded
    } catch is CancellationError {
      return .cancelled
    } catch ExtensionReloadError.noAnswer {
      return .noAnswer
    } catch {
      let error = error as NSError
      let isOff =
        error.domain == CXErrorDomainCallDirectoryManager
        && error.code == CXErrorCodeCallDirectoryManagerError.extensionDisabled.rawValue
      return isOff ? .disabled : .failed(domain: error.domain, code: error.code)
    }
  }

  private func reload(_ item: ReloadItem) async throws {
    let manager = CXCallDirectoryManager.sharedInstance
    if let files = item.files {
      try await manager.reload(item.identifier, with: files, secondsMax: times.reloadSeconds)
    } else {
      // Nothing is added, but millions of numbers may be removed.
      let seconds = times.reloadSeconds ?? CXCallDirectoryManager.reloadSecondsMax(entries: Self.entriesMax)
      try await manager.reload(item.identifier, secondsMax: seconds)
    }
  }

  /// Whether a retry may succeed: the extension is already being loaded, or its load was interrupted.
  private static func isRetryable(_ error: any Error) -> Bool {
    let error = error as NSError
    let passing: [CXErrorCodeCallDirectoryManagerError.Code] = [.currentlyLoading, .loadingInterrupted]
    return error.domain == CXErrorDomainCallDirectoryManager && passing.contains { $0.rawValue == error.code }
  }
}

/// Estimates the remaining time of a run from the load rate so far.
nonisolated struct RemainingTime {
  private var left: UInt64
  private var done: UInt64 = 0
  private var seconds = 0.0

  init(entries: UInt64) {
    left = entries
  }

  /// Subtracts entries from the remaining ones. If `seconds` is known, they count towards the rate.
  mutating func pass(_ entries: UInt64, in seconds: Double?) {
    left -= min(entries, left)
    guard let seconds, seconds > 0 else { return }
    done &+= entries
    self.seconds += seconds
  }

  var secondsLeft: Double { seconds(for: left) }

  /// The estimated seconds for a number of entries.
  func seconds(for entries: UInt64) -> Double {
    Double(entries) / (done == 0 ? ReloadRun.entriesPerSecond : Double(done) / seconds)
  }
}
