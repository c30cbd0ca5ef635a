// Patterns that stand for no numbers, in sentences that name the pattern and the place in it.

import GenerateStage
import PipeStage

enum GenerateMessages {
  static func sentence(_ failure: GenerateError) -> UserMessage {
    switch failure {
    case .badPattern(let text, let place, let fault, let origin):
      let (reason, hint) = Self.reason(fault)
      let at = place > 0 ? ", character \(place)" : ""
      let shown = RejectMessages.printable(text)
      return switch origin {
      case .argument: UserMessage("'\(shown)'\(at): \(reason)", hint: hint)
      case .excluded: UserMessage("--exclude '\(shown)'\(at): \(reason)", hint: hint)
      case .file(let path, let line): UserMessage("\(path):\(line): '\(shown)'\(at): \(reason)", hint: hint)
      }
    case .badFields: return UserMessage("label and source together are too long")
    case .noPatterns:
      return UserMessage(
        "there is no pattern", hint: "such as '+82 70 XXXX XXXX', '+1 212', 'nanp:212', '33162*' or A..B")
    case .tooManyPatterns(let limit):
      return UserMessage(
        "more than \(Figures.grouped(UInt64(limit))) patterns",
        hint: "single numbers are a list: cdpipe normalize, sort and dedupe take one of any length")
    case .tooManyStates(let statesMax):
      return UserMessage(
        "the patterns together have more than \(Figures.grouped(UInt64(statesMax))) states",
        hint: "fewer patterns with a star in front; 'cdpipe subtract' takes lists of any length out")
    case .fileTooLarge(let path, let bytesMax):
      return UserMessage(
        "'\(path)' is larger than \(ByteSize.text(UInt64(bytesMax))): is it a file of patterns?")
    case .unreadable(let failure): return SystemMessages.sentence(failure)
    }
  }

  private static func reason(_ fault: NumberPatternErrorReason) -> (String, hint: String?) {
    switch fault {
    case .empty: ("there is nothing in it", nil)
    case .unexpected(let scalar):
      (
        "'\(RejectMessages.printable(String(scalar)))' is neither a digit nor a wildcard",
        "X, # and ? are one digit each, * is any number of them"
      )
    case .leadingZero:
      (
        "no number begins with 0 behind the plus sign",
        "write the country's calling code and leave the trunk zero out: +82 70 …, not 070 …"
      )
    case .tooManyDigits(let limit): ("more than \(limit) digits", nil)
    case .starNotLast: ("a star stands only at the end", "X, # and ? are one digit each")
    case .plusNotFirst: ("a plus sign stands only in front", nil)
    case .malformedRange: ("a range is two whole numbers with two dots between", nil)
    case .unequalLengths: ("the ends of the range have different numbers of digits", nil)
    case .descending: ("the range ends before it begins", nil)
    case .noCallingCode: ("nobody has that calling code", nil)
    case .impossibleLength(let digits, let code):
      (
        "no number of +\(code) has \(digits) digits in all",
        "a star instead of the wildcards takes the lengths of the numbering plan"
      )
    case .noNumbers:
      ("the numbering plan has no such numbers", "--lengths N says how many digits they have in all")
    case .noLength: ("it has more digits than --lengths says", nil)
    case .areaNotThreeDigits: ("an area code has three digits", nil)
    case .areaBelow200(let code): ("\(code) is no area code: they begin with 2 to 9", nil)
    case .areaIsService(let code): ("\(code) is a service code, not an area code", nil)
    case .areaIsReserved(let code): ("\(code) is kept for later use and no area code yet", nil)
    case .areaNotAssigned(let code):
      ("\(code) is not assigned", "'+1\(code)XXXXXXX' takes its numbers all the same")
    }
  }
}
