// Loading an app's Call Directory extensions one after another, with the progress and the remaining time to show.
//
// In a project of Xcode's this file is one of the app's own; in cdpipe's package this folder is a target, so that sample apps
// share it.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation

/// An extension to be loaded.
public struct ReloadItem: Sendable {
  /// Its bundle identifier.
  public let identifier: String
  /// What it is to load; nil when it is to remove all that it loaded.
  public let files: ExtensionFiles?

  /// Makes an item.
  public init(_ identifier: String, _ files: ExtensionFiles?) {
    self.identifier = identifier
    self.files = files
  }
}

/// What became of an extension.
public enum ReloadOutcome: Equatable, Sendable {
  /// iOS has all that it was to load.
  case loaded
  /// The owner has not switched it on; it was left alone.
  case disabled
  /// The run was cancelled before its turn.
  case cancelled
  /// It could not be loaded. The code is not looked up in Apple's enum: iOS gives codes that the enum lacks.
  case failed(domain: String, code: Int)
}

/// How far a run is.
public struct ReloadProgress: Equatable, Sendable {
  /// The extension that is being loaded, counted from 0.
  public let index: Int
  /// How many there are.
  public let count: Int
  /// How long the rest will take, in seconds.
  public let secondsLeft: Double
}

/// Loads extensions one after another: iOS answers a second load at a time with an error.
///
///     let outcomes = await ReloadRun(items).run { progress in
///       print("\(progress.index + 1) of \(progress.count), \(Int(progress.secondsLeft)) s")
///     }
public struct ReloadRun: Sendable {
  /// How fast a phone loads numbers to block, until this run knows better: 1,900,000 took 12 to 15 s on an iPhone 13, as
  /// reported by people who measured; labels take three times as long.
  public static let entriesPerSecond = 130_000.0
  /// How often an extension is tried that iOS is loading already, or that was ended in the middle.
  static let attemptsMax = 3

  private let items: [ReloadItem]
  private let pause: Duration

  /// Makes a run.
  ///
  /// - Parameter pause: how long to wait before an extension is tried again.
  public init(_ items: [ReloadItem], pause: Duration = .seconds(2)) {
    self.items = items
    self.pause = pause
  }

  /// Loads them, and returns what became of each. Cancelling the task ends the run behind the extension that is being
  /// loaded.
  public func run(_ report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }) async -> [ReloadOutcome]
  {
    let entries = items.map { item in (try? item.files?.progress().entriesToCome) ?? 0 }
    var time = RemainingTime(entries: entries.reduce(0, &+))
    let clock = ContinuousClock()
    var outcomes: [ReloadOutcome] = []
    for (index, item) in items.enumerated() {
      if Task.isCancelled {
        outcomes.append(.cancelled)
        continue
      }
      report(ReloadProgress(index: index, count: items.count, secondsLeft: time.secondsLeft))
      let start = clock.now
      let outcome = await load(item)
      let taken = start.duration(to: clock.now)
      time.pass(
        entries[index],
        in: outcome == .loaded
          ? Double(taken.components.seconds) + Double(taken.components.attoseconds) * 1e-18 : nil)
      outcomes.append(outcome)
    }
    return outcomes
  }

  /// Loads one, if it is switched on.
  private func load(_ item: ReloadItem) async -> ReloadOutcome {
    let manager = CXCallDirectoryManager.sharedInstance
    do {
      if try await manager.enabledStatusForExtension(withIdentifier: item.identifier) == .disabled {
        return .disabled
      }
      for _ in 1..<Self.attemptsMax {
        do {
          try await load(item, manager)
          return .loaded
        } catch  where Self.mayPass(error) {
          try await Task.sleep(for: pause)
        }
      }
      try await load(item, manager)
      return .loaded
    } catch is CancellationError {
      return .cancelled
    } catch {
      let error = error as NSError
      let isOff =
        error.domain == CXErrorDomainCallDirectoryManager
        && error.code == CXErrorCodeCallDirectoryManagerError.extensionDisabled.rawValue
      return isOff ? .disabled : .failed(domain: error.domain, code: error.code)
    }
  }

  private func load(_ item: ReloadItem, _ manager: CXCallDirectoryManager) async throws {
    if let files = item.files {
      try await manager.reload(item.identifier, with: files)
    } else {
      try await manager.reloadExtension(withIdentifier: item.identifier)
    }
  }

  /// Whether an error may be gone the next time: the extension is being loaded already, or was ended in the middle.
  private static func mayPass(_ error: any Error) -> Bool {
    let error = error as NSError
    let passing: [CXErrorCodeCallDirectoryManagerError.Code] = [.currentlyLoading, .loadingInterrupted]
    return error.domain == CXErrorDomainCallDirectoryManager && passing.contains { $0.rawValue == error.code }
  }
}

/// How long the rest of a run will take: by the rate of what was loaded so far.
struct RemainingTime {
  private var left: UInt64
  private var done: UInt64 = 0
  private var seconds = 0.0

  init(entries: UInt64) {
    left = entries
  }

  /// So many entries are no longer to come. They count for the rate if they were loaded in a known time.
  mutating func pass(_ entries: UInt64, in seconds: Double?) {
    left -= min(entries, left)
    guard let seconds, seconds > 0 else { return }
    done &+= entries
    self.seconds += seconds
  }

  var secondsLeft: Double {
    let rate = done == 0 ? ReloadRun.entriesPerSecond : Double(done) / seconds
    return Double(left) / rate
  }
}
