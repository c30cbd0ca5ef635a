// A message filter: its own rules are asked first; what they leave undecided goes to the app's server, over the one way that iOS
// lets a filter have. It never fails: whatever is missing, broken, late or untrue, the message is shown (action `none`).

import Foundation
import IdentityLookup

/// What iOS makes when a message of an unknown sender comes in; `NSExtensionPrincipalClass` names it.
final class MessageFilterExtension: ILMessageFilterExtension {
  /// How long a server may take, in seconds. iOS has a limit of its own that nobody documents; answering before it is over
  /// keeps the filter from being ended.
  static let serverSecondsMax = 10.0

  let rules: LocalRules
  let serverSeconds: Double

  /// What iOS calls.
  override convenience init() {
    self.init(rules: LocalRules.installed())
  }

  /// Makes a filter with given rules.
  init(rules: LocalRules, serverSeconds: Double = MessageFilterExtension.serverSecondsMax) {
    self.rules = rules
    self.serverSeconds = serverSeconds
    super.init()
  }
}

extension MessageFilterExtension: ILMessageFilterQueryHandling {
  func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void
  ) {
    let verdict = rules.verdict(
      sender: queryRequest.sender, body: queryRequest.messageBody,
      receiver: queryRequest.receiverISOCountryCode)
    if verdict.action != .none { return completion(verdict.response) }
    let answer = FirstAnswer(completion)
    DispatchQueue.global().asyncAfter(deadline: .now() + serverSeconds) { answer.give(.none) }
    context.deferQueryRequestToNetwork { response, _ in
      // Without a network, without a server, with one that the app is not associated with: error, and no response.
      guard let response else { return answer.give(.none) }
      answer.give(ServerAnswer.verdict(status: response.urlResponse.statusCode, response.data))
    }
  }
}

extension MessageFilterExtension: ILMessageFilterCapabilitiesQueryHandling {
  func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterCapabilitiesQueryResponse) -> Void
  ) {
    let response = ILMessageFilterCapabilitiesQueryResponse()
    for subAction in rules.subActions {
      switch subAction.rawValue {
      case 10_000..<20_000: response.transactionalSubActions.append(subAction)
      case 20_000...: response.promotionalSubActions.append(subAction)
      default: break
      }
    }
    completion(response)
  }
}
