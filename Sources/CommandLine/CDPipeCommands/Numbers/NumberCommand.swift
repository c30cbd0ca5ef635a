// `cdpipe number`

import ArgumentParser
import NormalizeStage
import NumberPlan

struct NumberCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "number", abstract: "Explain what a number text is read as, and why.",
    discussion: """
      Shows for each text what 'normalize' makes of it with the same options, by which of its rules, and the parts: \
      calling code, national number, region, type, whether it is possible and valid, and what was taken off in front \
      and behind. The reading is libphonenumber's. Texts with wildcards show the ranges they stand for.

      Exit status 1 when one of them is no number.
      """)

  @Argument(help: ArgumentHelp("The texts, each one argument.", valueName: "text"))
  var texts: [String]

  @OptionGroup var arguments: NormalizeArguments

  @Flag(help: "A JSON object a line.")
  var json = false

  func validate() throws {
    if texts.isEmpty {
      throw ValidationError(
        "Missing expected argument '<text> ...'; a text that begins with '-' goes behind '--'")
    }
  }

  func run() throws {
    var isFirst = true
    var areAllNumbers = true
    for text in texts {
      let explanation = NumberExplanation(ContiguousArray(text.utf8).span, options: arguments.options)
      if case .reject = explanation.outcome { areAllNumbers = false }
      if json {
        print(NumberMessages.json(text, explanation))
      } else {
        if !isFirst { print() }
        print(NumberMessages.lines(text, explanation, arguments.options).joined(separator: "\n"))
      }
      isFirst = false
    }
    if !areAllNumbers { throw Status.no }
  }
}
