// The first rows of an input, as `parse` reads them, and the options with which a pipeline file reads it in the same way.

import InputStages
import RecordStages
package import Records

/// A field with the dates of an input's rows.
package struct DateColumn: Sendable, Equatable {
  package var field: String
  /// The first and the last day; nil if its dates don't show how they are written.
  package var days: ClosedRange<CalendarDay>?
}

/// A trial: the options, the rows that they find, and the region that fits these best.
struct InputTrial {
  private let head: InputHead
  private let name: String
  private let options: ParseOptions
  let sample: SampledRows
  let region: RegionChoice

  init(
    _ head: InputHead, _ options: ParseOptions, _ request: InputPreview.Request, encoding: String?
  ) throws(Failure) {
    self.head = head
    self.options = options
    name = request.name
    sample = try SampledRows(head, options, name: request.name)
    region =
      if let chosen = request.normalize.region {
        RegionChoice(sample.rows, chosen: chosen)
      } else {
        RegionChoice(sample.rows, fields: sample.layout.fields, encoding: encoding)
      }
  }

  /// Whether the sample is the whole input.
  private var isWhole: Bool { head.isWhole && sample.rows.count < SampledRows.rowsMax }

  /// The options with what was recognised, as far as the same rows are read when it is chosen: the format, then the
  /// table's separator and header, then the fields.
  ///
  /// Fields are not chosen if later rows may lack them, or if `parse` warns about them: a run reads what `parse` reads,
  /// with its messages.
  var explicitOptions: ParseOptions {
    let layout = sample.layout
    // Quotes are text in a table with tabs only if the format is chosen.
    let isQuotable = layout.format == .tsv && options.format == .auto
    var steps: [(inout ParseOptions) -> Void] = isQuotable ? [] : [{ $0.format = layout.format }]
    if layout.format.hasHeader {
      steps.append { options in
        if layout.format == .csv { options.separator = layout.separator }
        if layout.hasHeader == false { options.header = .no }
      }
    }
    // Other formats have names of their own. If there are several fields of numbers, `parse` has to find them.
    let hasFields = layout.format.hasColumns || (layout.format.hasObjects && !layout.rowsArePairs)
    if hasFields, layout.numbers.isEmpty, isWhole, sample.notices.allSatisfy(\.warnings.isEmpty) {
      steps.append { $0.choose(layout) }
    }
    var chosen = options
    for step in steps {
      var options = chosen
      step(&options)
      if options != chosen, reads(options) { chosen = options }
    }
    return chosen
  }

  /// The field with a common name for dates that most rows have a date in; nil if there is none, or one was chosen.
  var dates: DateColumn? {
    let layout = sample.layout
    guard layout.date == nil else { return nil }
    for field in layout.times {
      var dated = options
      // In JSON, fields can't be chosen alone.
      if layout.format.hasObjects { dated.choose(layout) }
      dated.dateField = .name(field)
      dated.dates.keepsUndated = true
      do throws(Failure) {
        let days = try SampledRows(head, dated, name: name).rows.compactMap(\.fields.day)
        guard let first = days.min(), let last = days.max(), 2 * days.count >= sample.rows.count else {
          continue
        }
        return DateColumn(field: field, days: first...last)
      } catch {
        if error.code == Failure.ambiguousDates { return DateColumn(field: field) }
      }
    }
    return nil
  }

  private func reads(_ options: ParseOptions) -> Bool {
    guard let other = try? SampledRows(head, options, name: name) else { return false }
    return other.rejectCount == sample.rejectCount && other.rows.count == sample.rows.count
      && zip(other.rows, sample.rows).allSatisfy { $0.text == $1.text && $0.fields == $1.fields }
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
    dateField = chosen(dateField, layout.date)
    lastField = chosen(lastField, layout.last)
    countryField = chosen(countryField, layout.country)
  }
}
