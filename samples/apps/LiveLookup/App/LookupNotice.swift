// What can be wrong with the lookup, in words, and what the user can do about it.

import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Lookup")

/// Something that is wrong, and the way out.
nonisolated struct LookupNotice: Equatable, Sendable {
  /// What a button beside the message does.
  enum Action: Equatable, Sendable {
    case openSettings, setToken, refresh, reset
  }

  /// What is wrong.
  var text: String
  /// What the user can do.
  var remedy: String
  /// The button beside the message; nil for none.
  var action: Action?

  /// The app group, or the extension's identifier in Info.plist, is missing.
  static var notSetUp: LookupNotice {
    LookupNotice(
      text: texts("The app is not set up correctly."), remedy: texts("Delete the app, and install it again."))
  }
}

nonisolated extension LookupNotice {
  /// The title of the button.
  var actionTitle: String? {
    switch action {
    case .openSettings: texts("Open Settings")
    case .setToken, .refresh: texts("Try Again")
    case .reset: texts("Reset")
    case nil: nil
    }
  }

  /// Explains an error. Apple documents none of the calls' errors, so iOS's appear with their codes.
  init(_ error: any Error, during activity: LookupModel.Activity) {
    if let error = error as? UserTokenError {
      self.init(error)
      return
    }
    if error is MissingAnswer {
      self.init(
        text: texts("iOS did not answer."),
        remedy: texts("Try again. If that does not help, restart the device."))
      return
    }
    let code = (error as NSError).code
    switch activity {
    case .openingSettings:
      self.init(
        text: texts("Settings can’t be opened (error %@).", digits(code)),
        remedy: texts("Open Settings › Apps › Phone › Call Blocking & Identification yourself."))
    case .settingToken:
      self.init(
        text: texts("iOS did not accept the token (error %@).", digits(code)),
        remedy: texts("The token is saved. Reset lookup, so that iOS uses it."), action: .reset)
    case .refreshing:
      self.init(
        text: texts("The server’s settings can’t be fetched (error %@).", digits(code)),
        remedy: texts("Check the internet connection, then try again. If that doesn’t help, reset lookup."),
        action: .refresh)
    case .resetting:
      self.init(
        text: texts("Lookup can’t be reset (error %@).", digits(code)),
        remedy: texts("Turn it off and on again in Settings."), action: .openSettings)
    }
  }

  private init(_ error: UserTokenError) {
    switch error {
    case .notBase64:
      self.init(
        text: texts("This is not a valid token."),
        remedy: texts("Copy the whole token from your account, and paste it here."))
    case .notSaved(let code):
      self.init(
        text: texts("The token can’t be saved (error %@).", digits(code)),
        remedy: texts("Free up space in Settings › General › iPhone Storage, then try again."),
        action: .setToken)
    }
  }
}

/// A code for `%@`: in digits only, while a number has separators.
private nonisolated func digits(_ code: Int) -> NSString { NSString(string: String(code)) }
