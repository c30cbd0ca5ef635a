// Opens the lists of an operation with the order required of each and the handling of invalid lines.

import BasicContainers
import Records
import SystemIO

extension SetOptions {
  /// Opens the first list, whose records are output.
  func openedFirst(
    _ context: StageContext
  ) throws(Failure) -> SortedList {
    try check(context)
    return try SortedList(
      lists[0], context, .disjoint, .rejected, counts: true, isFed: fed == 0)
  }

  /// Opens the other lists, whose numbers cut the records of the first one.
  func openedOthers(
    _ context: StageContext
  ) throws(Failure) -> RigidArray<SortedList> {
    try check(context)
    var others = RigidArray<SortedList>(capacity: lists.count - 1)
    for name in lists.dropFirst() {
      others.append(try SortedList(name, context, .ascending, .fatal, counts: false))
    }
    return others
  }

  /// Opens one of the lists of a union or a merge.
  func openedForMerge(
    _ index: Int, _ context: StageContext, expectsSize: Bool = true
  ) throws(Failure) -> SortedList {
    try SortedList(
      lists[index], context, operation == .merge ? .sorted : .ascending, .rejected, counts: true,
      isFed: fed == index, expectsSize: expectsSize)
  }

  /// Throws if there are too many lists to read all of them at a time, or if two are the same pipe.
  private func check(_ context: StageContext) throws(Failure) {
    guard lists.count <= Self.listsMax, !lists.isEmpty else {
      throw Failure(
        context.stage, SetError.tooManyLists(count: lists.count, limit: Self.listsMax))
    }
    try checkPipes(context)
  }

  /// Throws if two lists are the same pipe.
  func checkPipes(_ context: StageContext) throws(Failure) {
    try Self.checkPipes(fed == nil ? lists : lists.filter { $0 != Self.standardInput }, context)
  }

  /// Throws if two lists are the same pipe.
  static func checkPipes(_ lists: [String], _ context: StageContext) throws(Failure) {
    if let list = FileIdentity.sharedPipe(among: lists) {
      throw Failure(context.stage, SetError.sharedPipe(list: list))
    }
  }
}
