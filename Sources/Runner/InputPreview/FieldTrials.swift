// Finds the fields of an input whose numbers `parse` does not find by itself: every field is tried as the number, and
// the one with the most valid numbers is used.

import InputStages
import RecordStages
import Records

struct FieldTrials {
  /// A trial: the options, the rows that they find, and the region that fits these best.
  struct Trial {
    var options: ParseOptions
    var sample: SampledRows
    var region: RegionChoice

    /// The share of all rows whose numbers fit the region, 0 to 1.
    var share: Double {
      let count = sample.rows.count + sample.rejectCount
      if count == 0 { return 0 }
      let ofRead = Double(sample.rows.count) / Double(count)
      switch region.certainty {
      case .international: return ofRead
      case .chosen, .clear, .probable, .undecided: return ofRead * (region.candidates.first?.share ?? 0)
      }
    }
  }

  private let head: InputHead
  private let options: ParseOptions
  private let request: InputPreview.Request
  private let encoding: String?

  private static let rowsMax = 200
  private static let fieldsMax = 24
  /// Other fields are tried if less than this share of the rows has valid numbers, and used if the share grows by
  /// at least the lead.
  private static let shareMin = 0.5
  private static let lead = 0.2

  init(_ head: InputHead, _ options: ParseOptions, _ request: InputPreview.Request, encoding: String?) {
    self.head = head
    self.options = options
    self.request = request
    self.encoding = encoding
  }

  /// The trial with the fields that `parse` finds, or the best one with another number.
  func best() throws(Failure) -> Trial {
    let first = try trial(options)
    guard options.numberField == nil, options.query == nil, first.share < Self.shareMin,
      first.sample.layout.numbers.isEmpty
    else { return first }
    var best: (share: Double, options: ParseOptions)?
    for field in first.sample.layout.fields.prefix(Self.fieldsMax) where field != first.sample.layout.number {
      var options = options
      options.numberField = .name(field)
      // A field that some rows lack, or whose values are not texts, is not the number.
      guard let other = try? trial(options, rowsMax: Self.rowsMax), !other.sample.rows.isEmpty else {
        continue
      }
      if other.share >= Self.shareMin, other.share >= first.share + Self.lead, other.share > best?.share ?? 0
      {
        best = (other.share, options)
      }
    }
    guard var found = best?.options, case .name(let number)? = found.numberField else { return first }
    if found.labelField == nil {
      found.labelField = label(first.sample.layout, number, found).map { .name($0) }
    }
    return try trial(found)
  }

  /// The options of a trial with what was recognised, as far as the same rows are read when it is chosen: the format,
  /// then the table's separator and header, then the fields.
  func explicit(_ trial: Trial) -> ParseOptions {
    let layout = trial.sample.layout
    var steps: [(inout ParseOptions) -> Void] = [{ $0.format = layout.format }]
    if layout.format.hasHeader {
      steps.append { options in
        if layout.format == .csv { options.separator = layout.separator }
        if layout.hasHeader == false { options.header = .no }
      }
    }
    // Other formats have names of their own. If there are several fields of numbers, `parse` has to find them.
    let hasFields =
      layout.format.hasColumns || (layout.format == .json && !layout.rowsArePairs)
    if hasFields, layout.numbers.isEmpty { steps.append { $0.choose(layout) } }
    var chosen = trial.options
    for step in steps {
      var options = chosen
      step(&options)
      if options != chosen, reads(options, like: trial.sample) { chosen = options }
    }
    return chosen
  }

  private func reads(_ options: ParseOptions, like sample: SampledRows) -> Bool {
    guard let other = try? SampledRows(head, options, name: request.name) else { return false }
    return other.rejectCount == sample.rejectCount && other.rows.count == sample.rows.count
      && zip(other.rows, sample.rows).allSatisfy { $0.text == $1.text && $0.fields == $1.fields }
  }

  private func trial(_ options: ParseOptions, rowsMax: Int = SampledRows.rowsMax) throws(Failure) -> Trial {
    let sample = try SampledRows(head, options, name: request.name, rowsMax: rowsMax)
    let region =
      if let chosen = request.normalize.region {
        RegionChoice(sample.rows, chosen: chosen)
      } else {
        RegionChoice(sample.rows, fields: sample.layout.fields, encoding: encoding)
      }
    return Trial(options: options, sample: sample, region: region)
  }

  /// The field of the label next to a number that was found: one with a common name, else the first with words that
  /// repeat, else the first with words.
  private func label(_ layout: InputLayout, _ number: String, _ options: ParseOptions) -> String? {
    if let common = layout.commonLabel(except: number) { return common }
    var withWords: String?
    for field in layout.fields.prefix(Self.fieldsMax) where field != number {
      var options = options
      options.labelField = .name(field)
      guard let sample = try? SampledRows(head, options, name: request.name, rowsMax: Self.rowsMax) else {
        continue
      }
      let words = sample.rows.map(\.fields.label).filter { $0.contains { $0.isLetter } }
      guard 2 * words.count > sample.rows.count else { continue }
      let distinct = Set(words).count
      if distinct > 1, 2 * distinct <= words.count { return field }
      withWords = withWords ?? field
    }
    return withWords
  }
}

extension ParseOptions {
  fileprivate mutating func choose(_ layout: InputLayout) {
    func chosen(_ field: FieldSelector?, _ found: String?) -> FieldSelector? {
      field ?? found.map { FieldSelector($0) }
    }
    numberField = chosen(numberField, layout.number)
    labelField = chosen(labelField, layout.label)
    sourceField = chosen(sourceField, layout.source)
    scoreField = chosen(scoreField, layout.score)
    lastField = chosen(lastField, layout.last)
  }
}
