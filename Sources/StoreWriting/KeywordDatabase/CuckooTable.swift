// The size of the tables in which Apple's programs put the rows of a shard.
//
// Every shard of a database gets the same size, with space for growth: phones fetch the size with the service's
// configuration, and if it changes, all shards have to be processed again. Source of the structure:
// apple/swift-homomorphic-encryption, HashBucket.swift and CuckooTable.swift; of the loads: trials with PIRProcessDatabase
// (docs/operations/live-caller-id.md).

/// A cuckoo table: a number of buckets of a number of bytes.
package struct CuckooTable: Codable, Equatable, Sendable {
  /// The encryption's parameters.
  package static let parameters = "n_4096_logq_27_28_28_logt_5"
  /// The number of buckets that a row may be in.
  package static let hashFunctions = 2
  /// The number of moves after which the program gives up.
  package static let evictionsMax = 100
  /// The bytes of a row in a bucket besides its value: the keyword's hash and the value's length.
  package static let rowBytes = 10
  /// The bytes of a bucket that count its rows.
  private static let countBytes = 1
  /// The bytes of a plaintext: a bucket has a whole number of them.
  private static let plaintextBytes = 2048
  /// The bytes of an answer for each plaintext of a bucket: one ciphertext from each of two tables.
  private static let answerBytesPerPlaintext = 25_200
  /// The maximum number of bytes of a bucket: more than ``rowsInBucketMin`` of the longest values need.
  private static let bucketBytesMax = 1 << 20
  /// The minimum number of rows with the longest value in a bucket. With fewer, most of a table stays empty.
  private static let rowsInBucketMin = 4
  /// The share, in percent, that is added for growth.
  private static let growthPercent = 25

  /// The number of buckets, an even number.
  package private(set) var buckets: Int
  /// The number of bytes of a bucket.
  package private(set) var bucketBytes: Int

  /// A table for the fullest shard, and for growth.
  ///
  /// - Parameters:
  ///   - bytes: the sum of the lengths of the shard's values and of ``rowBytes`` for each.
  ///   - longestValue: the length of the longest value of all shards.
  package init(_ use: LookupUse, bytes: Int, longestValue: Int) {
    let needed = Self.countBytes + Self.rowsInBucketMin * (Self.rowBytes + longestValue)
    bucketBytes = (needed + Self.plaintextBytes - 1) / Self.plaintextBytes * Self.plaintextBytes
    buckets = 0
    buckets = bucketsNeeded(use, bytes + bytes / 100 * Self.growthPercent, longestValue)
  }

  /// The number of bytes of the answer to a query.
  package var answerBytes: Int { bucketBytes / Self.plaintextBytes * Self.answerBytesPerPlaintext }

  /// Whether answers are larger than they are with short values.
  package var hasLargeAnswers: Bool { bucketBytes > Self.plaintextBytes }

  /// Whether the sizes are possible.
  var isValid: Bool {
    (1...Int(Int32.max)).contains(buckets) && (1...Self.bucketBytesMax).contains(bucketBytes)
  }

  /// Whether the table is large enough for a shard.
  package func holds(_ use: LookupUse, bytes: Int, longestValue: Int) -> Bool {
    bucketsNeeded(use, bytes, longestValue) <= buckets
  }

  private func bucketsNeeded(_ use: LookupUse, _ bytes: Int, _ longestValue: Int) -> Int {
    let usable = bucketBytes - Self.countBytes
    let load = Self.load(use, rowsInBucket: usable / (Self.rowBytes + longestValue))
    guard load > 0 else { return .max }
    // Two more, because of rounding; half of them are in each of two tables.
    let filled = (bytes * 100 + usable * load - 1) / (usable * load)
    return (filled + 1) / 2 * 2 + 2
  }

  /// The share of a table's bytes, in percent, that is filled without failing; 0 if a bucket is too small. `rowsInBucket`
  /// is the number of rows with the longest value. Values of many lengths fill a table worse: one move of a short row
  /// makes no space for a long one.
  private static func load(_ use: LookupUse, rowsInBucket: Int) -> Int {
    switch (use, rowsInBucket) {
    case (.block, 8...): 85
    case (.identity, 32...): 70
    case (.identity, 16...): 66
    case (.identity, 8...): 60
    case (.identity, rowsInBucketMin...): 40
    default: 0
    }
  }
}
