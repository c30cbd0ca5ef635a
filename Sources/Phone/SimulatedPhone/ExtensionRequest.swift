// The extension's side of a request: collects additions and removals and sends them to the phone in batches, as iOS
// does in the extension's process (observed in builds).

import Synchronization
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An extension's request: the implementation of `CXCallDirectoryExtensionContext`.
///
/// Use it on one thread at a time.
public final class ExtensionRequest {
  private let channel: any LoadChannel
  private var blocking = ChangeBatch(.blocking, .add)
  private var identification = ChangeBatch(.identification, .add)
  private var answer: Bool?
  private var isOver = false
  private var dropped = 0

  package init(_ channel: any LoadChannel) { self.channel = channel }

  /// Whether the request is incremental. The phone is asked once; the answer is cached.
  public var isIncremental: Bool {
    if let answer { return answer }
    let fresh = channel.askIncremental()
    answer = fresh
    return fresh
  }

  /// Adds a number to block. Numbers are checked later, by the phone.
  public func addBlocking(_ number: Int64) {
    if isOver { return }
    switchTo(.add, &blocking)
    blocking.append(number)
    if blocking.isFull { flush(&blocking) }
  }

  /// Adds a number and its label. Entries with a label of 0 bytes, or of 65,535 bytes and more, are dropped.
  public func addIdentification(_ number: Int64, label: String) {
    if isOver { return }
    let length = label.utf8.count
    guard length > 0, length < ChangeBatch.labelBytesRefusedAt else {
      dropped += 1
      return
    }
    switchTo(.add, &identification)
    identification.append(number, label: label)
    if identification.isFull { flush(&identification) }
  }

  /// Removes a number. Ends the extension if the request is not incremental.
  public func remove(_ kind: EntryKind, _ number: Int64) {
    if isOver { return }
    mustBeIncremental()
    switch kind {
    case .blocking: remove(number, &blocking)
    case .identification: remove(number, &identification)
    }
  }

  private func remove(_ number: Int64, _ batch: inout ChangeBatch) {
    switchTo(.remove, &batch)
    batch.append(number)
    if batch.isFull { flush(&batch) }
  }

  /// Removes all entries of a kind. Ends the extension if the request is not incremental.
  public func removeAll(_ kind: EntryKind) {
    if isOver { return }
    mustBeIncremental()
    switch kind {
    case .blocking: flush(&blocking)
    case .identification: flush(&identification)
    }
    channel.removeAll(kind)
  }

  /// Completes the request: sends the collected changes, and the phone applies them. Returns whether the request had
  /// failed or expired.
  public func complete() -> Bool {
    if isOver { return true }
    flush(&blocking)
    flush(&identification)
    isOver = true
    return channel.complete(dropped: dropped)
  }

  /// Cancels the request with the extension's own error; none of its entries stay.
  public func cancel(_ reason: Cancellation) {
    if isOver { return }
    isOver = true
    channel.cancel(reason)
  }

  /// Sets the handler of an error, which runs on its own thread. The phone waits for it before it ends the extension.
  public func onFailure(_ handler: @escaping @Sendable (LoadError) -> Void) {
    channel.life.onFailure(handler)
  }

  package var life: RequestLife { channel.life }

  /// Removals check whether the request is incremental, and raise an exception if it is not.
  private func mustBeIncremental() {
    if !isIncremental { channel.crash(.removalOutsideIncremental) }
  }

  /// Sends a pending batch of the other kind of change first, so that the order of the calls is preserved.
  private func switchTo(_ change: EntryChange, _ batch: inout ChangeBatch) {
    if batch.change != change {
      flush(&batch)
      batch.change = change
    }
  }

  private func flush(_ batch: inout ChangeBatch) {
    if batch.numbers.isEmpty { return }
    channel.send(batch)
    batch.clear()
  }
}

package final class RequestLife: Sendable {
  private let handler = Mutex<(@Sendable (LoadError) -> Void)?>(nil)
  private let over = OneAnswer<Bool>()

  init() {}

  func onFailure(_ new: @escaping @Sendable (LoadError) -> Void) { handler.withLock { $0 = new } }

  /// Reports an error on a separate thread, and waits for the handler up to a time limit.
  func notify(_ failure: LoadError, waiting limit: Duration) {
    guard let call = handler.withLock({ $0 }) else { return }
    let done = OneAnswer<Bool>()
    do throws(SystemError) {
      try WorkerThread(name: "request-failed") {
        call(failure)
        done.give(true)
      }.detach()
    } catch {
      // No thread is available: the extension is ended without notification.
      return
    }
    _ = done.wait(atMost: limit)
  }

  /// Ends the request; no handler is called afterwards.
  func end() { over.give(true) }

  package func wait() { _ = over.wait() }
}

/// CallKit's two kinds of entries.
public enum EntryKind: UInt8, Sendable, CaseIterable {
  /// Calls from the number are blocked.
  case blocking = 0
  /// Calls from the number show a label.
  case identification = 1
}

/// Whether entries are added or removed.
public enum EntryChange: UInt8, Sendable {
  /// The entries are added.
  case add = 0
  /// The entries are removed.
  case remove = 1
}

/// Additions or removals of one kind.
public struct ChangeBatch: Sendable, Equatable {
  /// The maximum number of entries in a batch, as in iOS (observed in builds).
  public static let entriesMax = 10_000
  /// The maximum size of a batch's labels in bytes. 10,000 labels of maximum length would be 655 MB; such batches are
  /// sent early, which has no other effect.
  public static let labelBytesMax = 16 * 1024 * 1024
  /// The label size from which entries are dropped silently, as are those with empty labels: iOS stores the length in
  /// 16 bits.
  public static let labelBytesRefusedAt = 65_535

  /// The kind of the entries.
  public let kind: EntryKind
  /// Whether the entries are added or removed.
  public var change: EntryChange
  /// The numbers, in the order in which they were added.
  public internal(set) var numbers: ContiguousArray<Int64> = []
  /// For added identification entries: the index in `labels` of each number's label.
  public internal(set) var labelPlaces: ContiguousArray<UInt32> = []
  /// The distinct labels.
  public internal(set) var labels: ContiguousArray<String> = []
  private var labelBytes = 0
  private var places: [String: UInt32] = [:]

  /// Creates an empty batch.
  public init(_ kind: EntryKind, _ change: EntryChange) {
    self.kind = kind
    self.change = change
  }

  /// Whether the batch must be sent now.
  public var isFull: Bool { numbers.count >= Self.entriesMax || labelBytes >= Self.labelBytesMax }

  /// Adds a number without a label.
  public mutating func append(_ number: Int64) { numbers.append(number) }

  /// Adds a number and its label; equal labels are stored once. The caller must have checked the label's length.
  public mutating func append(_ number: Int64, label: String) {
    numbers.append(number)
    labelPlaces.append(place(of: label))
  }

  /// Empties the batch for reuse.
  public mutating func clear() {
    numbers.removeAll(keepingCapacity: true)
    labelPlaces.removeAll(keepingCapacity: true)
    labels.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    labelBytes = 0
  }

  /// Whether two batches contain the same changes.
  public static func == (one: ChangeBatch, other: ChangeBatch) -> Bool {
    one.kind == other.kind && one.change == other.change && one.numbers == other.numbers
      && one.labelPlaces == other.labelPlaces && one.labels.count == other.labels.count
      && zip(one.labels, other.labels).allSatisfy { hasSameBytes($0, $1) }
  }

  private mutating func place(of label: String) -> UInt32 {
    if let last = labels.last, hasSameBytes(last, label) {
      return UInt32(truncatingIfNeeded: labels.count - 1)
    }
    // Equal strings may differ in their bytes; such a label is stored separately.
    if let known = places[label], hasSameBytes(labels[Int(known)], label) { return known }
    let place = UInt32(truncatingIfNeeded: labels.count)
    labels.append(label)
    places[label] = place
    labelBytes += label.utf8.count
    return place
  }
}

/// Whether two texts have the same bytes. `==` of strings would treat two encodings of an accent as equal.
private func hasSameBytes(_ one: String, _ other: String) -> Bool {
  one.utf8.count == other.utf8.count && one == other && one.utf8.elementsEqual(other.utf8)
}

/// The calls of an extension's request to the phone. They come from one thread at a time; each returns when the phone
/// has processed it.
package protocol LoadChannel: AnyObject {
  /// Whether the request is incremental. Calling it confirms that.
  func askIncremental() -> Bool
  /// Sends changes. After the load has failed, it does nothing and does not notify the extension.
  func send(_ batch: ChangeBatch)
  func removeAll(_ kind: EntryKind)
  /// Completes the request. `dropped` is the number of entries that were dropped because of their labels. Returns
  /// whether the request had already failed or expired.
  func complete(dropped: Int) -> Bool
  func cancel(_ reason: Cancellation)
  /// Reports a call that raises an uncaught exception on iOS. Does not return.
  func crash(_ misuse: LoadRequestError) -> Never
  var life: RequestLife { get }
}

/// An extension's own error for cancelling a request.
public struct Cancellation: Sendable, Equatable {
  /// The error's domain.
  public var domain: String
  /// The error's code.
  public var code: Int
  /// The error's text.
  public var text: String

  /// Creates a reason.
  public init(domain: String, code: Int, text: String = "") {
    self.domain = domain
    self.code = code
    self.text = text
  }
}

/// A call that raises an exception on iOS.
public enum LoadRequestError: UInt8, Sendable {
  /// A removal in a request that is not incremental, or without reading `isIncremental` first.
  case removalOutsideIncremental = 1
}

final class DirectChannel: LoadChannel {
  private let phone: SimulatedPhone
  private let load: LoadNumber
  private let ending: OneAnswer<LoadEnding>
  let life: RequestLife

  init(
    _ phone: SimulatedPhone, _ load: LoadNumber, _ ending: OneAnswer<LoadEnding>, _ life: RequestLife
  ) {
    self.phone = phone
    self.load = load
    self.ending = ending
    self.life = life
  }

  deinit {
    // The request was dropped, so nothing can end it. A phone would wait for the time limit.
    ending.give(.interrupted(.timeLimit))
  }

  func askIncremental() -> Bool { phone.askIncremental(load) }

  func send(_ batch: ChangeBatch) {
    if let failure = phone.apply(batch, load) { ending.give(.refused(failure)) }
  }

  func removeAll(_ kind: EntryKind) {
    if let failure = phone.removeAll(kind, load) { ending.give(.refused(failure)) }
  }

  func complete(dropped: Int) -> Bool {
    switch phone.finish(load, dropped: dropped) {
    case .expired: return true
    case .taken: return !ending.give(.completed)
    case .refused(let failure):
      ending.give(.refused(failure))
      return true
    }
  }

  func cancel(_ reason: Cancellation) { ending.give(.cancelled(reason)) }

  func crash(_ misuse: LoadRequestError) -> Never {
    ending.give(.interrupted(.exception(misuse)))
    // On iOS, an exception would end the process. Here, only the thread's work ends; Swift can't unwind, so the thread
    // stays suspended.
    while true { pause() }
  }
}

/// Holds one value: the first value that is set stays, and every waiter receives it.
///
/// `@unchecked Sendable`: `value` is accessed only while `lock` is held.
public final class OneAnswer<Value: Sendable>: @unchecked Sendable {
  private let lock = ConditionLock()
  private var value: Value?

  /// Creates an empty box.
  public init() {}

  /// Sets the value unless it is set already. Returns whether it was the first.
  @discardableResult
  public func give(_ value: Value) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if self.value != nil { return false }
    self.value = value
    lock.broadcast()
    return true
  }

  /// The value; nil if it is not set yet.
  public var present: Value? {
    lock.lock()
    defer { lock.unlock() }
    return value
  }

  /// Waits for the value.
  public func wait() -> Value {
    lock.lock()
    defer { lock.unlock() }
    while true {
      if let value { return value }
      lock.wait()
    }
  }

  /// Waits for the value; nil if it is not set in time.
  public func wait(atMost limit: Duration) -> Value? {
    let deadline = ConditionLock.Deadline(after: limit)
    lock.lock()
    defer { lock.unlock() }
    while value == nil, lock.wait(until: deadline) {}
    return value
  }
}
