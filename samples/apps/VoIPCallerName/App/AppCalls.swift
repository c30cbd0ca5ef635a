// The parts of the app, connected. Not for the screen, which may never appear: iOS launches the app in the background
// when a push arrives.

import Dispatch
import Foundation

/// The parts of the app. Create one, when the app is launched: the push that launched it arrives right away.
@MainActor
final class AppCalls {
  /// The app's calls.
  let manager: CallManager
  /// What the screen shows.
  let model: CallsModel
  private let receiver: PushReceiver?

  /// Connects the parts.
  ///
  /// - Parameters:
  ///   - transport: the connection that carries the calls.
  ///   - list: the store with the callers' names.
  ///   - settings: how iOS presents the calls.
  ///   - usesCallKit: whether the app may use CallKit. Without it, pushes for calls may not be used either.
  ///   - history: the file of the app's recent calls; nil for none.
  ///   - isContact: whether a handle is in the user's contacts, which keep their names and are never declined.
  ///   - sendToken: sends the token for pushes to the app's server.
  init(
    transport: any CallTransport, list: CallerList = .bundled(),
    settings: ProviderSettings = ProviderSettings(), usesCallKit: Bool = CallKitUse.isAllowed(),
    history: URL? = AppCalls.historyFile, isContact: @escaping @Sendable (String) -> Bool,
    sendToken: @escaping @Sendable (_ token: Data?) -> Void
  ) {
    let (callers, state) = list.load()
    manager = CallManager(
      queue: DispatchQueue(label: "calls"), transport: transport, callers: callers, settings: settings,
      usesCallKit: usesCallKit, history: CallHistory(file: history), isContact: isContact)
    receiver = usesCallKit ? PushReceiver(manager, send: sendToken) : nil
    model = CallsModel(manager, list: list, state: state)
  }

  /// The file of the app's recent calls. iOS does not remove it, and backs it up unless the user has turned that off.
  private nonisolated static var historyFile: URL? {
    FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first.flatMap { folder in
      try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return folder.appendingPathComponent("recent-calls.json")
    }
  }
}
