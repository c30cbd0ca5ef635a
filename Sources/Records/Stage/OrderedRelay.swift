// A thread boundary with several threads that share the work of a stage: what they made is passed on in the order in which
// the items came, by one more thread.

package import BasicContainers
import Synchronization
import SystemIO

/// Shares the items of a stream among threads, and passes the results on in order.
package final class OrderedRelay<Item: ~Copyable>: Sendable {
  private let queue: OrderedWork<Item>
  private let error = Mutex<Failure?>(nil)
  private let thread = Mutex<WorkerThread?>(nil)

  /// Starts a thread for each element of `work`, and the one of the consumer. `items` are exchanged, and one of them is
  /// `spare`.
  package init(
    _ items: consuming RigidArray<Item?>, _ spare: consuming sending Item, work: [OrderedWork<Item>.Work],
    _ consumer: RelayThread<Item>.Consumer
  ) throws(Failure) {
    let queue = try OrderedWork(items, work: work)
    self.queue = queue
    let start = Start(spare)
    do throws(SystemError) {
      let started = try WorkerThread(name: "ordered") { [self] in
        guard var item = start.take() else { return }
        do throws(Failure) {
          while try queue.pop(&item) { try consumer.receive(&item) }
          if !queue.wasStopped { try consumer.finish() }
        } catch {
          self.error.withLock { $0 = error }
          queue.cancel()
        }
      }
      thread.withLock { $0 = started }
    } catch {
      queue.stop()
      throw Failure(nil, error)
    }
  }

  /// Exchanges an item for another one, or throws the error of the thread that passes items on.
  package func push(_ item: inout Item) throws(Failure) {
    if !queue.push(&item) { try join() }
  }

  /// Ends the stream and waits until all threads are done.
  package func finish() throws(Failure) {
    queue.close()
    try join()
  }

  /// Stops the threads.
  package func stop() {
    queue.cancel()
    try? join()
  }

  private func join() throws(Failure) {
    thread.withLock { $0.take() }?.join()
    queue.stop()
    if let error = error.withLock({ $0 }) { throw error }
  }

  /// Passes the spare item to its thread.
  private final class Start: Sendable {
    private let item: Mutex<Item?>
    init(_ item: consuming sending Item) { self.item = Mutex(item) }
    func take() -> Item? { item.withLock { $0.take() } }
  }
}
