// Options in messages are shown as they are typed, or as the keys of pipeline files.

import Records
import Testing

@Suite("Options in messages")
struct OptionTextTests {
  private static let parse = StageName(rawValue: "parse")
  private static let emit = StageName(rawValue: "emit")
  /// Options of two stages; both have `format`.
  private static let keys = OptionKeys { option, stage in
    let keys = [
      parse: ["format": "format", "number": "number", "encoding": "encoding", "strict": "strict"],
      emit: ["format": "format", "output": "path", "o": "path"],
    ]
    for stage in [stage, parse, emit].compactMap({ $0 }) {
      if let key = keys[stage]?[option] { return OptionKeys.Key(stage, key) }
    }
    return nil
  }

  @Test(
    "as they are typed, and as keys",
    arguments: [
      ("add \(option: "number", "NAME")", "add --number NAME", "add parse: { number: NAME }"),
      (
        "check \(option: "format") and \(option: "encoding"); list", "check --format and --encoding; list",
        "check 'parse.format' and 'parse.encoding'; list"
      ),
      ("is it right (\(option: "format"))?", "is it right (--format)?", "is it right ('parse.format')?"),
      (
        "add \(option: "format=", "sqlite") if it is", "add --format=sqlite if it is",
        "add parse: { format: sqlite } if it is"
      ),
      (
        "use \(option: "number", "'a b'"); else not", "use --number 'a b'; else not",
        "use parse: { number: 'a b' }; else not"
      ),
      ("\(option: "format") is first", "--format is first", "'parse.format' is first"),
      ("use \(option: "o", "FILE.cdstore")", "use -o FILE.cdstore", "use emit: { path: FILE.cdstore }"),
      (
        "list the rows with \(option: "rejects", "FILE")", "list the rows with --rejects FILE",
        "list the rows with --rejects FILE"
      ),
      (
        "'--number' is a file, and so is --format", "'--number' is a file, and so is --format",
        "'--number' is a file, and so is --format"
      ),
      (
        "\(quotedOption: "number") needs \(quotedOption: "format", "csv")", "'--number' needs '--format csv'",
        "'parse.number' needs parse: { format: csv }"
      ),
      ("", "", ""),
    ])
  func shown(text: String, typed: String, keys: String) {
    #expect(OptionText.typed(text) == typed)
    #expect(Self.keys.text(text, of: Self.parse) == keys)
  }

  @Test("options with values that follow each other are one set of keys")
  func together() {
    #expect(
      Self.keys.text(
        "use \(option: "format=", "store") \(option: "o", "DIRECTORY") to write 2", of: Self.emit)
        == "use emit: { format: store, path: DIRECTORY } to write 2")
    // Keys of two stages are not in one mapping.
    #expect(
      Self.keys.text("use \(option: "number", "NAME") \(option: "o", "FILE")", of: nil)
        == "use parse: { number: NAME } emit: { path: FILE }")
  }

  @Test("the option whose key a text is about")
  func own() {
    let text = "\(option: "expect-country") must be two letters, with \(option: "format", "NAME")"
    #expect(
      Self.keys.text(text, of: Self.parse, own: ("expect-country", "countries"))
        == "'countries' must be two letters, with parse: { format: NAME }")
    #expect(
      Self.keys.text("\(option: "number") is odd", of: nil, own: ("keep", "keep")) == "'parse.number' is odd")
  }

  @Test("in messages")
  func messages() {
    let message = UserMessage("bad \(option: "strict")", hint: "remove \(option: "strict")")
    #expect(message.message == "bad --strict" && message.hint == "remove --strict")
    #expect(message == UserMessage("bad --strict", hint: "remove --strict"))
    #expect(
      message.prefixed("a: ").mapped { Self.keys.text($0, of: nil) }
        == UserMessage("a: bad 'parse.strict'", hint: "remove 'parse.strict'"))
  }

  @Test("log entries as lines")
  func entries() {
    var entry = LogEntry("parse", "two\u{1B}", hint: "one")
    #expect(entry.line(isColoured: false) == "cdpipe parse: two\u{FFFD}\n  hint: one\n")
    entry.level = .warning
    entry.showsLevel = true
    #expect(entry.message.hasPrefix("warning: two"))
    #expect(entry.line(isColoured: false) == "cdpipe parse: warning: two\u{FFFD}\n  hint: one\n")
    #expect(LogEntry(nil, "more").line(isColoured: true) == "  more\n")
    #expect(LogEntry("", "all").line(isColoured: true) == "cdpipe: all\n")
  }
}
