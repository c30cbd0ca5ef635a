// How often a resource is tried, how long is waited in between, and what stays when it is given up.

import PipeStage
import SystemIO

extension WebFetch {
  /// How a resource that was not given up ended.
  enum Result { case whole, unchanged }

  /// Fetches the resource; `sleep` waits. Whoever calls gives the shelf up when this throws.
  func run(stage: StageName, sleep: (Double) -> Void) throws(StageError) -> Result {
    let retries = max(0, client.options.retries)
    var retriesLeft = retries
    var backOff = DownloadLimits.backOffSecondsFirst
    while true {
      let before = body.received
      let ending: Ending
      do throws(DownloadError) {
        ending = try attempt()
      } catch {
        throw StageError(stage, error)
      }
      if let failure = body.failure { throw failure }
      switch ending {
      case .whole:
        try body.finishResource()
        shelf?.complete(record, mayBeStored: mayBeStored)
        return .whole
      case .unchanged: return .unchanged
      case .again: continue
      case .failed(let failure, let isPassing, let retryAfter):
        if body.received >= before, body.received - before >= DownloadLimits.progressBytes {
          retriesLeft = retries
          backOff = DownloadLimits.backOffSecondsFirst
        }
        let wait = max(backOff, retryAfter)
        let isInTime = client.deadline.map { MonotonicClock.seconds() + wait < $0 } ?? true
        guard
          isPassing, canContinue || !body.hasHandedOn, retriesLeft > 0, isInTime,
          retryAfter <= DownloadLimits.retryAfterSecondsMax
        else {
          throw StageError(
            stage, isPassing ? failure.asking(seconds: retryAfter, isInTime: isInTime) : failure)
        }
        if !canContinue { body.startOver() }
        client.options.observe?(.retrying(failure, seconds: wait, from: body.received))
        retriesLeft -= 1
        sleep(wait)
        backOff = min(backOff * 2, DownloadLimits.backOffSecondsMax)
      }
    }
  }

  /// The download failed in the middle of this resource: what came of it stays if it can be gone on from.
  func giveUp(after failure: StageError) {
    guard let shelf else { return }
    let isUseless =
      switch failure.cause as? DownloadError {
      case .tooLarge, .changed, .wrongPart, .cacheDamaged: true
      default: false
      }
    if body.received > 0 {
      body.saveRest()
      if canContinue { shelf.checkpoint(record) }
    }
    // A part that was there before stays though no server was reached.
    let keeps = !isUseless && (canContinue || (body.received == 0 && shelf.partial != nil))
    if keeps, shelf.holdsPart, let bytes = shelf.copy?.count {
      client.options.observe?(.kept(url: url.shown, bytes: bytes))
    }
    shelf.giveUp(keeping: keeps)
  }
}

extension DownloadError {
  /// The failure of a server that asks for a wait, if the wait is why it is given up.
  fileprivate func asking(seconds: Double, isInTime: Bool) -> DownloadError {
    guard case .status(let url, let status) = self,
      seconds > DownloadLimits.retryAfterSecondsMax || (!isInTime && seconds > 0)
    else { return self }
    return .askedToWait(
      url: url, status: status, seconds: seconds, limit: DownloadLimits.retryAfterSecondsMax)
  }
}
