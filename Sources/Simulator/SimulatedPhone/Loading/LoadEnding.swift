// How a request came to its end, before the phone has drawn the conclusions.

/// The end of a request.
enum LoadEnding: Sendable {
  /// The extension completed it, and the phone has taken it over.
  case completed
  /// The phone rejected something. The extension is notified before it is ended.
  case refused(LoadError)
  /// The extension gave up.
  case cancelled(Cancellation)
  /// The extension ended, or was ended.
  case interrupted(LoadInterruption)

  /// The error that an app gets; nil for success.
  var failure: LoadError? {
    switch self {
    case .completed: nil
    case .refused(let failure): failure
    case .cancelled(let reason): .cancelled(reason)
    case .interrupted: .directory(.loadingInterrupted)
    }
  }

  /// What ended the extension.
  var interruption: LoadInterruption? {
    if case .interrupted(let interruption) = self { return interruption }
    return nil
  }
}
