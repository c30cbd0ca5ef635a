// Retries: how often a resource is tried, the waits in between, and what is kept after a failure.

import Records
import SystemIO

extension WebFetch {
  /// How a fetch ended without error.
  enum Completion { case whole, unchanged }

  /// Fetches the resource; `sleep` waits. If this throws, the caller must abandon the cache entry.
  func run(stage: StageName, sleep: (Double) -> Void) throws(Failure) -> Completion {
    let retries = max(0, client.options.retries)
    var retriesLeft = retries
    var backOff = DownloadLimits.backOffSecondsFirst
    while true {
      let before = body.received
      let result: AttemptResult
      do throws(DownloadError) {
        result = try attempt()
      } catch {
        throw Failure(stage, error)
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
          throw Failure(
            stage, isTemporary ? error.withRetryAfter(seconds: retryAfter, isInTime: isInTime) : error)
        }
        if !canContinue { body.startOver() }
        client.options.observe?(.retrying(error, seconds: wait, from: body.received))
        retriesLeft -= 1
        sleep(wait)
        backOff = min(backOff * 2, DownloadLimits.backOffSecondsMax)
      }
    }
  }

  /// Ends a failed fetch: keeps the part if it can be resumed.
  func abandon(after error: Failure) {
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
    // An existing part is kept if no server was reached.
    let keepsPart = !isUseless && (canContinue || (body.received == 0 && cache.partial != nil))
    if keepsPart, cache.hasResumablePart, let bytes = cache.copy?.count {
      client.options.observe?(.kept(url: url.redacted, bytes: bytes))
    }
    cache.abandon(keepingPart: keepsPart)
  }
}

extension DownloadError {
  /// The error to throw if the requested wait is the reason for giving up.
  fileprivate func withRetryAfter(seconds: Double, isInTime: Bool) -> DownloadError {
    guard case .status(let url, let status) = self,
      seconds > DownloadLimits.retryAfterSecondsMax || (!isInTime && seconds > 0)
    else { return self }
    return .retryAfterTooLong(
      url: url, status: status, seconds: seconds, limit: DownloadLimits.retryAfterSecondsMax)
  }
}
