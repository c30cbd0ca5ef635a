// A message filter: it applies its local rules first; messages that no rule matches go to the app's server, through the
// only connection that iOS grants a filter. It never fails: if anything is missing, damaged, late or invalid, the
// message is shown (action `none`).

import Foundation
import IdentityLookup

/// The class that iOS instantiates when a message from an unknown sender arrives; `NSExtensionPrincipalClass` names it.
nonisolated final class MessageFilterExtension: ILMessageFilterExtension {
  /// The server's time limit in seconds. iOS has its own, undocumented limit and ends filters that exceed it.
  static let serverSecondsMax = 10.0

  let rules: LocalRules
  let serverSeconds: Double

  /// The initializer that iOS calls.
  override convenience init() {
    self.init(rules: InstalledRules().rules)
  }

  /// Creates a filter with the given rules.
  init(rules: LocalRules, serverSeconds: Double = MessageFilterExtension.serverSecondsMax) {
    self.rules = rules
    self.serverSeconds = serverSeconds
    super.init()
  }
}

nonisolated extension MessageFilterExtension: ILMessageFilterQueryHandling {
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
      // There is an error and no response without a network, without a server, or if the app is not associated with it.
      guard let response else { return answer.give(.none) }
      answer.give(ServerAnswer.verdict(status: response.urlResponse.statusCode, response.data))
    }
  }
}

nonisolated extension MessageFilterExtension: ILMessageFilterCapabilitiesQueryHandling {
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
