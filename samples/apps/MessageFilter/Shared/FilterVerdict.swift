// The verdict on a message, and the single response that iOS gets.

import Foundation
import IdentityLookup
import MessageRules
import Synchronization

/// The verdict on a message: an action and, for some actions, a sub-action.
nonisolated struct FilterVerdict: Equatable, Sendable {
  /// The action that iOS applies to the message.
  var action: ILMessageFilterAction
  /// The category within transactions or promotions.
  var subAction: ILMessageFilterSubAction

  /// No verdict: the message is shown.
  static let none = FilterVerdict(action: .none, subAction: .none)

  /// The response for iOS.
  var response: ILMessageFilterQueryResponse {
    let response = ILMessageFilterQueryResponse()
    response.action = action
    response.subAction = subAction
    return response
  }
}

nonisolated extension FilterVerdict {
  /// Converts the rules' values to IdentityLookup's; the raw values are the same.
  init(_ action: MessageAction, _ subAction: MessageSubAction) {
    self.init(
      action: ILMessageFilterAction(rawValue: Int(action.rawValue)) ?? .none,
      subAction: ILMessageFilterSubAction(rawValue: Int(subAction.rawValue)) ?? .none)
  }
}

/// Passes on the first of several answers: the server's or the timeout's. iOS accepts only one.
nonisolated final class FirstAnswer: Sendable {
  private let completion: @Sendable (ILMessageFilterQueryResponse) -> Void
  private let isGiven = Mutex(false)

  init(_ completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void) {
    self.completion = completion
  }

  /// Sends an answer unless one was sent already.
  func give(_ verdict: FilterVerdict) {
    let isFirst = isGiven.withLock { isGiven in
      defer { isGiven = true }
      return !isGiven
    }
    if isFirst { completion(verdict.response) }
  }
}
