// A preview of one input: what was recognised, with which options `parse` and `normalize` read it best, and what becomes
// of its first rows.
//
// Not for: sentences and tables (UserMessages), or pipeline files (PipelineDraft).

package import InputStages
import NumberPlan
package import RecordStages
package import Records

/// Why an input has no preview.
package enum PreviewError: ErrorCause, Equatable {
  /// No encoding is plausible for the text.
  case unknownEncoding(input: String)
  /// An input that can only be read as a whole is larger than the maximum.
  case databaseTooLarge(input: String, limit: Int64)
  /// The input is empty, or has no rows.
  case noRows(input: String)
  /// The sample is complete, which ends the run that reads it. Not an error.
  case sampleComplete

  /// Bad data, unless it is not an error.
  package var errorClass: ErrorClass { self == .sampleComplete ? .readerGone : .badData }
}

extension Failure {
  /// Whether a run ended because a sample is complete.
  var isSampleComplete: Bool { cause as? PreviewError == .sampleComplete }
}

/// A row of a preview, and what becomes of it.
package struct PreviewRow: Sendable {
  /// What `normalize` makes of a row.
  package enum Outcome: Sendable {
    /// A number: its E.164 digits, and whether it is valid in its country.
    case number(UInt64, isValid: Bool)
    /// Ranges of numbers.
    case ranges([ClosedRange<UInt64>])
    /// No number.
    case reject(NormalizeReject)
  }

  /// The row as `parse` reads it.
  package var row: SampledRow
  /// What `normalize` makes of it.
  package var outcome: Outcome
  /// The two-letter code of the country of the number, or of the first number of a range; nil if it is not valid.
  package var country: String?
}

/// The recognised properties of one input, and its first rows.
package struct InputPreview: Sendable {
  /// The maximum number of rows of a sample.
  package static var rowsMax: Int { SampledRows.rowsMax }

  /// What a preview needs to know.
  package struct Request: Sendable {
    /// The input.
    package var input: Pipeline.Input
    /// The input's name in messages.
    package var name: String
    /// How archives are unpacked.
    package var unzip = UnzipOptions()
    /// What the user chose for parsing; everything else is recognised.
    package var parse = ParseOptions()
    /// What the user chose for normalizing; a region that is not chosen is determined.
    package var normalize = NormalizeOptions()

    /// Makes a request with nothing chosen.
    package init(_ input: Pipeline.Input, name: String) {
      self.input = input
      self.name = name
    }
  }

  /// How many rows the sample has, and what becomes of them.
  package struct Counts: Sendable, Equatable {
    /// All rows.
    package var rows = 0
    /// The rows that `normalize` accepts.
    package var accepted = 0
    /// The accepted rows whose numbers are valid in their country.
    package var valid = 0
    /// The rows that `parse` rejects.
    package var unreadable = 0
  }

  /// The input's name in messages.
  package let name: String
  /// What was unpacked, in order; empty if the input is not packed.
  package let parts: [UnpackedPart]
  /// Whether the sample is the whole input.
  package let isWhole: Bool
  /// The encoding, and how it was recognised.
  package let encoding: EncodingGuess
  /// The format and the fields.
  package let layout: InputLayout
  /// The options that read the input: those that the user chose, and those that were recognised, if they read the same
  /// rows when they are chosen.
  package let parse: ParseOptions
  /// The region of the numbers.
  package let region: RegionChoice
  /// The options that normalize the numbers: those that the user chose, and the region.
  package let normalize: NormalizeOptions
  /// The counts of the sample's rows.
  package let counts: Counts
  /// The rows of the sample, in the order of the input.
  package let rows: [PreviewRow]
  /// The first rows that could not be read.
  package let unreadable: [Reject]

  /// Examines an input. Reads the first part of it only, and writes nothing.
  ///
  /// Throws what a run would throw if the input can't be read, or a ``PreviewError``.
  package init(_ request: Request) throws(Failure) {
    let head = try InputHead(request.input, unzip: request.unzip)
    let first = try head.start(FormatTable.all.signatureBytesMax)
    if let content = FormatTable.all.unreadableContent(first.span) {
      throw Failure(.preview, BinaryInputError(request.name, content))
    }
    name = request.name
    parts = head.parts
    encoding = try Self.encoding(of: head, request)
    isWhole = head.isWhole
    var chosen = request.parse
    if chosen.encoding == nil || chosen.recognisesEncoding { chosen.encoding = encoding.name }
    let encodingName = encoding.name
    let trials = FieldTrials(head, chosen, request, encoding: encodingName)
    let found = try trials.best()
    parse = trials.explicit(found)
    layout = found.sample.layout
    unreadable = found.sample.rejects
    region = found.region
    var normalize = request.normalize
    normalize.region = region.region
    self.normalize = normalize
    let sample = found.sample
    guard sample.rows.count + sample.rejectCount > 0 else {
      throw Failure(.preview, PreviewError.noRows(input: request.name))
    }
    rows = sample.rows.map { PreviewRow($0, normalize) }
    counts = Counts(rows, unreadable: sample.rejectCount)
  }

  /// The encoding of an input: the one that the user chose, or a guess.
  private static func encoding(of head: InputHead, _ request: Request) throws(Failure) -> EncodingGuess {
    if let chosen = request.parse.encoding, !request.parse.recognisesEncoding {
      return EncodingGuess(.chosen, name: chosen)
    }
    let start = try head.start(EncodingGuess.bytesMax)
    let guess = EncodingGuess(start.span, isWhole: head.isWhole)
    if guess.basis == .unknown {
      throw Failure(.preview, PreviewError.unknownEncoding(input: request.name))
    }
    if !head.isWhole, head.size >= InputHead.databaseBytesMax {
      throw Failure(
        .preview, PreviewError.databaseTooLarge(input: request.name, limit: InputHead.databaseBytesMax))
    }
    return guess
  }
}

extension InputPreview.Counts {
  init(_ rows: [PreviewRow], unreadable: Int) {
    self.unreadable = unreadable
    self.rows = rows.count + unreadable
    for row in rows {
      if case .reject = row.outcome { continue }
      accepted += 1
      if row.country != nil { valid += 1 }
    }
  }
}

extension PreviewRow {
  init(_ row: SampledRow, _ options: NormalizeOptions) {
    self.row = row
    switch NumberExplanation(row.text.span, options: options).outcome {
    case .number(let number, _, _):
      country = NumberPlan.region(ofDigits: number)?.code
      outcome = .number(number, isValid: country != nil)
    case .ranges(let ranges):
      country = ranges.first.flatMap { NumberPlan.region(ofDigits: $0.lowerBound)?.code }
      outcome = .ranges(ranges)
    case .reject(let reason): outcome = .reject(reason)
    }
  }
}
