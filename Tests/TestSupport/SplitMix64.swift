// Reproducible random numbers: a small generator and the seed of the test run.
//
// Not for: the shapes of random data (RandomRecords).

package import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A seeded generator. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator whose numbers depend only on the seed.
  package init(seed: UInt64) {
    state = seed
  }

  /// Creates the generator of one test. It depends on the run's seed and on the test's name, so that a test draws the
  /// same numbers whether it runs alone or with others.
  package init(test name: String) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.init(seed: TestSeed.value ^ hash)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// Whether a random event with a probability of 1 in `outOf` occurred.
  package mutating func chance(oneIn outOf: Int) -> Bool {
    Int.random(in: 0..<outOf, using: &self) == 0
  }

  /// A number from 0 to `limit` - 1, or 0 if `limit` is not positive.
  package mutating func below(_ limit: Int) -> Int { limit <= 0 ? 0 : Int(next() % UInt64(limit)) }

  package mutating func bytes(_ count: Int, in range: ClosedRange<UInt8> = 0...255) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: range, using: &self) }
  }
}

package enum TestSeed {
  /// The environment variable that sets the seed.
  package static let variable = "CDPIPE_TEST_SEED"

  /// The seed: the value of the variable, or a random one.
  package static let value: UInt64 = {
    if let text = unsafe getenv(variable), let seed = UInt64(unsafe String(cString: text)) { return seed }
    return UInt64.random(in: 0...UInt64.max)
  }()
}

extension Trait where Self == IssueHandlingTrait {
  /// Adds the run's seed to every issue of the test, so that it can be reproduced.
  package static var seeded: Self {
    .compactMapIssues { issue in
      var issue = issue
      issue.comments.append("again with \(TestSeed.variable)=\(TestSeed.value)")
      return issue
    }
  }
}
