// The user's token: a file in the app group's folder that the app writes and the extension reads.
//
// Not for Privacy Pass tokens: iOS fetches those itself.

import Foundation

/// Why a token was not set.
nonisolated enum UserTokenError: Error, Equatable {
  /// The text is empty or not in Base64.
  case notBase64
  /// The file can't be written; the code is Foundation's.
  case notSaved(code: Int)
}

/// The token that iOS shows to the token issuer when it asks for Privacy Pass tokens. It is not part of a lookup.
nonisolated struct UserToken: Sendable {
  private let url: URL

  /// Refers to the token in an app group's folder.
  init(_ folder: URL) {
    url = folder.appendingPathComponent("user.token")
  }

  /// The token; empty if none is set.
  var data: Data { (try? Data(contentsOf: url)) ?? Data() }

  /// Sets the token, in Base64: as it appears after `Bearer` in the header field, and among the service's tokens.
  func set(_ text: String) throws(UserTokenError) {
    guard let data = Data(base64Encoded: text), !data.isEmpty else { throw .notBase64 }
    do { try data.write(to: url, options: .atomic) } catch {
      throw .notSaved(code: (error as NSError).code)
    }
  }
}
