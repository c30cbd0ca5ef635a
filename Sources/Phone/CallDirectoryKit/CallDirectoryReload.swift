// Apple's request class loads files in the extension; the app reloads the extension until everything is loaded. A
// separate target, because CallKit links Foundation and CallDirectory does not.

#if canImport(CallKit) && (os(iOS) || os(Linux))

  // What a request loads is part of loading it: one import is enough.
  @_exported public import CallDirectory
  public import CallKit
  import Foundation

  extension CXCallDirectoryExtensionContext: EndingRequest {
    /// Completes the request.
    public func end(whenEnded ended: @escaping @Sendable (_ expired: Bool) -> Void) {
      completeRequest(completionHandler: ended)
    }

    /// Cancels the request.
    public func end(failing cause: CallDirectoryError) { cancelRequest(withError: cause) }
  }

  /// Why reloading stopped, other than because of an error of iOS or of the files.
  public enum ExtensionReloadError: Error, Equatable, Sendable {
    /// A reload succeeded without progress, so the next one would repeat it: the extension loads other files, or can't
    /// write its record.
    case noProgress
    /// iOS did not answer in time. It may still be loading the extension.
    case noAnswer
  }

  extension CXCallDirectoryManager {
    /// How long ``status(of:secondsMax:)`` waits by default, in seconds.
    public static let statusSecondsMax = 10.0

    /// How long a reload is waited for by default, in seconds: two minutes, and a second for every 5,000 entries. iOS was
    /// reported to load 10,000 labels a second or more.
    public static func reloadSecondsMax(entries: UInt64) -> Double { 120 + Double(entries) / 5_000 }

    /// Asks iOS whether an extension is turned on.
    ///
    /// - Parameter secondsMax: how long to wait. iOS is known not to answer at all.
    /// - Throws: the error that iOS reports, or ``ExtensionReloadError/noAnswer``.
    public func status(
      of identifier: String, secondsMax: Double = CXCallDirectoryManager.statusSecondsMax
    ) async throws -> EnabledStatus {
      try await answer(secondsMax) { answer in
        getEnabledStatusForExtension(withIdentifier: identifier) { status, error in
          answer(error.map { .failure($0) } ?? .success(status))
        }
      }
    }

    /// Reloads an extension once.
    ///
    /// - Parameter secondsMax: how long to wait. iOS is known not to answer at all.
    /// - Throws: the error that iOS reports, or ``ExtensionReloadError/noAnswer``.
    public func reload(_ identifier: String, secondsMax: Double) async throws {
      try await answer(secondsMax) { answer in
        reloadExtension(withIdentifier: identifier) { error in
          answer(error.map { .failure($0) } ?? .success(()))
        }
      }
    }

    /// Reloads an extension at least once, and repeats until all of its files are loaded.
    ///
    /// - Parameters:
    ///   - secondsMax: how long to wait for each reload; nil for ``reloadSecondsMax(entries:)``.
    ///   - report: called before each reload with the current progress.
    /// - Throws: the error that iOS reports, which may be the extension's own; `CallDirectoryError` if the files can't
    ///   be read; or ``ExtensionReloadError``.
    public func reload(
      _ identifier: String, with files: ExtensionFiles, secondsMax: Double? = nil,
      report: (LoadProgress) -> Void = { _ in }
    ) async throws {
      var progress = try files.progress()
      while true {
        report(progress)
        let reload = files.beginReload()
        do {
          try await self.reload(
            identifier, secondsMax: secondsMax ?? Self.reloadSecondsMax(entries: progress.entriesToCome))
        } catch {
          // Without an answer, iOS may have removed everything: the next load starts from scratch.
          if Self.hasBegun(error) { reload.ended(failed: true) }
          throw error
        }
        reload.ended(failed: false)
        let former = progress
        progress = try files.progress()
        if progress.isComplete { return }
        // Each step must make progress, so the loop ends.
        if progress == former { throw ExtensionReloadError.noProgress }
      }
    }

    /// Whether iOS had started the reload that ended with this error. If so, it has removed all entries.
    private static func hasBegun(_ error: any Error) -> Bool {
      let error = error as NSError
      guard error.domain == CXErrorDomainCallDirectoryManager else { return true }
      typealias Code = CXErrorCodeCallDirectoryManagerError.Code
      let notStarted: [Code] = [.noExtensionFound, .extensionDisabled, .currentlyLoading]
      return error.code != Self.extensionUnavailable && !notStarted.map(\.rawValue).contains(error.code)
    }

    /// The code of an extension that iOS can't start at the moment, which Apple's enum lacks.
    private static let extensionUnavailable = 102
  }

  /// Waits for the first answer of iOS to a question, at most some seconds. Others are ignored: iOS may answer late, or
  /// twice.
  private func answer<Answer: Sendable>(
    _ secondsMax: Double, _ ask: (@escaping @Sendable (Result<Answer, any Error>) -> Void) -> Void
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let question = OpenQuestion(continuation)
      DispatchQueue.global().asyncAfter(deadline: .now() + secondsMax) {
        question.end(.failure(ExtensionReloadError.noAnswer))
      }
      ask { question.end($0) }
    }
  }

  /// `@unchecked Sendable`: the continuation is used under the lock, once.
  private final class OpenQuestion<Answer: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<Answer, any Error>?

    init(_ continuation: CheckedContinuation<Answer, any Error>) { self.continuation = continuation }

    func end(_ result: Result<Answer, any Error>) {
      lock.lock()
      let waiting = continuation
      continuation = nil
      lock.unlock()
      waiting?.resume(with: result)
    }
  }

#endif
