// The lists of an operation, opened: what is asked of each, and what becomes of its bad lines.

import BasicContainers
import CallRecord
import PipeStage

extension SetOptions {
  /// The first list, whose records go out.
  func openedFirst(
    _ context: StageContext
  ) throws(StageError) -> SortedList {
    try checkCount(context)
    return try SortedList(
      lists[0], context, .disjoint, .rejected, counts: true, isFed: fed == 0)
  }

  /// The other lists, whose numbers cut the first one's records.
  func openedOthers(
    _ context: StageContext
  ) throws(StageError) -> RigidArray<SortedList> {
    try checkCount(context)
    var others = RigidArray<SortedList>(capacity: lists.count - 1)
    for name in lists.dropFirst() {
      others.append(try SortedList(name, context, .ascending, .fatal, counts: false))
    }
    return others
  }

  /// All lists, for a union or a merge.
  func openedForUnion(
    _ context: StageContext
  ) throws(StageError) -> RigidArray<SortedList> {
    try checkCount(context)
    var opened = RigidArray<SortedList>(capacity: lists.count)
    for (index, name) in lists.enumerated() {
      opened.append(
        try SortedList(
          name, context, operation == .merge ? .sorted : .ascending, .rejected, counts: true,
          isFed: fed == index))
    }
    return opened
  }

  private func checkCount(_ context: StageContext) throws(StageError) {
    guard lists.count <= Self.listsMax, !lists.isEmpty else {
      throw StageError(
        context.stage, SetError.tooManyLists(count: lists.count, limit: Self.listsMax))
    }
  }
}
