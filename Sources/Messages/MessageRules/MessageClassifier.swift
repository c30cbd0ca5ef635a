// Applies rules to one message after another: each test is made at most once, and only if a rule needs it.

import CallStoreFormat
import NumberPlan

/// Classifies messages by compiled rules.
///
/// It has its own buffers and may be used by one thread at a time; several classifiers can use the same file.
///
///     var classifier = MessageClassifier(try CompiledRules(path: "rules.cdrules"))
///     let verdict = classifier.classify(sender: "BANK", body: "验证码 123456", receiver: "CN")
public struct MessageClassifier: ~Copyable {
  /// Returns whether a number is in the store with this index in ``CompiledRules/storePaths``.
  public typealias StoreLookup = (_ store: Int, _ number: UInt64) -> Bool

  /// The rules.
  public let rules: CompiledRules
  private let isInStore: StoreLookup
  private var body: SymbolBuffer
  private var sender: SymbolBuffer
  private var marks: GroupMarks
  private var machine = PatternMachine()
  private var links = LinkFinder()
  private let searchesBody: Bool
  private let searchesSender: Bool
  private let foldsSender: Bool

  /// Makes a classifier.
  ///
  /// - Parameters:
  ///   - rules: the rules.
  ///   - isInStore: looks senders up in the stores that the rules refer to; nil if there are none, so that no sender is
  ///     in one.
  public init(_ rules: consuming CompiledRules, isInStore: StoreLookup? = nil) {
    let uses = Uses(rules)
    body = SymbolBuffer(capacity: MessageRulesLimits.bodySymbolsMax)
    sender = SymbolBuffer(capacity: MessageRulesLimits.senderSymbolsMax)
    marks = GroupMarks(count: rules.count(of: .groups))
    searchesBody = uses.bodyKeywords
    searchesSender = uses.senderKeywords
    foldsSender = uses.senderKeywords || uses.senderPatterns
    self.isInStore = isInStore ?? { _, _ in false }
    self.rules = rules
  }

  /// The parts of a message that the rules always need.
  private struct Uses {
    var bodyKeywords = false
    var senderKeywords = false
    var senderPatterns = false

    init(_ rules: borrowing CompiledRules) {
      let groups = rules.bytes(of: .groups)
      for index in 0..<rules.count(of: .groups) {
        if groups.u32(4 * index) == 0 { bodyKeywords = true } else { senderKeywords = true }
      }
      let tests = rules.bytes(of: .tests)
      for index in 0..<rules.count(of: .tests)
      where tests.u32(16 * index) == TestKind.senderPattern.rawValue { senderPatterns = true }
    }
  }

  /// Classifies a message.
  ///
  /// - Parameters:
  ///   - sender: a number in any form, or a name.
  ///   - body: the message's text.
  ///   - receiver: the receiver's country as two letters (`receiverISOCountryCode`), if that is known.
  /// - Complexity: O(body) for keywords, O(body × steps) for each regular expression that a rule comes to.
  public mutating func classify(sender: String, body: String, receiver: String? = nil) -> MessageVerdict {
    var sender = sender
    var body = body
    return sender.withUTF8 { sender in
      body.withUTF8 { body in
        unsafe classify(
          sender: Span(_unsafeElements: sender), body: Span(_unsafeElements: body), receiver: receiver)
      }
    }
  }

  /// Classifies a message whose texts are UTF-8; invalid bytes are characters that no rule matches.
  public mutating func classify(
    sender: Span<UInt8>, body: Span<UInt8>, receiver: String? = nil
  ) -> MessageVerdict {
    var facts = begin(sender, body, receiver)
    let tests = rules.count(of: .tests)
    var at: UInt32 = tests == 0 ? TestTarget.none : 0
    while Int(at) < tests {
      at = target(of: Int(at), answer: ask(Int(at), &facts, sender, body))
    }
    return at & TestTarget.accept == 0 ? .undecided : rules.verdict(ofRule: Int(at & ~TestTarget.accept))
  }

  /// Applies the rules to a message, and returns the tests that were made.
  public mutating func explain(
    sender: Span<UInt8>, body: Span<UInt8>, receiver: String? = nil
  ) -> MessageExplanation {
    var facts = begin(sender, body, receiver)
    let tests = rules.count(of: .tests)
    var made: [MessageTest] = []
    var rule = 0
    var at: UInt32 = tests == 0 ? TestTarget.none : 0
    while Int(at) < tests {
      while rule + 1 < rules.ruleCount, rules.bytes(of: .rules).u32(24 * (rule + 1) + 16) <= at { rule += 1 }
      let answer = ask(Int(at), &facts, sender, body)
      made.append(MessageTest(rule: rule, question: question(Int(at), &facts, sender, body), answer: answer))
      at = target(of: Int(at), answer: answer)
    }
    let verdict =
      at & TestTarget.accept == 0
      ? MessageVerdict.undecided : rules.verdict(ofRule: Int(at & ~TestTarget.accept))
    return MessageExplanation(verdict: verdict, tests: made)
  }

  // MARK: One message

  /// The facts that were determined about a message so far.
  private struct MessageFacts {
    var receiver: UInt16
    var number: Answer<ParsedNumber?> = .unknown
    var country: Answer<UInt16> = .unknown
    var hasLink: Answer<Bool> = .unknown
    var script: Answer<TextScript> = .unknown
    var language: Answer<MessageLanguage?> = .unknown
    var isBodyFolded = false
    var isSenderFolded = false
  }

  private enum Answer<Value> {
    case unknown
    case known(Value)
  }

  private mutating func begin(_ sender: Span<UInt8>, _ body: Span<UInt8>, _ receiver: String?) -> MessageFacts
  {
    var facts = MessageFacts(receiver: receiver.map { CountryLetters.packed(Substring($0).utf8) } ?? 0)
    marks.begin()
    if searchesBody {
      rules.fold(body, as: .body, into: &self.body)
      rules.findKeywords(in: self.body, as: .body, &marks)
      facts.isBodyFolded = true
    }
    if foldsSender {
      // Digits with a country code are found both with and without a plus sign.
      if searchesSender, SenderNumber.lacksPlus(sender, region: region(facts)) {
        var plus: ContiguousArray<UInt8> = [UInt8(ascii: "+")]
        for index in 0..<sender.count { plus.append(sender[index]) }
        rules.fold(plus.span, as: .sender, into: &self.sender)
        rules.findKeywords(in: self.sender, as: .sender, &marks)
      }
      rules.fold(sender, as: .sender, into: &self.sender)
      if searchesSender { rules.findKeywords(in: self.sender, as: .sender, &marks) }
    }
    return facts
  }

  private borrowing func target(of test: Int, answer: Bool) -> UInt32 {
    rules.bytes(of: .tests).u32(16 * test + (answer ? 8 : 12))
  }

  private mutating func ask(
    _ test: Int, _ facts: inout MessageFacts, _ sender: Span<UInt8>, _ body: Span<UInt8>
  ) -> Bool {
    let operand = Int(rules.bytes(of: .tests).u32(16 * test + 4))
    switch TestKind(rawValue: rules.bytes(of: .tests).u32(16 * test)) {
    case .always: return true
    case .group: return marks.isMarked(operand)
    case .bodyPattern:
      if !facts.isBodyFolded {
        rules.fold(body, as: .body, into: &self.body)
        facts.isBodyFolded = true
      }
      return machine.matches(operand, of: rules, self.body)
    case .senderPattern: return machine.matches(operand, of: rules, self.sender)
    case .number:
      guard let number = number(&facts, sender) else { return false }
      return rules.isNumber(number.e164, inSet: operand)
    case .senderCountry: return rules.isCountry(country(&facts, sender), inSet: operand)
    case .store:
      guard let number = number(&facts, sender) else { return false }
      return isInStore(operand, number.e164)
    case .receiverCountry: return rules.isCountry(facts.receiver, inSet: operand)
    case .link:
      if case .known(let answer) = facts.hasLink { return answer }
      var answer = false
      links.find(body, rules) { _ in
        answer = true
        return true
      }
      facts.hasLink = .known(answer)
      return answer
    case .domain: return host(inSet: operand, body) != nil
    case .script: return UInt32(truncatingIfNeeded: operand) >> UInt32(script(&facts, body).rawValue) & 1 != 0
    case .language:
      guard let language = language(&facts, body) else { return false }
      return UInt32(truncatingIfNeeded: operand) >> UInt32(language.rawValue) & 1 != 0
    case nil: return false
    }
  }

  private mutating func host(inSet set: Int, _ body: Span<UInt8>) -> String? {
    var found: String?
    links.find(body, rules) { host in
      guard rules.hasDomain(host, inSet: set) else { return false }
      found = String(decoding: host, as: UTF8.self)
      return true
    }
    return found
  }

  private borrowing func region(_ facts: MessageFacts) -> Region? {
    for letters in [facts.receiver, rules.header.regionLetters] where letters != 0 {
      if let region = Region(CountryLetters.text(letters)) { return region }
    }
    return nil
  }

  private func number(_ facts: inout MessageFacts, _ sender: Span<UInt8>) -> ParsedNumber? {
    if case .known(let number) = facts.number { return number }
    let number = SenderNumber.read(sender, region: region(facts))
    facts.number = .known(number)
    return number
  }

  private func country(_ facts: inout MessageFacts, _ sender: Span<UInt8>) -> UInt16 {
    if case .known(let country) = facts.country { return country }
    var country: UInt16 = 0
    if let number = number(&facts, sender), let region = NumberPlan.region(of: number) {
      country = CountryLetters.packed(Substring(region.code).utf8)
    } else if let number = number(&facts, sender) {
      country = mainRegion(of: number, facts)
    }
    facts.country = .known(country)
    return country
  }

  /// The country of a number that matches no numbering plan, such as those of short services: the receiver's, if it has
  /// the same calling code; otherwise the only one with that calling code.
  private func mainRegion(of number: ParsedNumber, _ facts: MessageFacts) -> UInt16 {
    if let region = region(facts), region.callingCode == number.callingCode {
      return CountryLetters.packed(Substring(region.code).utf8)
    }
    let regions = Region.all.filter { $0.callingCode == number.callingCode }
    return regions.count == 1 ? CountryLetters.packed(Substring(regions[0].code).utf8) : 0
  }

  private func script(_ facts: inout MessageFacts, _ body: Span<UInt8>) -> TextScript {
    if case .known(let script) = facts.script { return script }
    let script = rules.script(of: body)
    facts.script = .known(script)
    return script
  }

  private func language(_ facts: inout MessageFacts, _ body: Span<UInt8>) -> MessageLanguage? {
    if case .known(let language) = facts.language { return language }
    let language = rules.language(of: body)
    facts.language = .known(language)
    return language
  }

  // MARK: Explanations

  private mutating func question(
    _ test: Int, _ facts: inout MessageFacts, _ sender: Span<UInt8>, _ body: Span<UInt8>
  ) -> MessageTest.Question {
    let operand = Int(rules.bytes(of: .tests).u32(16 * test + 4))
    switch TestKind(rawValue: rules.bytes(of: .tests).u32(16 * test)) {
    case .always, nil: return .always
    case .group:
      let mode = MessageTest.Keywords(
        rawValue: UInt8(truncatingIfNeeded: rules.bytes(of: .groups).u32(4 * operand)))
      let found = marks.keyword(of: operand).map { rules.text(ofKeyword: Int($0)) }
      return .keywords(mode ?? .bodyContains, found: found)
    case .bodyPattern: return .pattern(.body, source: source(ofPattern: operand))
    case .senderPattern: return .pattern(.sender, source: source(ofPattern: operand))
    case .number: return .number(number(&facts, sender)?.e164)
    case .senderCountry:
      let country = country(&facts, sender)
      return .senderCountry(country == 0 ? nil : CountryLetters.text(country))
    case .store: return .store(path: rules.storePaths[operand])
    case .receiverCountry:
      return .receiverCountry(facts.receiver == 0 ? nil : CountryLetters.text(facts.receiver))
    case .link: return .link
    case .domain: return .domain(host: host(inSet: operand, body))
    case .script: return .script(script(&facts, body))
    case .language: return .language(language(&facts, body))
    }
  }

  private borrowing func source(ofPattern index: Int) -> String {
    rules.text(in: rules.bytes(of: .patterns), at: 24 * index + 16)
  }
}

extension CompiledRules {
  /// Whether a number is in one of a set's ranges, which ascend.
  ///
  /// - Complexity: O(log ranges).
  borrowing func isNumber(_ number: UInt64, inSet set: Int) -> Bool {
    let sets = bytes(of: .numberSets)
    let numbers = bytes(of: .numbers)
    var low = Int(sets.u32(4 * set))
    var high = Int(sets.u32(4 * set + 4))
    while low < high {
      let middle = (low + high) / 2
      if number < numbers.u64(16 * middle) {
        high = middle
      } else if number > numbers.u64(16 * middle + 8) {
        low = middle + 1
      } else {
        return true
      }
    }
    return false
  }

  /// Whether a country is in a set.
  borrowing func isCountry(_ country: UInt16, inSet set: Int) -> Bool {
    guard country != 0 else { return false }
    let sets = bytes(of: .countrySets)
    let countries = bytes(of: .countries)
    for index in Int(sets.u32(4 * set))..<Int(sets.u32(4 * set + 4))
    where countries.u16(2 * index) == Int(country) { return true }
    return false
  }

  /// The script of most letters in a text; in case of a tie, the first one in the order of the cases.
  ///
  /// - Complexity: O(bytes).
  borrowing func script(of text: Span<UInt8>) -> TextScript {
    let counts = scriptCounts(of: text)
    var best = 0
    for script in 1..<32 where counts[script] > 0 && (best == 0 || counts[script] > counts[best]) {
      best = script
    }
    return TextScript(rawValue: UInt8(best)) ?? .other
  }

  /// The number of characters of each script.
  borrowing func scriptCounts(of text: Span<UInt8>) -> ContiguousArray<Int> {
    let blocks = bytes(of: .blocks)
    let pages = bytes(of: .pages)
    let starts = bytes(of: .expansionStarts)
    let parts = bytes(of: .expansions)
    var counts = ContiguousArray<Int>(repeating: 0, count: 32)
    var at = 0
    while at < text.count {
      var entry = Self.entry(of: Scalars.next(text, &at), pages, blocks)
      // A character that is folded into several counts as the first of them.
      if entry.kind == .expansion {
        entry = FoldEntry(bits: parts.u32(4 * Int(starts.u32(4 * Int(entry.symbol)))))
      }
      counts[Int(entry.script)] += 1
    }
    return counts
  }
}

enum SenderNumber {
  /// Whether a sender is written like a number: digits, and the characters that may separate them.
  static func isWrittenAsNumber(_ sender: Span<UInt8>) -> Bool {
    var digits = 0
    for index in 0..<sender.count {
      let byte = sender[index]
      if byte &- 0x30 < 10 {
        digits += 1
      } else if !(isPunctuation(byte) || byte == UInt8(ascii: "+") && digits == 0) {
        return false
      }
    }
    return digits >= 2
  }

  /// The characters between the digits of a number that are ignored.
  @inline(__always)
  static func isPunctuation(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "."),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// Reads a sender as a number dialled in a region; nil if it is not a number.
  ///
  /// iOS sends a server the digits of E.164 without a plus sign. Digits that are not a valid number of the region are
  /// read as international if that makes a valid number.
  static func read(_ sender: Span<UInt8>, region: Region?) -> ParsedNumber? {
    guard isWrittenAsNumber(sender) else { return nil }
    // Without a region, digits can only be read as international.
    let parsed =
      region == nil
      ? try? NumberPlan.parseInternational(sender) : try? NumberPlan.parse(sender, region: region)
    if let parsed, parsed.e164 > 0, region == nil || NumberPlan.isValid(parsed) { return parsed }
    if let number = withoutPlus(sender) { return number }
    guard let parsed, parsed.e164 > 0 else { return nil }
    return parsed
  }

  /// Whether a sender consists of the digits of a number with its country code, without the plus sign.
  static func lacksPlus(_ sender: Span<UInt8>, region: Region?) -> Bool {
    guard isWrittenAsNumber(sender), let number = withoutPlus(sender) else { return false }
    guard region != nil, let dialled = try? NumberPlan.parse(sender, region: region) else { return true }
    return dialled.e164 == number.e164 || !NumberPlan.isValid(dialled)
  }

  /// The valid number that digits without a plus sign represent if they start with their country code.
  private static func withoutPlus(_ sender: Span<UInt8>) -> ParsedNumber? {
    for index in 0..<sender.count where sender[index] == UInt8(ascii: "+") { return nil }
    guard let number = try? NumberPlan.parseInternational(sender), NumberPlan.isValid(number) else {
      return nil
    }
    return number
  }
}

/// Two capital letters packed into one word; 0 for an invalid country code.
enum CountryLetters {
  static func packed(_ code: Substring.UTF8View) -> UInt16 {
    guard code.count == 2 else { return 0 }
    var packed: UInt16 = 0
    for byte in code {
      let letter = byte & 0xDF
      guard letter >= 0x41, letter <= 0x5A else { return 0 }
      packed = packed << 8 | UInt16(letter)
    }
    return packed
  }

  static func text(_ packed: UInt16) -> String {
    String(decoding: [UInt8(packed >> 8), UInt8(packed & 0xFF)], as: UTF8.self)
  }
}
