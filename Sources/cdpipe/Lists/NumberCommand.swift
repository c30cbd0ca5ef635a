// `cdpipe number`

import ArgumentParser
import RecordStages

struct NumberCommand: ManyOperandsCommand {
  static let configuration = CommandConfiguration(
    commandName: "number", abstract: "Explain how a phone number is read, and why.",
    discussion: """
      Shows the result of 'normalize' with the same options for each text, the rule that applied, and the parts of the \
      number: calling code, national number, region, type, whether it is possible and valid, and which prefixes and \
      extensions were removed. Numbers are read as libphonenumber reads them. For texts with wildcards, shows their \
      ranges.

      The exit status is 1 if a text is not a phone number.
      """)

  @Argument(help: ArgumentHelp("The numbers, one per argument.", valueName: "text"), completion: .nothing)
  var texts: [String]

  @OptionGroup var arguments: NormalizeArguments

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var colours: ColourOptions

  var operands: [String] {
    get { texts }
    set { texts = newValue }
  }

  func validate() throws {
    try refuse(
      texts.isEmpty, "Missing expected argument '<text> ...'; put a text that starts with '-' after '--'")
  }

  func run() throws {
    var isFirst = true
    var areAllNumbers = true
    for text in texts {
      let explanation = NumberExplanation(ContiguousArray(text.utf8).span, options: arguments.options)
      if case .reject = explanation.outcome { areAllNumbers = false }
      if json {
        StandardOutput.print(ExplanationText.json(text, explanation))
      } else {
        if !isFirst { StandardOutput.print() }
        StandardOutput.print(ExplanationText.lines(text, explanation, arguments.options))
      }
      isFirst = false
    }
    if !areAllNumbers { throw ExitStatus.no }
  }
}
