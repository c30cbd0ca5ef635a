// What the screen shows of one extension: its name, and what iOS has loaded of its numbers.

import CallDirectory
import CallKit
import Foundation

private nonisolated let texts = TextCatalog("Directory")

/// An extension on the screen.
public nonisolated struct DirectoryRow: Identifiable, Equatable, Sendable {
  /// What iOS has of an extension's numbers.
  public enum LoadState: Equatable, Sendable {
    /// iOS has all numbers of the extension's files, since the given time.
    case loaded(count: Int, date: Date?)
    /// The extension has no files: there is nothing to load.
    case empty
    /// iOS has not loaded everything yet.
    case waiting
    /// iOS is loading the extension.
    case loading
    /// The user has not turned the extension on in Settings.
    case off
    /// The last load failed.
    case failed(LoadErrorText)
  }

  /// The extension's bundle identifier.
  public let id: String
  /// The extension's name in Settings.
  public let name: String
  /// What iOS has of the extension's numbers.
  public var state: LoadState

  /// The state in a few words.
  public var status: String {
    switch state {
    case .loaded(let count, _): texts("%lld numbers", count)
    case .empty: texts("No numbers")
    case .waiting: texts("Waiting to load")
    case .loading: texts("Loading…")
    case .off: texts("Off in Settings")
    case .failed(let failure): failure.reason
    }
  }

  /// When the numbers were loaded, or what to do; nil if there is nothing to add.
  public var detail: String? {
    switch state {
    case .loaded(_, let date): date.map { texts("Loaded %@", DirectoryModel.text($0) as NSString) }
    case .empty, .waiting, .loading: nil
    case .off: texts("Turn this extension on in Settings.")
    case .failed(let failure): failure.remedy
    }
  }

  /// Whether reloading the extension makes sense.
  public var needsLoading: Bool {
    switch state {
    case .waiting, .failed: true
    case .loaded, .empty, .loading, .off: false
    }
  }
}

nonisolated extension DirectoryRow.LoadState {
  /// The state according to the files' record of what iOS has loaded.
  init(_ files: ExtensionFiles?) {
    guard let files else {
      self = .empty
      return
    }
    do {
      guard try files.progress().isComplete else {
        self = .waiting
        return
      }
      let recorded = try? FileManager.default.attributesOfItem(atPath: files.record)[.modificationDate]
      self = .loaded(count: Int(clamping: try files.entryCount()), date: recorded as? Date)
    } catch {
      self = .failed(.files)
    }
  }
}

nonisolated extension DirectoryRow.LoadState {
  /// The state as support reads it.
  var report: String {
    switch self {
    case .loaded(let count, let date):
      "loaded, \(count) entries, \(date.map { $0.formatted(.iso8601) } ?? "?")"
    case .empty: "no files"
    case .waiting: "not loaded"
    case .loading: "loading"
    case .off: "off"
    case .failed(let failure): "failed: \(failure.error ?? "files")"
    }
  }
}

/// Why an extension could not be loaded, and what the user can do.
public nonisolated struct LoadErrorText: Equatable, Sendable {
  /// Why the extension could not be loaded.
  public let reason: String
  /// What the user can do.
  public let remedy: String
  /// The domain and code of iOS's or the extension's error; nil if there is none.
  let error: String?

  /// The extension's files can't be read.
  static var files: LoadErrorText {
    LoadErrorText(
      reason: texts("The list can’t be read."), remedy: texts("Delete the app and install it again."),
      error: nil)
  }

  /// iOS did not answer in time.
  static var noAnswer: LoadErrorText {
    LoadErrorText(
      reason: texts("iOS did not answer."),
      remedy: texts("Try again. If that does not help, restart the device."), error: "no answer")
  }

  /// Explains an error of iOS or of the extension. Codes are compared as numbers, because iOS returns codes that
  /// Apple's enum lacks.
  init(domain: String, code: Int) {
    let isManager = domain == CXErrorDomainCallDirectoryManager
    error = "\(domain) \(code)"
    if let undocumented = Self.undocumented(domain, code) {
      (reason, remedy) = undocumented
      return
    }
    switch isManager ? CXErrorCodeCallDirectoryManagerError.Code(rawValue: code) : nil {
    case .noExtensionFound:
      reason = texts("iOS did not find this extension.")
      remedy = texts("Restart the device. If that does not help, delete the app and install it again.")
    case .loadingInterrupted:
      reason = texts("Loading was interrupted.")
      remedy = texts("Try again.")
    case .entriesOutOfOrder, .duplicateEntries:
      reason = texts("The list contains errors.")
      remedy = texts("Try again after the next update.")
    case .maximumEntriesExceeded:
      reason = texts("The list has more numbers than iOS accepts.")
      remedy = texts("Update the app in the App Store.")
    case .currentlyLoading:
      reason = texts("iOS is already loading this extension.")
      remedy = texts("Try again in a few minutes.")
    default:
      reason = texts("Loading failed (%@ %@).", domain as NSString, "\(code)" as NSString)
      remedy = texts("Try again. If that does not help, restart the device.")
    }
  }

  /// Explains errors that Apple does not document, with what helped others; nil for any other error.
  private static func undocumented(_ domain: String, _ code: Int) -> (reason: String, remedy: String)? {
    let values = (domain as NSString, "\(code)" as NSString)
    switch (domain, code) {
    case (databaseDomain, corruptDatabase):
      return (
        texts("The call directory of this device is damaged (%@ %@).", values.0, values.1),
        texts(
          "Restart the device. If that does not help, Reset All Settings helped others: Settings › General › Transfer or Reset iPhone › Reset. Apps and data stay."
        )
      )
    case (databaseDomain, violatedConstraint):
      return (
        texts("iOS has a number already that the list adds (%@ %@).", values.0, values.1),
        texts(
          "Try again: everything is loaded again. If that does not help, turn the extension off and on again in Settings."
        )
      )
    case (CXErrorDomainCallDirectoryManager, unavailable):
      return (
        texts("iOS can’t use this extension at the moment (%@ %@).", values.0, values.1),
        texts(
          "Turn the extension off and on again in Settings. If that does not help, restart the device, or delete the app and install it again."
        )
      )
    default: return nil
    }
  }

  /// The domain of errors of iOS's database; its codes are SQLite's.
  private static let databaseDomain = "com.apple.callkit.database.sqlite"
  private static let corruptDatabase = 11
  private static let violatedConstraint = 19
  /// An error of the Call Directory manager that Apple's enum lacks.
  private static let unavailable = 102

  private init(reason: String, remedy: String, error: String?) {
    self.reason = reason
    self.remedy = remedy
    self.error = error
  }
}
