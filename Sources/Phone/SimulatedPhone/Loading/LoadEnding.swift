// How a request ended, before the phone has processed the result.

/// The end of a request.
enum LoadEnding: Sendable {
  /// The extension completed the request, and the phone has applied it.
  case completed
  /// The phone rejected the request. The extension is notified before it is ended.
  case refused(LoadError)
  /// The extension cancelled the request.
  case cancelled(Cancellation)
  /// The extension ended or was ended during the request.
  case interrupted(LoadInterruption)

  /// The error that the app receives; nil for success.
  var failure: LoadError? {
    switch self {
    case .completed: nil
    case .refused(let failure): failure
    case .cancelled(let reason): .cancelled(reason)
    case .interrupted: .directory(.loadingInterrupted)
    }
  }

  /// Why the extension ended during the request; nil if it did not.
  var interruption: LoadInterruption? {
    if case .interrupted(let interruption) = self { return interruption }
    return nil
  }
}
