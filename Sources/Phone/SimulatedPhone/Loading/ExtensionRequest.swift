// The extension's side of a request: collects additions and removals and sends them in batches, as iOS does in the
// extension's process (observed in builds).
//
// Not for the phone's side (LoadSession).

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

  package init(_ channel: any LoadChannel) {
    self.channel = channel
  }

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

  /// Signals the end of the request.
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
