// The app's list of codes: typed codes are checked, saved, and loaded by the extension. Not for screens.

import CallKit
import Foundation

/// The outcome of a change.
nonisolated enum CodeChange: Equatable, Sendable {
  /// The list is saved and iOS has loaded it.
  case loaded
  /// The list is saved; the owner has to enable the extension in Settings.
  case switchedOff
  /// The list is saved, but iOS did not load it. The code stays a number because Apple's enum lacks some codes.
  case failed(domain: String, code: Int)
}

/// The blocked codes, with operations to change them.
nonisolated struct BlockedCodes: Sendable {
  let shared: SharedCodes
  /// The extension's bundle identifier.
  let identifier: String

  /// The codes to block, ascending.
  var codes: [AreaCode] { shared.wanted.codes }

  /// How many more numbers can be blocked before iOS's limit is reached.
  var numbersLeft: UInt64 { CodeList.numbersMax - shared.wanted.count }

  /// Adds a code that the owner typed. Throws `AreaCodeError` and changes nothing if it can't be blocked.
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
