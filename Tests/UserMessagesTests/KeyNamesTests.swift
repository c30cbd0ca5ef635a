// Messages about options name the keys of pipeline files.

@testable import Runner
import Records
import Testing

@Suite("Names of keys in messages")
struct KeyNamesTests {
  private static let parse = StageName(rawValue: "parse")
  private static let emit = StageName(rawValue: "emit")
  /// Options of two stages; both have `format`.
  private static let names = KeyNames { option, stage in
    let keys = [
      parse: ["format": "format", "number": "number", "encoding": "encoding", "strict": "strict"],
      emit: ["format": "format", "output": "path"],
    ]
    for stage in [stage, parse, emit].compactMap({ $0 }) {
      if let key = keys[stage]?[option] { return KeyNames.Key(stage, key) }
    }
    return nil
  }

  @Test(
    "options become keys",
    arguments: [
      ("add --number NAME", "add parse: { number: NAME }"),
      ("check --format and --encoding; list", "check 'parse.format' and 'parse.encoding'; list"),
      ("is it right (--format)?", "is it right ('parse.format')?"),
      ("is it right (--format), or not", "is it right ('parse.format'), or not"),
      ("try --encoding UTF-16LE)", "try parse: { encoding: UTF-16LE })"),
      ("add --format=sqlite if it is", "add parse: { format: sqlite } if it is"),
      ("use --number 'a b'; else not", "use parse: { number: 'a b' }; else not"),
      ("use --number 5,", "use parse: { number: 5 },"),
      ("--format is first", "'parse.format' is first"),
      ("  hint: with --number NAME", "  hint: with parse: { number: NAME }"),
      ("use -o FILE.cdstore", "use emit: { path: FILE.cdstore }"),
      ("use -o", "use -o"),
      ("", ""),
    ])
  func keys(text: String, expected: String) {
    #expect(Self.names.text(text, of: Self.parse) == expected)
  }

  @Test("options with values that follow each other are one set of keys")
  func together() {
    #expect(
      Self.names.text("use --format=store -o DIRECTORY to write 2 shards", of: Self.emit)
        == "use emit: { format: store, path: DIRECTORY } to write 2 shards")
    // Keys of two stages are not in one mapping.
    #expect(
      Self.names.text("use --number NAME -o FILE", of: nil)
        == "use parse: { number: NAME } emit: { path: FILE }")
  }

  @Test(
    "commands, quoted text, data and unknown options stay",
    arguments: [
      "list them with 'cdpipe parse --formats --number NAME'", "write shards: cdpipe emit --format store",
      "'--number' is a file", "'a --number NAME b' is a label", "list the rows with --rejects FILE",
      "the list's number--format", "a -- b", "--set parse.number=a",
    ])
  func unchanged(text: String) {
    #expect(Self.names.text(text, of: Self.parse) == text)
  }

  @Test("after quoted text, and after the command's name, options are replaced")
  func afterQuotes() {
    #expect(
      Self.names.text("'x y' is not the list's number: add --number NAME", of: nil)
        == "'x y' is not the list's number: add parse: { number: NAME }")
    #expect(Self.names.text("cdpipe parse: below --number", of: nil) == "cdpipe parse: below 'parse.number'")
  }

  @Test("options that stay")
  func kept() {
    let message = UserMessage("bad --strict", hint: "remove --strict or --format")
    #expect(
      Self.names.message(message, of: nil, keeping: ["strict"])
        == UserMessage("bad --strict", hint: "remove --strict or 'parse.format'"))
  }

  @Test("an option parser's messages")
  func parser() {
    #expect(
      KeyNames.message(
        "The value 'best' is invalid for '--keep <which>'. Use one.", aboutKey: "keep", option: "keep")
        == "The value 'best' is invalid for 'keep'. Use one.")
    #expect(
      KeyNames.message(
        "--expect-country must be two letters", aboutKey: "countries", option: "expect-country")
        == "'countries' must be two letters")
    #expect(KeyNames.message("--keep-days is odd", aboutKey: "keep", option: "keep") == "--keep-days is odd")
  }
}
