// What can be wrong with the rules, in words, and what the user can do about it.

import CallManifest
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Filter")

/// Something that is wrong, and the way out.
nonisolated struct FilterNotice: Equatable, Sendable {
  /// What is wrong.
  var text: String
  /// What the user can do.
  var remedy: String
  /// Whether updating again may help: there is a button for it.
  var offersUpdate: Bool
}

nonisolated extension FilterNotice {
  /// What is wrong with the installed rules; nil if nothing is.
  init?(_ installed: InstalledRules, hasUpdates: Bool) {
    let remedy = hasUpdates ? texts("Update the rules.") : texts("Delete the app, and install it again.")
    if installed.origin == nil {
      self.init(
        text: texts("The filter has no rules that it can use."), remedy: remedy, offersUpdate: hasUpdates)
    } else if installed.isDownloadUntrusted {
      self.init(
        text: texts(
          "The downloaded rules are not signed by their publisher. The filter uses those that came with the app."
        ),
        remedy: remedy, offersUpdate: hasUpdates)
    } else if installed.downloadError != nil {
      self.init(
        text: texts("The downloaded rules are damaged. The filter uses those that came with the app."),
        remedy: remedy, offersUpdate: hasUpdates)
    } else if !installed.rules.missingStores.isEmpty {
      let names = installed.rules.missingStores.formatted(.list(type: .and))
      self.init(
        text: texts("The rules look senders up in a list that is missing: %@", NSString(string: names)),
        remedy: texts("Update the app in the App Store."), offersUpdate: false)
    } else {
      return nil
    }
  }

  /// Why the rules were not updated.
  init(_ error: RulesUpdateError) {
    self =
      Self.connection(error) ?? Self.file(error)
      ?? FilterNotice(
        text: texts("The update was interrupted."), remedy: texts("Try again."), offersUpdate: true)
  }

  /// Errors of the connection and of the server.
  private static func connection(_ error: RulesUpdateError) -> FilterNotice? {
    switch error {
    case .offline:
      FilterNotice(
        text: texts("There is no internet connection."),
        remedy: texts("Connect to the internet, then try again."), offersUpdate: true)
    case .unreachable(let code):
      FilterNotice(
        text: texts("The server can’t be reached (error %@).", digits(code)),
        remedy: texts("Try again later."),
        offersUpdate: true)
    case .insecureRedirect:
      FilterNotice(
        text: texts("The connection to the server is not secure."),
        remedy: texts("Try again on another network."), offersUpdate: true)
    case .refused(let status):
      FilterNotice(
        text: texts("The server refused the request (status %@).", digits(status)),
        remedy: texts("Try again later."), offersUpdate: true)
    case .tooLarge:
      FilterNotice(
        text: texts("The server sent a file that is too large."), remedy: texts("Try again later."),
        offersUpdate: true)
    case .damaged:
      FilterNotice(
        text: texts("The server sent rules that are damaged."), remedy: texts("Try again later."),
        offersUpdate: true)
    case .untrusted(.expired(at: _)):
      FilterNotice(
        text: texts("The server’s rules are out of date."), remedy: texts("Try again later."),
        offersUpdate: true)
    case .untrusted:
      FilterNotice(
        text: texts("The server sent rules that are not signed by their publisher."),
        remedy: texts("Try again later."), offersUpdate: true)
    case .newerFormat:
      FilterNotice(
        text: texts("The new rules need a newer version of this app."),
        remedy: texts("Update the app in the App Store."), offersUpdate: false)
    default: nil
    }
  }

  /// Errors of this iPhone and this app.
  private static func file(_ error: RulesUpdateError) -> FilterNotice? {
    switch error {
    case .diskFull:
      FilterNotice(
        text: texts("There is not enough space for the new rules."),
        remedy: texts("Free up space in Settings › General › iPhone Storage, then try again."),
        offersUpdate: true)
    case .disk(let code):
      FilterNotice(
        text: texts("The new rules can’t be saved (error %@).", digits(code)),
        remedy: texts("Restart the iPhone, then try again."), offersUpdate: true)
    case .badAddress:
      FilterNotice(
        text: texts("The address of the rules in this app is not valid."),
        remedy: texts("Update the app in the App Store."), offersUpdate: false)
    case .noAppGroup:
      FilterNotice(
        text: texts("The app can’t reach the folder that it shares with its filter."),
        remedy: texts("Delete the app, and install it again."), offersUpdate: false)
    case .inProgress:
      FilterNotice(
        text: texts("Another update is in progress."), remedy: texts("Try again later."), offersUpdate: true)
    default: nil
    }
  }
}

/// A code for `%@`: in digits only, while a number has separators.
private nonisolated func digits(_ code: Int) -> NSString { NSString(string: String(code)) }
