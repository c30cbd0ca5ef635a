// The preview of an input as JSON.

import Records
import RecordStages
import NumberPlan
import InputStages

/// The JSON form of a preview.
package struct PreviewDescription: Encodable {
  fileprivate struct Encoding: Encodable {
    var name: String
    var basis: String
  }

  fileprivate struct Fields: Encodable {
    var all: [String]
    var number: String?
    var numbers: [String]?
    var label: String?
    var labels: [String]?
    var source: String?
    var score: String?
  }

  fileprivate struct RegionFit: Encodable {
    var code: String
    var share: Double
  }

  fileprivate struct Region: Encodable {
    var code: String?
    var certainty: String
    var candidates: [RegionFit]
    var numbersTried: Int
  }

  fileprivate struct Counts: Encodable {
    var rows: Int
    var valid: Int
    var accepted: Int
    var rejected: Int
  }

  fileprivate struct ShownRow: Encodable {
    var text: String
    var number: UInt64?
    var ranges: [String]?
    var reject: String?
    var country: String?
    var label: String?
    var source: String?
    var score: Int64?
  }

  private var input: String
  private var members: [String]
  private var format: String
  private var separator: String?
  private var header: Bool?
  private var rowsArePairs: Bool
  private var encoding: Encoding
  private var fields: Fields
  private var region: Region
  private var counts: Counts
  private var isWhole: Bool
  private var rows: [ShownRow]

  /// Describes a preview with its first rows.
  package init(_ preview: InputPreview, rows count: Int) {
    let layout = preview.layout
    input = preview.name
    members = preview.parts.compactMap { if case .member(let name) = $0 { name } else { nil } }
    format = layout.format.rawValue
    separator = layout.separator.map { String(Character(Unicode.Scalar($0))) }
    header = layout.hasHeader
    rowsArePairs = layout.rowsArePairs
    encoding = Encoding(
      name: preview.encoding.name ?? layout.encoding ?? "UTF-8", basis: "\(preview.encoding.basis)")
    fields = Fields(
      all: layout.fields, number: layout.number, numbers: layout.numbers.isEmpty ? nil : layout.numbers,
      label: layout.label, labels: layout.labels.isEmpty ? nil : layout.labels, source: layout.source,
      score: layout.score)
    region = Region(
      code: preview.region.region?.code, certainty: "\(preview.region.certainty)",
      candidates: preview.region.candidates.map {
        RegionFit(code: $0.region.code, share: ($0.share * 1000).rounded() / 1000)
      }, numbersTried: preview.region.triedCount)
    counts = Counts(
      rows: preview.counts.rows, valid: preview.counts.valid, accepted: preview.counts.accepted,
      rejected: preview.counts.rows - preview.counts.accepted)
    isWhole = preview.isWhole
    rows = preview.rows.prefix(count).map { ShownRow($0) }
  }
}

extension PreviewDescription.ShownRow {
  fileprivate init(_ row: PreviewRow) {
    text = String(decoding: row.row.text, as: UTF8.self)
    country = row.country
    label = row.row.fields.label.isEmpty ? nil : row.row.fields.label
    source = row.row.fields.source.isEmpty ? nil : row.row.fields.source
    score = row.row.fields.score
    switch row.outcome {
    case .number(let value, _): number = value
    case .ranges(let found): ranges = found.map { "\($0.lowerBound)..\($0.upperBound)" }
    case .reject(let reason): reject = reason.code
    }
  }
}
