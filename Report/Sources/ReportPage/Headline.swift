// The first thing on the page: how the list has changed, or why it has not.

import RunReport

/// The figures at the top of a page, with a sentence below.
struct Headline {
  /// A part of the figures, such as `+350`.
  struct Figure {
    var text: String
    /// The CSS class that sets the colour.
    var colour: String
    /// The word that follows in a smaller size; nil for none.
    var unit: String?
  }

  let figures: [Figure]
  /// The figures as words, for screen readers.
  let words: String
  let about: [Text]
  let hasAbout: Bool
  /// What the figures are, if they are not the changes that were made; nil otherwise.
  let caption: String?

  /// A piece of a sentence, or an id that is cut.
  struct Text {
    var text: String
    /// The whole id after the text; nil for none.
    var id: String?
    /// The first digits of the id.
    var short: String

    init(text: String, id: String? = nil) {
      self.text = text
      self.id = id
      short = id.map(Figures.short) ?? ""
    }
  }

  /// The changed numbers: `+350 −12 · 40 relabelled`.
  init(_ numbers: RunReport.Output.Numbers, caption: String? = nil, about: [Text]) {
    let isSame = numbers.added == 0 && numbers.removed == 0 && numbers.relabelled == 0
    figures =
      isSame
      ? [Figure(text: "No number", colour: "soft", unit: "changed")]
      : [
        Figure(text: "+\(Figures.grouped(numbers.added))", colour: "plus"),
        Figure(text: "−\(Figures.grouped(numbers.removed))", colour: "minus"),
        Figure(text: Figures.grouped(numbers.relabelled), colour: "turn", unit: "relabelled"),
      ]
    words =
      isSame
      ? "No number changed."
      : "\(Figures.counted(numbers.added, "number")) added, \(Figures.grouped(numbers.removed)) removed, "
        + "\(Figures.grouped(numbers.relabelled)) relabelled."
    self.caption = caption
    self.about = about
    hasAbout = !about.isEmpty
  }

  /// A count or a word instead of changes.
  init(_ text: String, _ unit: String? = nil, about: [Text]) {
    figures = [Figure(text: text, colour: "plain", unit: unit)]
    words = text + (unit.map { " \($0)" } ?? "") + "."
    caption = nil
    self.about = about
    hasAbout = !about.isEmpty
  }
}

extension Headline {
  /// The headline of a run; nil for a failed run without a result.
  init?(_ report: RunReport) {
    let all = report.callingCodes.map { codes in
      codes.items.reduce(codes.others?.entries ?? 0) { $0 &+ $1.entries }
    }
    let numbers = all.map { Figures.counted($0, "number") }
    let change = report.changes?.numbers ?? report.outputs.lazy.compactMap(\.change?.numbers).first
    if report.status == .failed {
      guard let change = report.changes?.numbers else { return nil }
      self.init(
        change, caption: "The result, which was not published, would have changed the current version by:",
        about: [])
      return
    }
    guard let published = report.published else {
      if let change {
        self.init(change, about: [Text(text: numbers.map { "\($0) were written." } ?? "")])
      } else if let all {
        self.init(Figures.grouped(all), all == 1 ? "number" : "numbers", about: [Text(text: "were written.")])
      } else {
        self.init(
          Figures.grouped(report.rows.written), report.rows.written == 1 ? "record" : "records",
          about: [Text(text: "were written.")])
      }
      return
    }
    let version = Text(text: "version ", id: published.version ?? "")
    let before = published.before.map { Text(text: "", id: $0) }
    switch published.outcome {
    case .published:
      if let before, let change {
        self.init(
          change,
          about: [Text(text: numbers.map { "\($0) in " } ?? "New: ")] + [version]
            + [Text(text: ", which replaces ")] + [before, Text(text: ".")])
      } else {
        let count = all.map(Figures.grouped) ?? "A new version"
        let about = before.map { [Text(text: ", which replaces "), $0, Text(text: ".")] }
        self.init(
          count, all.map { $0 == 1 ? "number" : "numbers" },
          about: [Text(text: before == nil ? "The first version, " : "In ")]
            + [before == nil ? Text(text: "", id: version.id) : version] + (about ?? [Text(text: ".")]))
      }
    case .repaired:
      self.init(
        "Repaired",
        about: [
          Text(text: "The current "), version, Text(text: " was damaged, and has been written again."),
        ])
    case .unchanged:
      self.init(
        "No change", about: [Text(text: "The result equals the current "), version, Text(text: ".")])
    case .withdrawn:
      self.init(
        "Not published",
        about: [
          Text(text: "The result equals "), version, Text(text: ", which was rolled back. Current is "),
        ]
          + (before.map { [$0] } ?? []) + [Text(text: ".")])
    case .nothing: return nil
    }
  }
}
