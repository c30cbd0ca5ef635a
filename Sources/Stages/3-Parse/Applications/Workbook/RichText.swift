// The text of a cell or of a shared string, which may consist of runs with different fonts. The runs are joined; phonetic
// guides are left out.
//
// Sources: ISO/IEC 29500-1, 18.4.8 (texts), 18.4.4 (runs), 18.4.6 (phonetic runs).

import SystemIO

/// Receives the text of `t` elements: those of runs are joined, and those of phonetic guides left out.
struct RichText {
  /// The text so far, with its escapes; cut after the first byte beyond the limit, which makes the row a reject.
  private var text: ContiguousArray<UInt8> = []
  /// Whether a part of the text is an entity that is not known.
  private(set) var hasUnknownEntity = false

  private let bytesMax: Int
  private var phoneticDepth = 0
  private var isInText = false
  private var keepsSpace = false
  private var runStart = 0

  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// The text without escapes; a text that was cut is left as it is, and so stays too long.
  var unescaped: ContiguousArray<UInt8> {
    var result = text
    if !isCut { WorkbookText.unescape(&result) }
    return result
  }

  private var isCut: Bool { text.count > bytesMax }

  /// Starts another text.
  mutating func removeAll() {
    text.removeAll(keepingCapacity: true)
    hasUnknownEntity = false
    phoneticDepth = 0
    isInText = false
  }

  mutating func start(_ name: Span<UInt8>, _ attributes: borrowing XMLAttributes) {
    if name.equals("rPh") { phoneticDepth += 1 }
    guard name.equals("t"), phoneticDepth == 0 else { return }
    isInText = true
    keepsSpace = attributes.value(of: "space", ignoringPrefix: true).span.equals("preserve")
    runStart = text.count
  }

  mutating func end(_ name: Span<UInt8>) {
    if name.equals("rPh") { phoneticDepth -= 1 }
    guard isInText, name.equals("t") else { return }
    isInText = false
    if !keepsSpace, !isCut {
      let run = ContiguousArray(text[runStart...])
      text.removeSubrange(runStart...)
      text.append(copying: WorkbookText.trimmed(run.span))
    }
  }

  mutating func add(_ bytes: Span<UInt8>) {
    guard isInText, text.count <= bytesMax else { return }
    text.append(copying: bytes.extracting(first: bytesMax + 1 - text.count))
  }

  mutating func noteUnknownEntity() {
    if isInText { hasUnknownEntity = true }
  }
}
