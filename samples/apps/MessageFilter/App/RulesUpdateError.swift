// Why the rules were not updated. The error contains data; FilterModel has the texts.

import CallDirectoryKit
import CallManifest
import Foundation
import MessageRules

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why the rules were not updated. The filter keeps the rules that it has.
nonisolated enum RulesUpdateError: Error, Equatable, Sendable {
  /// The address in Info.plist is not an https URL.
  case badAddress
  /// The app group is missing.
  case noAppGroup
  /// There is no connection to the internet.
  case offline
  /// The server does not answer, or the connection failed; the code is `URLError`'s.
  case unreachable(code: Int)
  /// The server redirected the request to an address without TLS.
  case insecureRedirect
  /// The server answered with a status that is not a success.
  case refused(status: Int)
  /// The file is larger than ``RulesUpdate/bytesMax``.
  case tooLarge
  /// The file is not one that `cdpipe rules compile` wrote, or is damaged.
  case damaged(CompiledRulesError)
  /// The file is not signed by a key that the app trusts, or was changed since.
  case untrusted(ManifestSignatureError)
  /// The file has a format that is newer than this app.
  case newerFormat
  /// There is no space left for the file.
  case diskFull
  /// The file can't be written; the code is Foundation's.
  case disk(code: Int)
  /// Another update is in progress.
  case inProgress
  /// The update was cancelled: by the app, or by iOS at the end of its time in the background.
  case cancelled

  /// The error of a download.
  init(download error: any Error) {
    switch error {
    case let error as RulesUpdateError: self = error
    case is CancellationError: self = .cancelled
    case DirectoryUpdateError.insecureRedirect: self = .insecureRedirect
    case let error as URLError:
      switch error.code {
      case .cancelled: self = .cancelled
      case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: self = .offline
      default: self = .unreachable(code: error.code.rawValue)
      }
    default: self = .unreachable(code: (error as NSError).code)
    }
  }

  /// The error of checking a downloaded file.
  init(check error: CompiledRulesError) {
    if case .unsupportedVersion = error { self = .newerFormat } else { self = .damaged(error) }
  }

  /// The error of writing a file.
  init(writing error: any Error) {
    if let error = error as? CocoaError, error.code == .fileWriteOutOfSpace {
      self = .diskFull
    } else {
      self = .disk(code: (error as NSError).code)
    }
  }
}
