// A request as an extension sees it: what is added and removed is gathered, and sent in batches, as iOS does it within
// the extension's process (seen in builds).
//
// Not for: what the phone makes of it (LoadSession).

/// An extension's request: what `CXCallDirectoryExtensionContext` stands on.
///
/// It belongs to one thread at a time.
public final class ExtensionRequest {
  private let channel: any LoadChannel
  private var blocking = ChangeBatch(.blocking, .add)
  private var identification = ChangeBatch(.identification, .add)
  private var answer: Bool?
  private var isOver = false
  private var dropped = 0

  package init(_ channel: any LoadChannel) {
    self.channel = channel
  }

  /// Whether the request changes what was loaded before. Asked once, and remembered.
  public var isIncremental: Bool {
    if let answer { return answer }
    let fresh = channel.askIncremental()
    answer = fresh
    return fresh
  }

  /// Adds a number to block. No number is refused here.
  public func addBlocking(_ number: Int64) {
    if isOver { return }
    switchTo(.add, &blocking)
    blocking.append(number)
    if blocking.isFull { flush(&blocking) }
  }

  /// Adds a number and the label it shows. A label of 0 bytes, or of 65,535 and more, drops the entry.
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

  /// Removes a number; ends the extension if the request is not incremental.
  public func remove(_ kind: EntryKind, _ number: Int64) {
    if isOver { return }
    mustBeIncremental()
    switch kind {
    case .blocking:
      switchTo(.remove, &blocking)
      blocking.append(number)
      if blocking.isFull { flush(&blocking) }
    case .identification:
      switchTo(.remove, &identification)
      identification.append(number)
      if identification.isFull { flush(&identification) }
    }
  }

  /// Removes all entries of a kind; ends the extension if the request is not incremental.
  public func removeAll(_ kind: EntryKind) {
    if isOver { return }
    mustBeIncremental()
    switch kind {
    case .blocking: flush(&blocking)
    case .identification: flush(&identification)
    }
    channel.removeAll(kind)
  }

  /// Ends the request: the gathered changes are sent, and the phone applies all of them. Returns whether the request had
  /// failed or expired.
  public func complete() -> Bool {
    if isOver { return true }
    flush(&blocking)
    flush(&identification)
    isOver = true
    return channel.complete(dropped: dropped)
  }

  /// Ends the request for a reason of the extension's own; nothing of it stays.
  public func cancel(_ reason: Cancellation) {
    if isOver { return }
    isOver = true
    channel.cancel(reason)
  }

  /// Sets the handler of a failure, which runs on its own thread; the phone waits for it before it ends the extension.
  public func onFailure(_ handler: @escaping @Sendable (LoadError) -> Void) {
    channel.life.onFailure(handler)
  }

  /// When the request is over, however it ended.
  package var life: RequestLife { channel.life }

  /// A removal asks by itself whether the request is incremental, and raises an exception if it is not.
  private func mustBeIncremental() {
    if !isIncremental { channel.crash(.removalOutsideIncremental) }
  }

  /// What waits goes first if it is of the other sort, so that the order of the calls is kept.
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
