// What a service answers for the fields of a record: the identity that phones show, and whether they block the call.

import Records
import StoreWriting

/// The answers for record fields.
final class CallerAnswers {
  /// What the rows of some record fields have in common.
  struct Answer {
    /// The field with the identity; nil for a number without a label.
    var identity: [UInt8]?
    /// Whether the number is blocked.
    var isBlocked: Bool
  }

  /// The maximum number of labels whose answers are kept.
  private static let knownMax = 4096

  private let blockGlobs: [LabelGlob]
  private let categories: [(glob: LabelGlob, category: CallIdentity.Category)]
  private let cacheMinutes: UInt32
  private var known: [String: Answer] = [:]

  init(_ options: EmitOptions) {
    blockGlobs = options.blockGlobs.map(LabelGlob.init)
    categories = options.lookup.categories.map {
      (LabelGlob($0.glob), $0.category == .person ? .person : .business)
    }
    cacheMinutes = options.lookup.cacheMinutes
  }

  /// The answer for the fields of a record. As in stores, a number without a label is only blocked.
  func answer(_ fields: RecordFields.Fields) -> Answer {
    let label = fields.label
    if label.isEmpty { return Answer(identity: nil, isBlocked: true) }
    if let answer = known[label] { return answer }
    let category = categories.first { $0.glob.matches(label) }?.category ?? .unspecified
    let identity = CallIdentity(name: label, cacheMinutes: cacheMinutes, category: category)
    let answer = Answer(
      identity: KeywordRow.field(value: identity.value), isBlocked: blockGlobs.contains { $0.matches(label) })
    if known.count < Self.knownMax { known[label] = answer }
    return answer
  }
}
