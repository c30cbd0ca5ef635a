// Rejects in sentences.

import CallRecord
import DedupeStage
import NormalizeStage
import ParseStage
import PipeRunner
import PipeStage

enum RejectMessages {
  /// `cdpipe parse: list.json:1042 (byte 40213): a string runs into the end of its line: {"86…`
  static func line(_ reject: Reject) -> String {
    "cdpipe \(reject.stage.rawValue): \(place(reject.place)): \(reason(reject)): \(quoted(reject.text))"
  }

  static func place(_ place: InputLocation) -> String {
    switch place {
    case .row(let row): "row \(row)"
    case .line(let line, let byte, let input):
      "\(input == "-" ? "standard input" : printable(input)):\(line) (byte \(byte))"
    }
  }

  /// Whether it is a row of a database, or of text that was read before.
  private static func isRow(_ place: InputLocation) -> Bool { if case .row = place { true } else { false } }

  /// How many of a stage's rows were rejected.
  struct Account {
    var stage: StageName
    var rejects: UInt64
    var rows: UInt64

    init(stage: StageName, rejects: UInt64, rows: UInt64) {
      self.stage = stage
      self.rejects = rejects
      self.rows = max(rows, rejects)
    }

    init(_ stage: StageCounters) {
      let meter = stage.meter
      self.init(stage: meter.stage, rejects: meter.rejects.value, rows: meter.rowsIn.value)
    }
  }

  /// What a run says of each stage's rejects at its end.
  static func totals(_ accounts: [Account], shown: UInt64, path: String?) -> [String] {
    var lines: [String] = []
    for account in accounts where account.rejects > 0 {
      lines.append(
        "cdpipe \(account.stage.rawValue): rejected \(Figures.grouped(account.rejects)) of "
          + "\(Figures.grouped(account.rows)) rows")
    }
    if !lines.isEmpty {
      if let path {
        lines.append("  all of them are in '\(printable(path))'")
      } else if accounts.reduce(0, { $0 + $1.rejects }) > shown {
        lines.append("  hint: --rejects FILE keeps all of them")
      }
    }
    return lines
  }

  /// What to do about rows that are no UTF-8.
  static let encodingHint =
    "  hint: not UTF-8: --encoding NAME says how the input is written (GB18030, EUC-KR, ISO-8859-1 …)"

  static func untilThen(_ count: UInt64) -> String {
    "  \(Figures.grouped(count)) rows were rejected until then"
  }

  static func sentence(_ failure: RejectLimitError, of stage: StageName?) -> UserMessage {
    switch failure {
    case .strict(let reject):
      UserMessage(
        "\(place(reject.place)): \(reason(reject)): \(quoted(reject.text))",
        hint: reject.reason as? ParseReject == .invalidUTF8 && !isRow(reject.place)
          ? "--encoding NAME says how the input is written; without --strict the row is left out"
          : "without --strict the row is left out and the rest go on")
    case .tooMany(let count, let all, let limit):
      switch limit {
      case .count(let most):
        UserMessage("more than \(Figures.grouped(most)) rows were rejected (--max-rejects \(most))")
      case .percent(let most):
        UserMessage(
          "\(Figures.grouped(count)) of \(Figures.grouped(all)) rows were rejected, more than "
            + "--max-rejects \(Figures.plain(most))% allows")
      }
    case .nothingUsable(let count, let source):
      UserMessage(
        "nothing usable\(source.isEmpty ? "" : " in source '\(source)'"): "
          + (count == 1 ? "the one row was rejected" : "all \(Figures.grouped(count)) rows were rejected"),
        hint: stage == .parse
          ? "--format and --encoding say how the input is to be read; --rejects FILE keeps the rows with their reasons"
          : "--rejects FILE keeps them with their reasons")
    }
  }

  /// The beginning of a rejected text, printable, in one line.
  static func quoted(_ text: [UInt8]) -> String {
    let all = String(decoding: text, as: UTF8.self)
    return
      "'\(printable(String(String.UnicodeScalarView(all.unicodeScalars.prefix(60)))))\(all.unicodeScalars.count > 60 ? "…" : "")'"
  }

  /// Lines without what moves a terminal's cursor or turns the direction of writing.
  static func printableLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }.joined(
      separator: "\n")
  }

  /// A text without what moves a terminal's cursor or turns the direction of writing, in one line.
  static func printable(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069:
        shown += "\u{FFFD}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  static func reason(_ reject: Reject) -> String {
    switch reject.reason {
    case let reason as ParseReject: ParseMessages.reason(reason)
    case let reason as NormalizeReject: reasons(reason)
    case let reason as TextFormReject: reasons(reason)
    case DedupeReject.labelTooLong: "with its new label the record is too long"
    case let reason as MessageReject: MessageInputMessages.reason(reason)
    default: reject.reason.code
    }
  }

  static func reasons(_ reason: NormalizeReject) -> String {
    switch reason {
    case .notANumber: "no phone number"
    case .invalidCountryCode: "nobody has that country code"
    case .tooShort: "too short"
    case .tooLong: "too long"
    case .invalidLength: "no number of that country has so many digits"
    case .notValid: "not assigned in that country's numbering plan"
    case .badPattern: "the pattern's numbers are not one range"
    }
  }

  static func reasons(_ reason: TextFormReject) -> String {
    switch reason {
    case .notANumber: "the line does not start with a number of 1 to 15 digits"
    case .notARange: "no number, or a lower one, behind '..'"
    case .lineTooLong: "the line is too long"
    case .badEscape: "a backslash that starts none of \\\\ \\t \\n \\r"
    case .badFields(let defect):
      switch defect {
      case .tooLong: "the label is too long"
      case .notUTF8: "the label is not UTF-8"
      case .sourceNotUTF8: "the source is not UTF-8"
      case .badEscape: "a backslash that starts none of \\\\ \\t \\n \\r"
      case .tooManyFields(let count): "\(count) fields behind the number, and three is the most"
      case .badScore: "the score is not an integer"
      case .strayCarriageReturn: "a carriage return; lines end in a line feed alone"
      }
    }
  }
}
