// Reloads an app's Call Directory extensions one after another and reports progress and remaining time.
//
// In an Xcode project this file is part of the app. In cdpipe's package this folder is a target that the sample apps
// share.

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
  /// The owner has not enabled the extension; it was skipped.
  case disabled
  /// The run was cancelled before this extension was reloaded.
  case cancelled
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

  /// The index of the extension that is being loaded, from 0; at the end, the number of extensions.
  public var index: Int { outcomes.count }
  /// The number of extensions.
  public var count: Int { identifiers.count }
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
  /// The maximum attempts for an extension that iOS is already loading or whose load was interrupted.
  static let attemptsMax = 3

  private let items: [ReloadItem]
  private let pause: Duration

  /// Creates a run.
  ///
  /// - Parameter pause: the time to wait before an extension is retried.
  public init(_ items: [ReloadItem], pause: Duration = .seconds(2)) {
    self.items = items
    self.pause = pause
  }

  /// Reloads the extensions and returns the outcome of each. If the task is cancelled, the run ends after the current
  /// extension.
  public func run(_ report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }) async -> [ReloadOutcome]
  {
    let entries = items.map(\.entries)
    var time = RemainingTime(entries: entries.reduce(0, &+))
    let clock = ContinuousClock()
    let identifiers = items.map(\.identifier)
    var outcomes: [ReloadOutcome] = []
    func reportProgress() {
      report(
        ReloadProgress(identifiers: identifiers, outcomes: outcomes, secondsLeft: time.secondsLeft))
    }
    for (index, item) in items.enumerated() {
      if Task.isCancelled {
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
    let manager = CXCallDirectoryManager.sharedInstance
    do {
      if try await manager.enabledStatusForExtension(withIdentifier: item.identifier) == .disabled {
        return .disabled
      }
      for _ in 1..<Self.attemptsMax {
        do {
          try await load(item, manager)
          return .loaded
        } catch  where Self.isRetryable(error) {
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

  var secondsLeft: Double {
    let rate = done == 0 ? ReloadRun.entriesPerSecond : Double(done) / seconds
    return Double(left) / rate
  }
}
