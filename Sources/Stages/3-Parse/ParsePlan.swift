// `parse` as a stage of a pipeline.

public import PipeStage

extension StageName {
  /// Bytes to raw rows.
  public static let parse = StageName(rawValue: "parse")
}

/// The options of `parse`, and the formats that it reads.
public struct ParsePlan: StagePlan {
  /// The options.
  public var options: ParseOptions
  /// The formats.
  public var formats: FormatTable

  /// Makes a plan.
  public init(_ options: ParseOptions, formats: FormatTable) {
    self.options = options
    self.formats = formats
  }

  public var name: StageName { .parse }
  public var input: DataKind { .bytes }
  public var output: DataKind { .rawRows }
  public var needsThread: Bool { true }
  public var assumesEncoding: Bool { options.encoding == nil }

  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    .bytes(
      InputDecoder(
        RowParser(
          options: options, formats: formats, input: environment.inputName, context: environment.context,
          downstream: downstream.rawRowSink)))
  }
}
