// What the user reads when an update fails: what has happened, and a way out. Not for the errors of single extensions
// (LoadErrorText).

import CallDirectoryKit
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Caller")

nonisolated extension DirectoryNotice {
  /// Explains why an update has failed. The numbers that were loaded before stay.
  init(updateError error: any Error) {
    switch error {
    case is CancellationError:
      self.init(
        texts("The update was cancelled."), remedy: texts("The next update continues where this one ended."))
    case let error as DirectoryUpdateError: self.init(error)
    case let error as URLError: self.init(error.code)
    case is ListSettingsError:
      self.init(
        texts("The app does not know where its list is."), remedy: texts("Update the app in the App Store."),
        action: nil)
    default:
      let error = error as NSError
      self = error.isOutOfSpace ? .noSpace : .notSaved(error.code)
    }
  }

  private init(_ error: DirectoryUpdateError) {
    switch error {
    case .untrusted(let error): self.init(error)
    case .manifest(.unsupportedVersion), .missingExtension: self = .appTooOld
    case .manifest:
      self.init(
        texts("The server’s answer is not a list."),
        remedy: texts("If this Wi-Fi network has a sign-in page, sign in. Then try again."))
    case .refused(_, let status):
      self.init(
        texts("The server reported an error (%@).", "\(status)" as NSString),
        remedy: texts("Try again later."))
    case .insecureRedirect:
      self.init(
        texts("The server redirected to an insecure address."), remedy: texts("Try another network."))
    case .tooLarge, .damaged:
      self.init(texts("A downloaded file is damaged."), remedy: texts("Try again later."))
    case .disk(let code, _): self = code == ENOSPC ? .noSpace : .notSaved(Int(code))
    case .inProgress:
      self.init(
        texts("Another update is in progress."), remedy: texts("Wait until it has ended."), action: nil)
    }
  }

  /// Why a manifest was refused.
  private init(_ error: ManifestSignatureError) {
    switch error {
    case .unsigned:
      self.init(
        texts("The list on the server is not signed. It was not used."),
        remedy: texts("Try another network, or try again later."))
    case .wrongKey:
      self.init(
        texts("The list on the server is signed with an unknown key. It was not used."),
        remedy: texts("Update the app in the App Store. If there is no update, try another network."))
    case .olderThanAccepted:
      self.init(
        texts("The list on the server is older than the one in use. It was not used."),
        remedy: texts("Try another network, or try again later."))
    case .expired:
      self.init(
        texts("The list on the server has expired. It was not used."),
        remedy: texts("Check the date and time in Settings, or try again later."))
    case .damaged, .altered, .manifest(.notJSON), .manifest(.notUTF8), .manifest(.notAManifest),
      .manifest(.invalid):
      self.init(
        texts("The list on the server was changed after it was signed. It was not used."),
        remedy: texts("Try another network, or try again later."))
    // `cannotCheck` occurs only on Linux.
    case .unsupportedVersion, .manifest(.unsupportedVersion), .cannotCheck: self = .appTooOld
    }
  }

  /// Why the server could not be reached.
  private init(_ code: URLError.Code) {
    switch code {
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      self.init(
        texts("There is no internet connection."),
        remedy: texts("Check Wi-Fi and mobile data, then try again."))
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
      .appTransportSecurityRequiresSecureConnection:
      self.init(
        texts("There is no secure connection to the server."), remedy: texts("Try another network."))
    default:
      self.init(
        texts("The server can’t be reached (%@).", "\(code.rawValue)" as NSString),
        remedy: texts("Check the internet connection, or try again later."))
    }
  }

  private static var appTooOld: DirectoryNotice {
    DirectoryNotice(
      texts("The list needs a newer version of this app."), remedy: texts("Update the app in the App Store."))
  }

  private static var noSpace: DirectoryNotice {
    DirectoryNotice(
      texts("There is not enough storage for the list."),
      remedy: texts("Free up storage in Settings under General, then try again."))
  }

  private static func notSaved(_ code: Int) -> DirectoryNotice {
    DirectoryNotice(
      texts("The list could not be saved (%@).", "\(code)" as NSString),
      remedy: texts("Restart the device, then try again."))
  }
}

nonisolated extension NSError {
  fileprivate var isOutOfSpace: Bool {
    domain == NSCocoaErrorDomain && code == CocoaError.fileWriteOutOfSpace.rawValue
      || domain == NSPOSIXErrorDomain && code == Int(ENOSPC)
  }
}
