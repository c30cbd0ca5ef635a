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
  }

  extension CXCallDirectoryManager {
    /// Reloads an extension at least once, and repeats until all of its files are loaded.
    ///
    /// - Parameter report: called before each reload with the current progress.
    /// - Throws: the error that iOS reports, which may be the extension's own; `CallDirectoryError` if the files can't
    ///   be read; or ``ExtensionReloadError``.
    public func reload(
      _ identifier: String, with files: ExtensionFiles, report: (LoadProgress) -> Void = { _ in }
    ) async throws {
      var progress = try files.progress()
      while true {
        report(progress)
        let reload = files.beginReload()
        do {
          try await reloadExtension(withIdentifier: identifier)
        } catch {
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

#endif
