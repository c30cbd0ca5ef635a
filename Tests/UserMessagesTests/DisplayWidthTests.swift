// Terminal columns of texts, and texts with styles.

import Records
import Testing

@Suite("Display width and styles")
struct DisplayWidthTests {
  @Test(
    "the columns of a text",
    arguments: [
      ("", 0), ("caller", 6), ("é", 1), ("e\u{301}", 1), ("房产中介", 8), ("광고", 4), ("\u{1100}\u{1161}", 2),
      ("ﾃﾚﾋﾞ", 4), ("テレビ", 6), ("１２", 4), ("📞", 2), ("a\u{200B}b", 2), ("ไทย", 3), ("กี่", 1), ("…", 1),
      ("\u{7}", 0),
      ("\u{20000}", 2), ("⌚", 2), ("⌛", 2), ("⌜", 1),
    ])
  func width(text: String, columns: Int) {
    #expect(text.displayWidth == columns)
  }

  @Test("a cut text fills at most the columns and ends in an ellipsis")
  func cut() {
    #expect("caller".cut(toWidth: 6) == "caller")
    #expect("caller".cut(toWidth: 5) == "call…")
    #expect("房产中介".cut(toWidth: 8) == "房产中介")
    #expect("房产中介".cut(toWidth: 7) == "房产中…")
    // The third character would need columns 5 and 6.
    #expect("房产中介".cut(toWidth: 6) == "房产…")
    #expect("房产中介".cut(toWidth: 1) == "…")
    #expect("房产中介".cut(toWidth: 0).isEmpty)
    for width in 0..<12 { #expect("a房e\u{301}产中\u{200B}x介".cut(toWidth: width).displayWidth <= width) }
  }

  @Test("padding counts columns, not characters")
  func padding() {
    #expect("房产".padding(to: 6) + "|" == "房产  |")
    #expect("房产".paddingStart(to: 6) == "  房产")
    #expect("房产".padding(to: 3) == "房产 ")
  }

  @Test("colours are added after control characters were made printable, so that a label can't add its own")
  func styles() {
    let label = "\u{1B}[31mred"
    let text: StyledText = "\("added", .added)\t\(label) \("", .removed)\(12, .heading)"
    #expect(text.plain == "added\t\u{1B}[31mred 12")
    let printable: (String) -> String = { $0.replacing("\u{1B}", with: "?") }
    #expect(text.text(isColoured: false, printable: printable) == "added\t?[31mred 12")
    #expect(
      text.text(isColoured: true, printable: printable)
        == "\u{1B}[32madded\u{1B}[0m\t?[31mred \u{1B}[1m12\u{1B}[0m")
  }
}
