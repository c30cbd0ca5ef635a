// Mistakes in rule files, compiled rules that can't be used, and explanations, in sentences.

import MessageRules
import MessageRulesCompiler
import SystemIO
import SystemPackage
import YAMLDocument

enum RulesMessages {
  static func sentence(_ mistake: RuleError) -> UserMessage {
    let place = PipelineMessages.place(mistake.mark)
    switch mistake {
    case .document(let failure): return PipelineMessages.sentence(failure)
    case .unknownKey(_, let key, let known):
      return UserMessage("\(place): unknown key '\(key)'", hint: PipelineMessages.suggestion(key, known))
    case .wrongShape(_, let key, let wanted):
      return UserMessage("\(place): '\(key)' takes \(shape(wanted))")
    case .missingKey(_, let key, let owner): return UserMessage("\(place): \(owner) needs '\(key)'")
    case .empty(_, let key): return UserMessage("\(place): '\(key)' is empty")
    case .unknownValue(_, let key, let value, let known):
      return UserMessage(
        "\(place): '\(key)' is '\(value)', which is unknown", hint: PipelineMessages.suggestion(value, known))
    case .unknownCountry(_, let value):
      return UserMessage(
        "\(place): no country has the code '\(value)'", hint: CountryName.hint)
    case .unknownVersion(_, let value):
      return UserMessage("\(place): version '\(value)' of rule files is unknown", hint: "version: 1")
    case .repeatedName(_, let name, let line):
      return UserMessage("\(place): a rule named '\(name)' again; the first is in line \(line)")
    case .wrongSubAction(_, let subAction, let action):
      let owner = subAction.action.map { "belongs to '\($0.name)'" } ?? "stands with every action"
      return UserMessage("\(place): '\(subAction.name)' \(owner), not to '\(action.name)'")
    case .badNumber(_, let text):
      return UserMessage(
        "\(place): '\(text)' is no number, range or pattern with its country code",
        hint: "+8613800138000, 33162000000..33162999999, +82 70 XXXX XXXX or +33162*")
    case .badDomain(_, let text):
      return UserMessage(
        "\(place): '\(text)' is no domain name in ASCII",
        hint: "example.com, without https:// and without a path")
    case .emptyKeyword(_, let text):
      return UserMessage(
        "\(place): nothing is left of '\(RejectMessages.printable(text))' when it is folded",
        hint: "it has marks or invisible characters only; 'fold: { marks: false }' keeps them")
    case .longKeyword(_, let limit): return UserMessage("\(place): a keyword longer than \(limit) characters")
    case .pattern(_, let defect, let at):
      let (reason, hint) = Self.reason(defect)
      return UserMessage("\(place): the regular expression, at its character \(at): \(reason)", hint: hint)
    case .tooMany(_, let surplus, let limit):
      return UserMessage("\(place): more than \(Figures.grouped(UInt64(limit))) \(name(of: surplus))")
    }
  }

  private static func shape(_ shape: RuleError.Shape) -> String {
    switch shape {
    case .text: "a text"
    case .texts: "a text or a list of texts"
    case .list: "a list"
    case .keys: "keys with values"
    case .truth: "true or false"
    case .link: "true, false, a domain or a list of domains"
    }
  }

  private static func name(of surplus: RuleError.Surplus) -> String {
    switch surplus {
    case .rules: "rules"
    case .keywords: "keywords"
    case .groups: "lists of keywords"
    case .patterns: "regular expressions"
    case .tests: "tests"
    case .symbols: "different characters"
    case .nodes: "characters in all keywords"
    }
  }

  static func reason(_ defect: PatternErrorReason) -> (reason: String, hint: String?) {
    switch defect {
    case .backreference:
      ("what matched before can't be asked for again", "such expressions can take for ever on some texts")
    case .lookAround:
      (
        "look-around and possessive parts are not there",
        "such expressions can take for ever; 'not:' and 'contains-none' say what must not be there"
      )
    case .flags: ("flags are not there", "'fold:' says for the whole file what does not count, such as case")
    case .unbalanced("("): ("this '(' is never closed", "\\( is the character itself")
    case .unbalanced: ("this ')' closes nothing", "\\) is the character itself")
    case .openClass: ("this '[' is never closed", "\\[ is the character itself")
    case .emptyClass: ("a class with nothing in it", nil)
    case .badRange: ("a range that ends before it begins", nil)
    case .nothingToRepeat: ("nothing that could be repeated stands before this", nil)
    case .badRepetition(let limit): ("a repetition that can't be", "{least,most}, and \(limit) is the most")
    case .unknownEscape: ("a backslash that means nothing here", "\\\\ is the backslash itself")
    case .unknownScript(let name):
      ("no script is called '\(name)'", "\\p{Han}, \\p{Hangul}, \\p{Latin} …; \\p{L} is any letter")
    case .tooDeep(let limit): ("groups inside groups deeper than \(limit)", nil)
    case .tooLarge(let limit):
      (
        "with its repetitions written out it has more than \(limit) steps",
        "smaller repetitions, or several expressions"
      )
    case .matchesAll: ("it matches every text", "something in it must be there")
    }
  }

  static func sentence(_ warning: RuleWarning) -> String {
    switch warning {
    case .neverReached(let mark, let rule, let behind):
      "\(PipelineMessages.place(mark)): rule '\(rule)' is never asked: '\(behind)' before it takes every message"
    case .manySubActions(let mark, let count, let limit):
      "\(PipelineMessages.place(mark)): \(count) different sub-actions; iOS is said to take \(limit) of one app"
    }
  }

  static func sentence(_ error: CompiledRulesError, _ path: String) -> UserMessage {
    let again = "'cdpipe rules compile' makes it anew"
    switch error {
    case .cannotOpen(let code):
      return SystemMessages.sentence(SystemError(.openInput, path, Errno(rawValue: code)))
    case .cannotMap(let code):
      return UserMessage("cannot map '\(path)': \(SystemMessages.reason(Errno(rawValue: code)))")
    case .notRules: return UserMessage("'\(path)' holds no compiled rules")
    case .unsupportedVersion(let version):
      return UserMessage(
        "'\(path)' has version \(version) of compiled rules, which this cdpipe does not know", hint: again)
    case .truncated: return UserMessage("'\(path)' is shorter or longer than it says", hint: again)
    case .checksum: return UserMessage("'\(path)' is damaged: its checksum fails", hint: again)
    case .damaged(let section):
      return UserMessage("'\(path)' is damaged: its \(section) contradict themselves", hint: again)
    }
  }

  static func sentence(_ failure: RuleExchangeError, _ path: String) -> UserMessage {
    switch failure {
    case .notTheFormat:
      UserMessage("'\(path)' is no file of that application", hint: "--format says of which it is")
    case .unsupportedVersion(let version):
      UserMessage("'\(path)' is of version \(version), which is not known here")
    }
  }

  static func sentence(_ note: RuleExchangeNote) -> String {
    switch note {
    case .filterLeftOut(let number, let text, let reason):
      "filter \(number)\(text.isEmpty ? "" : " '\(RejectMessages.printable(text))'") is left out: \(why(reason))"
    case .ruleLeftOut(let name): "rule '\(name)' is left out: there is no filter like it"
    case .caseIsFolded(let count):
      "\(count) filters tell capitals from small letters; the rules do not, unless 'fold: { case: false }' says so"
    }
  }

  private static func why(_ reason: RuleExchangeNote.Reason) -> String {
    switch reason {
    case .language: "rules ask for scripts, not for languages"
    case .expression(let defect): self.reason(defect).reason
    case .unknown: "its kind is not known here"
    case .empty: "it has no text"
    }
  }
}

enum MessageInputMessages {
  static func reason(_ reason: MessageReject) -> String {
    switch reason {
    case .malformed: "no message: neither an object of JSON nor a record of CSV"
    case .missing(let name): "no field '\(name)'"
    case .notText(let name): "'\(name)' is no text"
    case .tooLong: "longer than \(ByteSize.text(UInt64(RecordCutter.bytesMax)))"
    case .notUTF8: "not UTF-8"
    case .fieldCount(let count, let all): "\(count) fields, and the header has \(all)"
    case .unknownCountry(let name): "no country has the code '\(RejectMessages.printable(name))'"
    case .unknownAction(let name): "'\(RejectMessages.printable(name))' is no action"
    }
  }

  static func sentence(_ failure: MessageInputError) -> UserMessage {
    UserMessage(
      "\(failure.input == "-" ? "standard input" : failure.input): \(reason(failure.reason)) in the header",
      hint: "the columns are sender, text and country")
  }
}
