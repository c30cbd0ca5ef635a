// The phone that Apple's frameworks use: installed, it is the one that CallKit's and IdentityLookup's classes of this
// process talk to.

import AppExtensions
import CallKit
public import FoundationEssentials
public import SimulatedPhone

/// A simulated phone, and the services that Apple's frameworks find on it.
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
  /// Messages, and their filter.
  public let messages: SimulatedMessages

  private let directory: DirectoryService

  /// Makes the services of a phone. An app may take `actionSeconds` for what is asked of it in a call, and a message's
  /// filter `filterWait` for its answer.
  public init(
    _ phone: SimulatedPhone, actionSeconds: Double = 10, filterWait: Duration = SimulatedMessages.filterWait
  ) {
    self.phone = phone
    directory = DirectoryService(phone)
    calls = SimulatedCalls(CallBook(phone, actionSeconds: actionSeconds))
    messages = SimulatedMessages(phone, filterWait: filterWait)
  }

  /// Makes this the phone of the process, in place of the one before. Apple's frameworks have one, so there can't be two.
  public func install() {
    InstalledPhone.install(directory: directory, calling: calls.book)
  }

  /// Leaves the process without a phone.
  public static func uninstall() {
    InstalledPhone.install(directory: nil, calling: nil)
  }

  /// Sets the folder in which each app group has its container; nil for none.
  public static func setAppGroups(in folder: URL?) {
    AppGroups.setFolder(folder)
  }

  /// How often an app had Settings opened.
  public var settingsOpenings: Int { directory.settingsOpenings }
}
