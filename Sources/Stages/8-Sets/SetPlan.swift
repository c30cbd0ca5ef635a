// The set operations as stages of a pipeline.

public import PipeStage

extension StageName {
  /// The records of several lists.
  public static let union = StageName(rawValue: "union")
  /// The records of a list, without the numbers of others.
  public static let subtract = StageName(rawValue: "subtract")
  /// The records of a list, for the numbers that others contain as well.
  public static let intersect = StageName(rawValue: "intersect")
  /// The differences of two lists. Not a stage of a pipeline.
  public static let diff = StageName(rawValue: "diff")
}

/// A set operation over lists of records.
public struct SetPlan: StagePlan {
  /// The operation and its lists.
  public var options: SetOptions

  /// Makes a plan.
  public init(_ operation: SetOptions.Operation, _ lists: [String]) {
    options = SetOptions(operation, lists: lists)
  }

  /// The stage's name.
  public var name: StageName {
    switch options.operation {
    case .union: .union
    // What users type is `sort --merge`.
    case .merge: StageName(rawValue: "sort")
    case .subtract: .subtract
    case .intersect: .intersect
    }
  }

  /// The kind of data that flows in.
  public var input: DataKind { .records }
  /// The kind of data that flows out.
  public var output: DataKind { .records }
  /// The files that the stage reads or writes besides the data that flows through it.
  public var files: [StageFile] { options.lists.map { StageFile($0, .input) } }

  /// The plan with the list `-` fed; `subtract` and `intersect` can be fed their first list only.
  public var fedByPipe: (any StagePlan)? {
    guard let index = options.lists.firstIndex(of: SetOptions.standardInput),
      index == 0 || options.operation == .union || options.operation == .merge
    else { return nil }
    var fed = self
    fed.options.fed = index
    return fed
  }

  /// Builds the stage in front of `downstream`.
  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    let context = environment.context
    switch options.operation {
    case .union, .merge:
      return .records(try ListMerger(options: options, context: context, downstream: downstream.recordSink))
    case .subtract, .intersect:
      return .records(try ListCutter(options: options, context: context, downstream: downstream.recordSink))
    }
  }
}
