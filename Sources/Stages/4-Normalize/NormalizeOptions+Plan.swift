// `normalize` as a stage of a pipeline.

import NumberPlan
package import Records

extension StageName {
  /// Turns raw rows into records.
  package static let normalize = StageName(rawValue: "normalize")
}

extension NormalizeOptions: StagePlan {
  /// The stage's name.
  package var name: StageName { .normalize }
  /// The kind of data that flows in.
  package var input: DataKind { .rawRows }
  /// The kind of data that flows out.
  package var output: DataKind { .records }
  /// What is required of the numbers.
  package var countryChecks: [CountryCheck] { countryCheck.map { [$0] } ?? [] }
  /// The region of numbers without a calling code.
  package var assumedCountry: String? { region?.code }
  /// Whether the stage runs on a thread of its own.
  package var needsThread: Bool { true }

  /// Builds the stage, which sends its output to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    let (context, records) = (environment.context, downstream.recordSink)
    let threads = min(environment.threads - Self.otherThreads, ParallelNormalizer.threadsMax)
    guard threads > 0 else {
      return .rawRows(Normalizer(options: self, context: context, downstream: records))
    }
    return .rawRows(
      try ParallelNormalizer(options: self, context: context, threads: threads, downstream: records))
  }

  /// The number of threads that are busy at the same time with reading, sorting and spilling.
  private static let otherThreads = 3
}
