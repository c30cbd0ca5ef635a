// How often a resource is tried, how long is waited in between, and what stays when it is given up.

import PipeStage
import SystemIO

extension WebFetch {
  /// How a resource that was not given up ended.
  enum Completion { case whole, unchanged }

  /// Fetches the resource; `sleep` waits. Whoever calls gives the cache up when this throws.
  func run(stage: StageName, sleep: (Double) -> Void) throws(StageError) -> Completion {
    let retries = max(0, client.options.retries)
    var retriesLeft = retries
    var backOff = DownloadLimits.backOffSecondsFirst
    while true {
      let before = body.received
      let result: AttemptResult
      do throws(DownloadError) {
        result = try attempt()
      } catch {
        throw StageError(stage, error)
      }
      if let error = body.error { throw error }
      switch result {
      case .whole:
        try body.finishResource()
        cache?.complete(metadata, mayBeStored: mayBeStored)
        return .whole
      case .unchanged: return .unchanged
      case .again: continue
      case .failed(let error, let isTemporary, let retryAfter):
        if body.received >= before, body.received - before >= DownloadLimits.progressBytes {
          retriesLeft = retries
          backOff = DownloadLimits.backOffSecondsFirst
        }
        let wait = max(backOff, retryAfter)
        let isInTime = client.deadline.map { MonotonicClock.seconds() + wait < $0 } ?? true
        guard
          isTemporary, canContinue || !body.hasSent, retriesLeft > 0, isInTime,
          retryAfter <= DownloadLimits.retryAfterSecondsMax
        else {
          throw StageError(
            stage, isTemporary ? error.asking(seconds: retryAfter, isInTime: isInTime) : error)
        }
        if !canContinue { body.startOver() }
        client.options.observe?(.retrying(error, seconds: wait, from: body.received))
        retriesLeft -= 1
        sleep(wait)
        backOff = min(backOff * 2, DownloadLimits.backOffSecondsMax)
      }
    }
  }

  /// The download failed in the middle of this resource: what came of it stays if it can be gone on from.
  func abandon(after error: StageError) {
    guard let cache else { return }
    let isUseless =
      switch error.cause as? DownloadError {
      case .tooLarge, .changed, .wrongRange, .cacheDamaged: true
      default: false
      }
    if body.received > 0 {
      body.saveUnsentBytes()
      if canContinue { cache.checkpoint(metadata) }
    }
    // A part that was there before stays though no server was reached.
    let keepsPart = !isUseless && (canContinue || (body.received == 0 && cache.partial != nil))
    if keepsPart, cache.hasResumablePart, let bytes = cache.copy?.count {
      client.options.observe?(.kept(url: url.redacted, bytes: bytes))
    }
    cache.abandon(keepingPart: keepsPart)
  }
}

extension DownloadError {
  /// The error of a server that asks for a wait, if the wait is why it is given up.
  fileprivate func asking(seconds: Double, isInTime: Bool) -> DownloadError {
    guard case .status(let url, let status) = self,
      seconds > DownloadLimits.retryAfterSecondsMax || (!isInTime && seconds > 0)
    else { return self }
    return .retryAfterTooLong(
      url: url, status: status, seconds: seconds, limit: DownloadLimits.retryAfterSecondsMax)
  }
}
