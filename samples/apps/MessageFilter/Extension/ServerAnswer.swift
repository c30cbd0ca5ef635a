// The app server's answer about a message: {"action":"junk","subAction":"none","rule":"casino"}. Apple prescribes no
// format; this is the one that `cdpipe classify` and `cdpipe-server` write.

import Foundation
import IdentityLookup
import MessageRules

/// The server's answer. Anything that is not exactly a valid answer is ignored.
nonisolated struct ServerAnswer: Decodable {
  /// The maximum size of an answer in bytes; a valid answer has a few dozen.
  static let bytesMax = 4_096

  private let action: String
  private let subAction: String?

  /// Parses the verdict in a response; `none` for anything that is not a complete, valid answer.
  ///
  /// - Parameters:
  ///   - status: the HTTP status; anything but 200 is ignored.
  ///   - body: the response's body.
  static func verdict(status: Int, _ body: Data) -> FilterVerdict {
    guard status == 200, body.count <= bytesMax,
      let answer = try? JSONDecoder().decode(ServerAnswer.self, from: body),
      let action = MessageAction(name: answer.action)
    else { return .none }
    // A sub-action that belongs to another action is ignored; the action still counts.
    let finer = answer.subAction.flatMap { MessageSubAction(name: $0) } ?? .none
    return FilterVerdict(action, finer.action == action ? finer : .none)
  }
}
