// The app's list of codes: what is typed is checked, kept, and loaded by the extension. Not for: screens.

import CallKit
import Foundation

/// What became of a change.
enum CodeChange: Equatable, Sendable {
  /// iOS has the list as it is now.
  case loaded
  /// The list is kept; the owner has to switch the extension on in Settings.
  case switchedOff
  /// The list is kept; iOS did not load it. The code is not looked up in Apple's enum, which lacks some.
  case failed(domain: String, code: Int)
}

/// The codes that are blocked, and how they are changed.
struct BlockedCodes: Sendable {
  let shared: SharedCodes
  /// The extension's bundle identifier.
  let identifier: String

  /// The codes that are to be blocked, ascending.
  var codes: [AreaCode] { shared.wanted.codes }

  /// How many numbers may still be blocked.
  var numbersLeft: UInt64 { CodeList.numbersMax - shared.wanted.count }

  /// Adds what the owner typed; throws `AreaCodeError` for what can't be blocked, and changes nothing then.
  func add(_ text: String) async throws -> CodeChange {
    var list = shared.wanted
    try list.add(try AreaCode(text))
    return try await set(list)
  }

  /// Removes a code.
  func remove(_ code: AreaCode) async throws -> CodeChange {
    var list = shared.wanted
    list.remove(code)
    return try await set(list)
  }

  private func set(_ list: CodeList) async throws -> CodeChange {
    try shared.setWanted(list)
    do {
      try await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: identifier)
      return .loaded
    } catch {
      let error = error as NSError
      let off = CXErrorCodeCallDirectoryManagerError.extensionDisabled.rawValue
      if error.domain == CXErrorDomainCallDirectoryManager, error.code == off { return .switchedOff }
      return .failed(domain: error.domain, code: error.code)
    }
  }
}
