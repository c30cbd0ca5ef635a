// The effort of long tests: short by default, long in `make soak`.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of cases that long tests try.
package enum TestEffort {
  /// Whether tests run in their long form. `make soak` sets `CDPIPE_SOAK`.
  package static let isLong = unsafe getenv("CDPIPE_SOAK") != nil

  /// The number of cases of a test: `long` in `make soak`, else `short`.
  package static func cases(short: Int, long: Int) -> Int { isLong ? long : short }
}
