// The app server's answer about a message: {"action":"junk","subAction":"none","rule":"casino"}. Apple prescribes no
// form; this is the one of `cdpipe classify` and `cdpipe-server`.

import Foundation
import IdentityLookup
import MessageRules

/// The server's answer, read with distrust: what is not exactly an answer is none.
struct ServerAnswer: Decodable {
  /// The longest answer that is looked at, in bytes: an answer has some dozens.
  static let bytesMax = 4_096

  private let action: String
  private let subAction: String?

  /// The verdict in a response; `none` for anything that is not a complete and valid answer.
  ///
  /// - Parameters:
  ///   - status: the status of HTTP; only 200 counts.
  ///   - body: what came with it.
  static func verdict(status: Int, _ body: Data) -> FilterVerdict {
    guard status == 200, body.count <= bytesMax,
      let answer = try? JSONDecoder().decode(ServerAnswer.self, from: body),
      let action = MessageAction(name: answer.action)
    else { return .none }
    // A finer kind that belongs to another action is not believed; the action still is.
    let finer = answer.subAction.flatMap { MessageSubAction(name: $0) } ?? .none
    return FilterVerdict(action, finer.action == action ? finer : .none)
  }
}

extension FilterVerdict {
  /// IdentityLookup's values for those of the rules: the numbers are the same.
  init(_ action: MessageAction, _ subAction: MessageSubAction) {
    self.init(
      action: ILMessageFilterAction(rawValue: Int(action.rawValue)) ?? .none,
      subAction: ILMessageFilterSubAction(rawValue: Int(subAction.rawValue)) ?? .none)
  }
}
