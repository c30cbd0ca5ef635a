// Connects a simulated phone to Apple's frameworks: after installation, the CallKit, IdentityLookup, PushKit and
// BackgroundTasks classes of this process use it.

import AppExtensions
import BackgroundTasks
import CallKit
public import FoundationEssentials
import IdentityLookup
import PushKit
public import SimulatedPhone
import Synchronization

/// A simulated phone with the services that Apple's frameworks use.
///
/// ```swift
/// let services = FrameworkServices(try SimulatedPhone())
/// services.install()
/// try services.phone.install("com.example.app.directory", .handler { CallDirectoryHandler() })
/// _ = services.phone.switchOn("com.example.app.directory")
/// try await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: "com.example.app.directory")
/// ```
public final class FrameworkServices: Sendable {
  /// The phone.
  public let phone: SimulatedPhone
  /// The calls of apps.
  public let calls: SimulatedCalls
  /// The messages and their filter.
  public let messages: SimulatedMessages
  /// The pushes for calls.
  public let pushes: SimulatedPushes
  /// The lookup extensions.
  public let lookups = SimulatedLookups()
  /// The background tasks of the app.
  public let backgroundTasks = SimulatedBackgroundTasks()

  private let directory: DirectoryService

  /// Creates the services of a phone. An app must complete a call's action within `actionSeconds`, and report a call
  /// within `reportSeconds` of a push (iOS: about 7, DTS in thread 817976); a message filter must answer within
  /// `filterWait`.
  public init(
    _ phone: SimulatedPhone, actionSeconds: Double = 10, reportSeconds: Double = 7,
    filterWait: Duration = SimulatedMessages.filterWait
  ) {
    self.phone = phone
    directory = DirectoryService(phone)
    let book = CallBook(phone, actionSeconds: actionSeconds)
    calls = SimulatedCalls(book)
    pushes = SimulatedPushes(book, reportSeconds: reportSeconds)
    messages = SimulatedMessages(phone, filterWait: filterWait)
  }

  /// The services that are installed in this process.
  private static let installed = Mutex<FrameworkServices?>(nil)

  /// Makes this the phone of the process, replacing the previous one. Apple's frameworks use a single phone per
  /// process.
  public func install() {
    Self.installed.withLock { installed in
      installed = self
      InstalledPhone.install(directory: directory, calling: calls.book)
      InstalledLookupPhone.install(lookups)
      InstalledBackgroundPhone.install(backgroundTasks)
      InstalledPushPhone.install(pushes)
    }
  }

  /// Removes this phone from the process. A phone that has replaced it stays.
  public func uninstall() {
    Self.installed.withLock { installed in
      guard installed === self else { return }
      installed = nil
      InstalledPhone.install(directory: nil, calling: nil)
      InstalledLookupPhone.install(nil)
      InstalledBackgroundPhone.install(nil)
      InstalledPushPhone.install(nil)
    }
  }

  /// Sets the folder that contains the app groups' containers; nil for none.
  public static func setAppGroups(in folder: URL?) { AppGroups.setFolder(folder) }

  /// Sets how often the phone answers when an app asks for the status of an extension, and when it reloads one.
  public func setAnswers(status: SimulatedAnswers = .once, reload: SimulatedAnswers = .once) {
    directory.setAnswers(status: status, reload: reload)
  }

  /// The number of times an app opened Settings.
  public var settingsOpenings: Int { directory.settingsOpenings }
}
