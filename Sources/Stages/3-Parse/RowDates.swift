// The dates of an input's rows: how they are written, the day that each row gets, and which rows are kept.

package import Records

/// Which rows are kept by their dates.
package struct DateOptions: Sendable, Equatable {
  /// How dates are written; nil to decide it for each input by its start.
  package var format: DateFormat?
  /// The first and the last day that are kept; nil for any.
  package var since: CalendarDay?
  package var until: CalendarDay?
  /// The maximum age in days; nil for any.
  package var maxAge: Int?
  /// The day on which rows have an age of 0; nil for the run's.
  package var now: CalendarDay?
  /// Whether rows without a date, or with one that can't be read, are kept.
  package var keepsUndated = false

  package init() {}

  /// Whether rows may be left out.
  var isSelection: Bool { since != nil || until != nil || maxAge != nil }

  /// The day from which ages are counted; nil if there is no maximum age.
  package var agesFrom: CalendarDay? { maxAge == nil ? nil : now ?? .ofRun }

  /// The first day that is kept; nil for any.
  var first: CalendarDay? {
    guard let maxAge, let agesFrom else { return since }
    let first = CalendarDay(number: Int(agesFrom.number) - maxAge)
    return [since, first].compactMap(\.self).max()
  }

  /// The last day that is kept: with a maximum age, not after the day from which ages are counted, so that a run can be
  /// repeated with a list that has grown.
  var last: CalendarDay? { [until, agesFrom].compactMap(\.self).min() }
}

/// The dates of an input's rows.
struct RowDates {
  enum Verdict {
    /// The row is kept; its day if it has one.
    case kept(CalendarDay?)
    case leftOut
  }

  /// The rows that are not counted yet: those that are left out, and those that are kept without a date.
  struct Uncounted {
    fileprivate(set) var tooOld = 0
    fileprivate(set) var tooNew = 0
    fileprivate(set) var undated = 0
  }

  /// The reasons for which rows are left out.
  static let tooOld = "too-old"
  static let tooNew = "too-new"

  private let options: DateOptions
  private let first: CalendarDay?
  private let last: CalendarDay?
  /// Whether the user chose the field: a row without a date is then a reject.
  private let isChosen: Bool
  /// How dates with several readings are written; nil if that is not known.
  private(set) var format: DateFormat?
  var uncounted = Uncounted()
  /// The day that was read last from a plain date, and its text.
  private var recentDay: CalendarDay?
  private var recentWords: (UInt64, UInt64) = (0, 0)
  /// What the dates can be, while the input's start is examined for that, and of an input whose start is not; nil otherwise.
  private(set) var probe: DateProbe?

  init(_ options: ParseOptions) {
    self.options = options.dates
    first = options.dates.first
    last = options.dates.last
    isChosen = options.dateField?.isName ?? false
    format = options.dates.format
  }

  /// Whether the input's start has to be examined for how its dates are written.
  var needsProbe: Bool { isChosen && options.format == nil && probe == nil }

  /// Starts another input whose dates are written in this format, or in one that is not known. `isExamined`: its start shows
  /// whether one is needed.
  mutating func begin(_ format: DateFormat?, isExamined: Bool) {
    self.format = options.format ?? format
    probe = isChosen && options.format == nil && !isExamined ? DateProbe() : nil
  }

  mutating func beginProbe() { probe = DateProbe() }

  /// Decides on a row by the text of its date; throws if there is none, or none that can be read.
  mutating func verdict(on text: Span<UInt8>) throws(ParseReject) -> Verdict {
    if !isChosen, text.isEmpty { return .kept(nil) }
    let reading = DayReader.read(text, format, isDecided: options.format == nil)
    probe?.add(reading)
    switch reading {
    case .day(let day), .unclear(let day?, nil), .unclear(nil, let day?): return verdict(on: day)
    case .unclear, .unclearNumber: throw .ambiguousDate
    case .invalid:
      guard options.keepsUndated else { throw text.isEmpty ? .missingDate : .badDate }
      uncounted.undated += 1
      return .kept(nil)
    }
  }

  /// Throws at the end of an input whose start was not examined if it has dates with several readings.
  func checkEnd(field: String, input: String) throws(Failure) {
    try probe?.checkEnd(field: field, input: input)
  }

  /// Decides on a row whose date is ISO 8601's without a zone; nil for any other.
  @inline(__always)
  mutating func plainVerdict(on text: Span<UInt8>) -> Verdict? {
    guard DayReader.isPlain(text) else { return nil }
    let raw = unsafe text.bytes
    let words = (WordScan.word(raw, 0), WordScan.word(raw, CalendarDay.textBytes - 8))
    // The rows of a day often follow one another.
    let day: CalendarDay
    if let recentDay, words == recentWords {
      day = recentDay
    } else {
      guard let read = CalendarDay(text.extracting(0..<CalendarDay.textBytes)) else { return nil }
      day = read
      (recentDay, recentWords) = (day, words)
    }
    probe?.add(.day(day))
    return verdict(on: day)
  }

  private mutating func verdict(on day: CalendarDay) -> Verdict {
    if let first, day < first {
      uncounted.tooOld += 1
      return .leftOut
    }
    if let last, day > last {
      uncounted.tooNew += 1
      return .leftOut
    }
    return .kept(day)
  }
}

/// What the dates of an input's start can be.
struct DateProbe {
  /// The dates that have only one reading, and those that have one only if the day, or the month, comes first.
  private var days = 0
  private var dayFirst = 0
  private var monthFirst = 0
  /// The dates that have several readings, and the numbers.
  private var unclear = 0
  private var numbers = 0

  mutating func add(_ reading: DateReading) {
    switch reading {
    case .day: days += 1
    case .unclear(.some, nil): dayFirst += 1
    case .unclear(nil, .some): monthFirst += 1
    case .unclear: unclear += 1
    case .unclearNumber: numbers += 1
    case .invalid: break
    }
  }

  /// Throws if dates have several readings, and none of them decides which.
  fileprivate func checkEnd(field: String, input: String) throws(Failure) {
    if unclear > 0 { throw .ambiguousDates(field, input) }
    if numbers > days { throw .numberedDates(field, input) }
  }

  /// The format that the dates decide; nil if they don't need one. Throws if they need one and don't decide it.
  func format(field: String, input: String) throws(Failure) -> DateFormat? {
    if dayFirst > 0, monthFirst > 0 { throw .mixedDates(field, input) }
    if dayFirst > 0 { return .dayFirst }
    if monthFirst > 0 { return .monthFirst }
    try checkEnd(field: field, input: input)
    return nil
  }
}

extension Failure {
  /// The code of an input whose dates don't show how they are written.
  package static let ambiguousDates = "ambiguous-dates"

  private static func dates(_ field: String, _ input: String, _ what: String, _ formats: String)
    -> Failure
  {
    parse(
      ambiguousDates, "\(InputName.quoted(input)): the dates in '\(PrintableText.line(field))' \(what)",
      hint: "say how they are written with \(option: "date-format"): \(formats)")
  }

  fileprivate static func ambiguousDates(_ field: String, _ input: String) -> Failure {
    dates(field, input, "can be read in several ways", "dmy, mdy or ymd")
  }

  fileprivate static func mixedDates(_ field: String, _ input: String) -> Failure {
    dates(
      field, input, "have the day first in some rows, and the month in others",
      "dmy or mdy; the others are then rejects")
  }

  fileprivate static func numberedDates(_ field: String, _ input: String) -> Failure {
    dates(field, input, "are numbers that can be times of several kinds", "epoch, epoch-ms or excel")
  }
}
