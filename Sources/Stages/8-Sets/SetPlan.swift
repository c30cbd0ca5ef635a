// The set operations as stages of a pipeline.

package import Records

extension StageName {
  /// Outputs the records of several lists.
  package static let union = StageName(rawValue: "union")
  /// Outputs the records of a list without the numbers of other lists.
  package static let subtract = StageName(rawValue: "subtract")
  /// Outputs the records of a list, cut to the numbers that other lists contain, too.
  package static let intersect = StageName(rawValue: "intersect")
  /// Outputs the differences between two lists. Not a stage of a pipeline.
  package static let diff = StageName(rawValue: "diff")
}

/// A set operation over lists of records.
package struct SetPlan: StagePlan {
  /// The operation and its lists.
  package var options: SetOptions

  /// Creates a plan.
  package init(_ operation: SetOptions.Operation, _ lists: [String]) {
    options = SetOptions(operation, lists: lists)
  }

  /// The stage's name.
  package var name: StageName {
    switch options.operation {
    case .union: .union
    // Users type `sort --merge`.
    case .merge: StageName(rawValue: "sort")
    case .subtract: .subtract
    case .intersect: .intersect
    }
  }

  /// The input's kind: records.
  package var input: DataKind { .records }
  /// The output's kind: records.
  package var output: DataKind { .records }
  /// The lists, as files that the stage reads besides its input.
  package var files: [StageFile] { options.lists.map { StageFile($0, .input) } }

  /// The plan with the list `-` fed by the previous stage. `subtract` and `intersect` accept only their first list that
  /// way.
  package var fedByPipe: (any StagePlan)? {
    guard let index = options.lists.firstIndex(of: SetOptions.standardInput),
      index == 0 || options.operation == .union || options.operation == .merge
    else { return nil }
    var fed = self
    fed.options.fed = index
    return fed
  }

  /// Builds the stage, which passes its records to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    let context = environment.context
    switch options.operation {
    case .union, .merge:
      return .records(try ListMerger(options: options, context: context, downstream: downstream.recordSink))
    case .subtract, .intersect:
      return .records(try ListCutter(options: options, context: context, downstream: downstream.recordSink))
    }
  }
}
