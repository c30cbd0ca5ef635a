// Message rules that several threads ask at a time, with the server's answer for each rule.
//
// Not for: reading requests (MessageQuery), when rules are opened again (Reloadable).

import MessageRules
import NIOCore
import Synchronization

/// Compiled rules, opened, and the stores that they name.
///
/// The rules' bytes are read, not mapped: overwriting the file in place would send a server that maps it a
/// SIGBUS. Stores are mapped; they are large, and everything that writes them renames them into place.
final class RuleSet: Opened {
  /// An answer, ready to be sent.
  struct Answer: Sendable {
    let action: MessageAction
    let json: ByteBuffer
  }

  /// Rules with the buffers that classification needs.
  private final class Lane: Sendable {
    let classifier: Mutex<MessageClassifier>

    init(_ bytes: Span<UInt8>, _ stores: [OpenStore]) throws(CompiledRulesError) {
      let rules = try CompiledRules(bytes: bytes)
      classifier = Mutex(
        MessageClassifier(rules) { store, number in
          stores.indices.contains(store) && stores[store].contains(number)
        })
    }
  }

  private let lanes: [Lane]
  /// By rule index; the last one is for messages that no rule matches.
  private let answers: [Answer]
  /// How many rules there are.
  let ruleCount: Int
  let otherFiles: [String]

  init(path: String) throws(SiteError) {
    let buffer = try OpenFile.bytes(of: path, bytesMax: MessageRulesLimits.fileBytesMax)
    let bytes = ContiguousArray(buffer.readableBytesView)
    let contents = try Self.contents(bytes.span, path)
    // A store's path stands beside the rules, unless it is a whole one.
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    let paths = contents.stores.map { $0.hasPrefix("/") ? $0 : folder + $0 }
    var stores: [OpenStore] = []
    for path in paths { stores.append(try OpenStore(path: path)) }
    var lanes: [Lane] = []
    for _ in 0..<min(max(System.coreCount, 1), ServerLimits.lanesMax) {
      do throws(CompiledRulesError) {
        lanes.append(try Lane(bytes.span, stores))
      } catch {
        throw .rules(path: path, error)
      }
    }
    self.lanes = lanes
    answers = contents.answers
    ruleCount = contents.answers.count - 1
    otherFiles = paths
  }

  static func mainFile(at path: String) -> String { path }

  private static func contents(
    _ bytes: Span<UInt8>, _ path: String
  ) throws(SiteError) -> (answers: [Answer], stores: [String]) {
    do throws(CompiledRulesError) {
      let rules = try CompiledRules(bytes: bytes)
      var answers: [Answer] = []
      for rule in 0..<rules.ruleCount {
        answers.append(answer(rules.verdict(ofRule: rule), rule: rules.name(ofRule: rule)))
      }
      answers.append(answer(.undecided, rule: nil))
      return (answers, rules.storePaths)
    } catch {
      throw .rules(path: path, error)
    }
  }

  private static func answer(_ verdict: MessageVerdict, rule: String?) -> Answer {
    var json = #"{"action":"\#(verdict.action.name)","subAction":"\#(verdict.subAction.name)""#
    if let rule { json += #","rule":\#(JSON.string(rule))"# }
    return Answer(action: verdict.action, json: ByteBuffer(string: json + "}"))
  }

  /// Asks the rules about a message.
  ///
  /// - Parameter country: the receiver's, as two letters.
  func answer(sender: String, body: String, country: String?) -> Answer {
    // Whichever is free. Where all are busy, there are as many as there are processors.
    for lane in lanes {
      let verdict = lane.classifier.withLockIfAvailable { classifier in
        classifier.classify(sender: sender, body: body, receiver: country)
      }
      if let verdict { return answer(verdict) }
    }
    return answer(
      lanes[0].classifier.withLock { classifier in
        classifier.classify(sender: sender, body: body, receiver: country)
      })
  }

  private func answer(_ verdict: MessageVerdict) -> Answer {
    answers[verdict.rule ?? answers.count - 1]
  }
}
