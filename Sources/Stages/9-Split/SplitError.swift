// Why a list could not be sampled or split.

package import Records

/// Why a list could not be sampled or split. Lines are counted from 1.
package enum SplitError: ErrorCause, Equatable {
  /// A record starts below the one before it.
  case notSorted(list: String, line: UInt64, previous: UInt64, number: UInt64)
  /// A line is not a record.
  case notARecord(list: String, line: UInt64, TextFormReject, text: [UInt8])
  /// There is no record at a byte offset of a list that was not read from the start.
  case notARecordAt(list: String, byte: UInt64)
  /// A cut is inside a range of the list, whose records would be in two parts.
  case cutInRange(list: String, line: UInt64, range: ClosedRange<UInt64>, cut: UInt64)
  /// A cut is inside the covered numbers of a sample.
  case cutInSample(sample: String, covered: ClosedRange<UInt64>, cut: UInt64)
  /// A line of a file of cuts is not a number.
  case cutNotANumber(file: String, line: UInt64, text: [UInt8])
  /// A cut is not above the one before it.
  case cutNotAscending(file: String, line: UInt64, previous: UInt64, cut: UInt64)
  /// More cuts than there may be parts.
  case tooManyCuts(file: String, limit: Int)
  /// A file is not a sample.
  case notASample(file: String)
  /// A sample of a version that this program does not read.
  case unknownSampleVersion(file: String)
  /// A line of a sample is invalid, or the sample ends before it.
  case damagedSample(file: String, line: UInt64)
  /// A file has several samples where that of one list is needed.
  case severalSamples(file: String)
  /// A list has another size than the list of its sample.
  case otherSample(sample: String, list: String)
  /// A list that must be a file, because it is read twice or not from the start.
  case needsFile(list: String)
  /// The directory for the parts contains another file.
  case foreignFile(directory: String, name: String)
  /// The directory for the parts, which would be replaced, is or contains the working directory.
  case workingDirectory(directory: String)
  /// The list is in the directory for its parts, which would be replaced.
  case listInside(directory: String, list: String)

  /// Bad data, a usage error, or an output that can't be created.
  package var errorClass: ErrorClass {
    switch self {
    case .needsFile, .listInside, .workingDirectory: .usage
    case .foreignFile: .cannotCreate
    default: .badData
    }
  }
}
