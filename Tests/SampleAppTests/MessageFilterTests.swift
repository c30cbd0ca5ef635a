// The message filter: its rules, its server, and servers that are dead, slow or send invalid answers.

import Foundation
import FrameworkServices
import IdentityLookup
import SimulatedPhone
import Synchronization
import Testing

@testable import MessageFilter

private let settings = MessageFilterSettings(
  networkURL: URL(string: "https://filter.example.com/message-filter"),
  associatedHosts: ["filter.example.com"])

/// A phone with the filter, whose rules and store were compiled from text by `cdpipe`.
final class FilterScene {
  static let rules = """
    region: CN
    rules:
      - { name: friends, action: allow, when: { sender: { is: "+8613800138000" } } }
      - { name: listed, action: junk, when: { sender: { store: spam.cdstore } } }
      - { name: casino, action: junk, when: { body: { contains: [澳门] } } }
      - { name: codes, action: transaction, sub-action: transactionalFinance, when: { body: { contains: [验证码] } } }
      - { name: coupons, action: promotion, sub-action: promotionalCoupons, when: { body: { contains: [优惠券] } } }
    """

  let messages: SimulatedMessages
  let workplace: Workplace
  /// The queries that the server received.
  let asked = Notes()

  init(rules: String? = nil, serverSeconds: Double = 600) throws {
    workplace = try Workplace()
    try workplace.write("spam.json", #"[{"170-1234-5678": "诈骗"}, {"170-1234-5679": "诈骗"}]"#)
    try workplace.write(
      "pipeline.yaml",
      "sources: [{ path: spam.json, normalize: { region: CN } }]\nemit: { format: store, path: spam.cdstore }\n"
    )
    try workplace.write("rules.yaml", Self.rules)
    try workplace.cdpipe("run", "--quiet", "pipeline.yaml")
    try workplace.cdpipe("rules", "compile", "rules.yaml", "-o", "rules.cdrules")
    messages = FrameworkServices(try SimulatedPhone(), filterWait: .seconds(3600)).messages
    let path = rules ?? workplace.path("rules.cdrules")
    messages.choose(settings) {
      MessageFilterExtension(rules: LocalRules(path: path), serverSeconds: serverSeconds)
    }
  }

  /// Sets the server's answer.
  func serve(status: Int = 200, _ body: String) {
    let asked = asked
    messages.setNetwork { query, completion in
      asked.add(String(decoding: query.body, as: UTF8.self))
      completion(.success(DeferredAnswer(status: status, body: Data(body.utf8))))
    }
  }

  func answer(_ text: String, from sender: String = "+8613900139000") -> FilterVerdict {
    let answer = messages.receive(IncomingMessage(from: sender, text, receiverCountry: "CN"))
    return FilterVerdict(action: answer.action, subAction: answer.subAction)
  }
}

@Suite("MessageFilter")
struct MessageFilterTests {
  @Test(
    "rules decide without the network",
    arguments: [
      ("+8613800138000", "澳门", ILMessageFilterAction.allow, ILMessageFilterSubAction.none),
      ("170 1234 5678", "你好", .junk, .none), ("+8617012345679", "你好", .junk, .none),
      ("+8613900139000", "澳 门 娱 乐", .junk, .none),
      ("95588", "验证码 123456", .transaction, .transactionalFinance),
      ("shop", "优惠券", .promotion, .promotionalCoupons),
    ])
  func local(
    sender: String, text: String, action: ILMessageFilterAction, subAction: ILMessageFilterSubAction
  ) throws {
    let scene = try FilterScene()
    scene.serve(#"{"action":"allow"}"#)
    #expect(scene.messages.declaredSubActions == [.transactionalFinance, .promotionalCoupons])
    #expect(scene.answer(text, from: sender) == FilterVerdict(action: action, subAction: subAction))
    #expect(scene.asked.all.isEmpty)
  }

  @Test("a message that no rule matches is sent to the server, with the sender and the text")
  func deferred() throws {
    let scene = try FilterScene()
    scene.serve(#"{"row":1,"action":"junk","rule":"casino","subAction":"none"}"#)
    #expect(scene.answer("hello").action == .junk)
    let query = try #require(scene.asked.all.first)
    #expect(query.contains(#""sender":"8613900139000""#) && query.contains(#""text":"hello""#))
    scene.serve(#"{"action":"transaction","subAction":"transactionalFinance"}"#)
    #expect(scene.answer("hello") == FilterVerdict(action: .transaction, subAction: .transactionalFinance))
    scene.serve(#"{"action":"allow","rule":null}"#)
    #expect(scene.answer("hello").action == .allow)
  }

  @Test("a sub-action of another action is ignored, the action is used")
  func mismatch() {
    let body = Data(#"{"action":"promotion","subAction":"transactionalFinance"}"#.utf8)
    #expect(ServerAnswer.verdict(status: 200, body) == FilterVerdict(action: .promotion, subAction: .none))
    let unknown = Data(#"{"action":"junk","subAction":"nothingKnown"}"#.utf8)
    #expect(ServerAnswer.verdict(status: 200, unknown) == FilterVerdict(action: .junk, subAction: .none))
  }

  /// Invalid answers: status and body.
  static let lies: [(Int, String)] = [
    (500, #"{"action":"junk"}"#), (302, #"{"action":"junk"}"#), (204, ""), (200, ""), (200, "junk"),
    (200, "<html>action: junk</html>"), (200, #"{"action":"#), (200, #"{"action":2}"#), (200, #"["junk"]"#),
    (200, #"{"action":"Junk"}"#), (200, #"{"action":"delete"}"#), (200, #"{"subAction":"none"}"#),
    (200, #"{"action":"junk","subAction":7}"#), (200, #"{"action":null}"#), (200, "null"),
    (200, String(repeating: "[", count: 4_000)),
    (200, #"{"action":"junk"}"# + String(repeating: " ", count: 1 << 20)),
    (200, "\u{0}\u{1}\u{FFFD}"), (200, #"{"action":"junk"}{"action":"allow"}"#),
  ]

  @Test("invalid answers of a server change nothing", arguments: lies)
  func invalidAnswers(status: Int, body: String) throws {
    let scene = try FilterScene()
    scene.serve(status: status, body)
    #expect(scene.answer("hello") == .none)
    #expect(scene.asked.all.count == 1)
  }

  @Test("bytes that are not text change nothing")
  func noise() {
    var bytes: [UInt8] = []
    for length in 0..<256 {
      #expect(ServerAnswer.verdict(status: 200, Data(bytes)) == .none)
      bytes.append(UInt8(truncatingIfNeeded: length &* 151 &+ 128))
    }
  }

  @Test("a dead server and a missing server change nothing")
  func dead() throws {
    let scene = try FilterScene()
    #expect(scene.answer("hello") == .none)
    scene.messages.setNetwork { _, completion in completion(.failure(URLError(.timedOut))) }
    #expect(scene.answer("hello") == .none)
    let lonely = try FilterScene()
    lonely.messages.choose { MessageFilterExtension(rules: LocalRules(path: "")) }
    #expect(lonely.answer("hello") == .none)
  }

  @Test("a slow server is not waited for, and its late answer is ignored")
  func slow() throws {
    let scene = try FilterScene(serverSeconds: 0.05)
    let late = Mutex<(@Sendable (Result<DeferredAnswer, any Error>) -> Void)?>(nil)
    scene.messages.setNetwork { _, completion in late.withLock { $0 = completion } }
    #expect(scene.answer("hello") == .none)
    let completion = try #require(late.withLock { $0 })
    completion(.success(DeferredAnswer(status: 200, body: Data(#"{"action":"junk"}"#.utf8))))
    #expect(scene.answer("澳门").action == .junk)
  }

  @Test("rules that are missing or damaged leave everything to the server")
  func noRules() throws {
    for path in ["", "/nowhere/rules.cdrules", "/dev/null"] {
      let scene = try FilterScene(rules: path)
      scene.serve(#"{"action":"promotion"}"#)
      #expect(scene.answer("澳门").action == .promotion)
      #expect(scene.messages.declaredSubActions.isEmpty)
    }
  }

  @Test("without a bundle and an app group, there are no rules")
  func notInstalled() {
    let installed = InstalledRules()
    #expect(installed.origin == nil && installed.downloadError == nil)
    #expect(installed.rules.verdict(sender: nil, body: "澳门", receiver: nil) == .none)
    #expect(MessageFilterExtension().rules.subActions.isEmpty)
  }
}
