// `parse` as a stage of a pipeline.

package import Records

extension StageName {
  /// Parses bytes into raw rows.
  package static let parse = StageName(rawValue: "parse")
}

/// The options of `parse`, and the formats that it reads.
package struct ParsePlan: StagePlan {
  /// The options.
  package var options: ParseOptions
  /// The formats.
  package var formats: FormatTable
  /// Called with what was recognised about each input, in the stage's thread; nil if that is not needed.
  package var observe: (@Sendable (InputLayout) -> Void)?

  /// Makes a plan.
  package init(_ options: ParseOptions, formats: FormatTable) {
    self.options = options
    self.formats = formats
  }

  /// The stage's name.
  package var name: StageName { .parse }
  /// The kind of data that flows in.
  package var input: DataKind { .bytes }
  /// The kind of data that flows out.
  package var output: DataKind { .rawRows }
  /// Whether the stage runs on a thread of its own.
  package var needsThread: Bool { true }
  /// Whether the stage reads text in an encoding that it assumes.
  package var assumesEncoding: Bool { options.encoding == nil }

  /// Builds the stage, which sends its output to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    let parser = RowParser(
      options: options, formats: formats, input: environment.inputName, context: environment.context,
      downstream: downstream.rawRowSink)
    parser.observe = observe
    parser.notify = environment.notify
    let threads = min(environment.threads - Self.otherThreads, InputDivision.threadsMax)
    return .bytes(InputDecoder(parser, threads: threads))
  }

  /// The number of threads that are busy at the same time with reading, normalizing and sorting.
  private static let otherThreads = 3
}
