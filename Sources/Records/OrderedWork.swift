// The queue of a thread boundary with several threads that share the work of a stage; results are passed on in the order
// of the items.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import BasicContainers
import SystemIO

/// A bounded queue between two threads, with threads of its own that work on the items in between.
///
/// Items are reused: each end exchanges an item for another one.
///
/// `@unchecked Sendable`: the stored properties after `lock` are accessed only while it is held. An item that a thread
/// works on is not in ``items``.
public final class OrderedWork<Item: ~Copyable>: RelayQueue<Item>, @unchecked Sendable {
  private let capacity: Int

  public typealias Work = @Sendable (inout Item) throws(Failure) -> Void

  private let lock = ConditionLock()
  private let mayPush = WaitCondition()
  private let mayWork = WaitCondition()
  private let mayPop = WaitCondition()
  /// A ring. An item's position is its number modulo ``capacity``.
  private var items: RigidArray<Item?>
  /// Whether the item at each position has been worked on.
  private var isDone: [Bool]
  // The numbers of the next items to be pushed, worked on, and popped.
  private var pushed = 0
  private var begun = 0
  private var popped = 0
  private var isClosed = false
  private var isCancelled = false
  /// The error of the first item that failed, and its number. The items before it come out.
  private var failure: (number: Int, error: Failure)?
  private var threads: [WorkerThread] = []

  /// Starts a thread for each element of `work`. `items` are those that are exchanged.
  public init(_ items: consuming RigidArray<Item?>, work: [Work]) throws(Failure) {
    capacity = items.count
    isDone = Array(repeating: false, count: items.count)
    self.items = items
    super.init()
    for work in work {
      do throws(SystemError) {
        threads.append(try WorkerThread(name: "work") { [self] in run(work) })
      } catch {
        stop()
        throw Failure(nil, error)
      }
    }
  }

  /// Exchanges an item that is to be worked on for another one; waits until there is one. Returns false if the queue was
  /// stopped, or an item has failed.
  public override func push(_ item: inout Item) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    while pushed - popped == capacity, !isCancelled, failure == nil { mayPush.wait(holding: lock) }
    if isCancelled || failure != nil { return false }
    exchange(&item, at: pushed % capacity)
    pushed += 1
    mayWork.signal()
    return true
  }

  /// Exchanges an item for the next one that was worked on; waits until there is one. Returns false at the end, and if the
  /// queue was stopped. Throws the error of the next item.
  public override func pop(_ item: inout Item) throws(Failure) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    while true {
      if isCancelled { return false }
      if let failure, failure.number == popped { throw failure.error }
      if popped < pushed, isDone[popped % capacity] { break }
      if isClosed, popped == pushed { return false }
      mayPop.wait(holding: lock)
    }
    isDone[popped % capacity] = false
    exchange(&item, at: popped % capacity)
    popped += 1
    mayPush.signal()
    return true
  }

  public override func close() { close(after: nil) }

  /// Marks the end: no more items will be pushed. With an error, `pop` throws it after the last item.
  public func close(after error: Failure?) {
    lock.lock()
    isClosed = true
    if let error { fail(pushed, error) }
    mayWork.broadcast()
    mayPop.signal()
    lock.unlock()
  }

  public override func cancel() {
    lock.lock()
    isCancelled = true
    mayPush.broadcast()
    mayWork.broadcast()
    mayPop.broadcast()
    lock.unlock()
  }

  public override var wasCancelled: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isCancelled
  }

  /// Makes both ends stop, and ends the threads. Call it also at the end.
  public override func stop() {
    cancel()
    for thread in threads { thread.join() }
    threads = []
  }

  private func exchange(_ item: inout Item, at position: Int) {
    guard var other = items[position].take() else { preconditionFailure("the item is being worked on") }
    swap(&item, &other)
    items[position] = consume other
  }

  private func fail(_ number: Int, _ error: Failure) {
    if let failure, failure.number < number { return }
    failure = (number, error)
    mayPush.broadcast()
    mayPop.signal()
  }

  private func run(_ work: Work) {
    lock.lock()
    defer { lock.unlock() }
    while true {
      while begun == pushed, !isClosed, !isCancelled { mayWork.wait(holding: lock) }
      if isCancelled || begun == pushed { return }
      let number = begun
      begun += 1
      guard var item = items[number % capacity].take() else { preconditionFailure("the item was not pushed") }
      lock.unlock()
      var failed: Failure?
      do throws(Failure) {
        try work(&item)
      } catch {
        failed = error
      }
      lock.lock()
      items[number % capacity] = consume item
      isDone[number % capacity] = true
      if let failed { fail(number, failed) }
      if number == popped { mayPop.signal() }
    }
  }
}
