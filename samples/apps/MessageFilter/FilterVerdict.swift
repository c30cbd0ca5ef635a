// What becomes of a message, and the one answer that iOS gets of it.

import Foundation
import IdentityLookup
import Synchronization

/// What becomes of a message.
struct FilterVerdict: Equatable, Sendable {
  /// What is done with it.
  var action: ILMessageFilterAction
  /// Where among the transactions or promotions it goes.
  var subAction: ILMessageFilterSubAction

  /// Nobody knows: the message is shown.
  static let none = FilterVerdict(action: .none, subAction: .none)

  /// The answer for iOS.
  var response: ILMessageFilterQueryResponse {
    let response = ILMessageFilterQueryResponse()
    response.action = action
    response.subAction = subAction
    return response
  }
}

/// The first answer of several: the server's or the timeout's, whichever comes first. iOS wants one.
final class FirstAnswer: Sendable {
  private let completion: @Sendable (ILMessageFilterQueryResponse) -> Void
  private let isGiven = Mutex(false)

  init(_ completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void) {
    self.completion = completion
  }

  /// Sends an answer, unless one was sent already.
  func give(_ verdict: FilterVerdict) {
    let isFirst = isGiven.withLock { isGiven in
      defer { isGiven = true }
      return !isGiven
    }
    if isFirst { completion(verdict.response) }
  }
}
