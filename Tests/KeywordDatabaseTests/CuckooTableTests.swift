// The size of the tables in which Apple's program puts the rows of a shard.

import StoreWriting
import TestSupport
import Testing

@Suite("Cuckoo tables")
struct CuckooTableTests {
  @Test("a table holds its shard and a fifth more, but not twice as much", .seeded)
  func growth() {
    var random = SplitMix64(test: "growth")
    for use in CallerIDUse.allCases {
      for _ in 0..<500 {
        let longest = Int.random(in: 1...(use == .block ? 1 : 33_000), using: &random)
        let bytes = Int.random(in: 100_000...50_000_000, using: &random)
        let table = CuckooTable(use, bytes: bytes, longestValue: longest)
        #expect(table.holds(use, bytes: bytes, longestValue: longest))
        #expect(table.holds(use, bytes: bytes / 5 * 6, longestValue: longest))
        #expect(!table.holds(use, bytes: 2 * bytes, longestValue: longest))
        #expect(table.buckets % 2 == 0, "half of them are in each of two tables")
        // A bucket is a count, and four rows of a hash, a length and the longest value at least.
        #expect(table.bucketBytes % 2048 == 0 && table.bucketBytes >= 1 + 4 * (8 + 2 + longest))
        #expect(table.bucketBytes < 1 + 4 * (8 + 2 + longest) + 2048)
      }
    }
  }

  @Test("a value that is too long for four rows in a bucket needs another table")
  func longValues() {
    let table = CuckooTable(.identity, bytes: 400_000, longestValue: 20)
    #expect(table.bucketBytes == 2048 && table.holds(.identity, bytes: 100_000, longestValue: 501))
    #expect(!table.holds(.identity, bytes: 1000, longestValue: 502))
  }

  /// Trials with PIRProcessDatabase: 16,384 rows of values of 20 bytes need 490 buckets of 1,024 bytes, 98 % full.
  @Test("at most 70 % of the bytes of a table are filled, 85 % with values of one length")
  func load() {
    let names = CuckooTable(.identity, bytes: 16_384 * 30, longestValue: 20)
    #expect(names.bucketBytes * names.buckets * 70 / 100 >= 16_384 * 30)
    let numbers = CuckooTable(.block, bytes: 16_384 * 11, longestValue: 1)
    #expect(numbers.bucketBytes * numbers.buckets * 85 / 100 >= 16_384 * 11)
  }
}
