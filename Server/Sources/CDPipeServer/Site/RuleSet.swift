// Message rules for several threads, with the server's response for each rule.
//
// Not for parsing requests (MessageQuery) or deciding when to open rules again (Reloadable).

import MessageRules
import MessageRulesCompiler
import NIOCore
import Synchronization

/// Open rules and the stores that they name: compiled ones, or a rule file, which is compiled.
///
/// The rules are read, not mapped: if the file were overwritten in place, a mapping would cause a SIGBUS. Stores are
/// mapped because they are large; programs that write them rename them into place.
final class RuleSet: Opened {
  /// A response that is ready to send.
  struct Answer: Sendable {
    let action: MessageAction
    let json: ByteBuffer
  }

  /// Rules with their own buffers for classification.
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
  /// The responses by rule index; the last one is for messages that no rule matches.
  private let answers: [Answer]
  /// The number of rules.
  let ruleCount: Int
  /// What is probably unintended in a rule file.
  let warnings: [String]
  let otherFiles: [String]

  init(path: String) throws(SiteError) {
    let bytes: ContiguousArray<UInt8>
    (bytes, warnings) = try Self.compiled(path)
    let contents = try Self.contents(bytes.span, path)
    // A store's path is relative to the rules' folder, unless it is absolute.
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

  /// Whether a path is that of a rule file, by its name.
  private static func isRuleFile(_ path: String) -> Bool {
    [".yaml", ".yml", ".json"].contains { path.lowercased().hasSuffix($0) }
  }

  /// The bytes of compiled rules, and the warnings about a rule file.
  private static func compiled(
    _ path: String
  ) throws(SiteError) -> (bytes: ContiguousArray<UInt8>, warnings: [String]) {
    guard isRuleFile(path) else {
      let buffer = try OpenFile.bytes(of: path, bytesMax: MessageRulesLimits.fileBytesMax)
      return (ContiguousArray(buffer.readableBytesView), [])
    }
    let buffer = try OpenFile.bytes(of: path, bytesMax: RuleFileCompiler.bytesMax)
    do throws(RuleFileErrors) {
      let file = try RuleFileCompiler.compile(Array(buffer.readableBytesView), path: path)
      return (ContiguousArray(file.bytes), file.warnings)
    } catch {
      throw .ruleFile(path: path, error)
    }
  }

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

  /// Classifies a message.
  ///
  /// - Parameter country: the receiver's, as two letters.
  func answer(sender: String, body: String, country: String?) -> Answer {
    // Use any free lane. If all are busy, there are as many as processors.
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
