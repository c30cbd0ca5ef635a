// The app's side: reloading an extension until all that is wanted is loaded.

#if canImport(CallKit) && (os(iOS) || os(Linux))

  public import CallDirectory
  public import CallKit

  /// Why reloading was given up, other than for an error of iOS's or of the files.
  public enum ExtensionReloadError: Error, Equatable, Sendable {
    /// A reload went well, and the next one would do the same again: the extension loads other files, or can't write its
    /// record.
    case noProgress
  }

  extension CXCallDirectoryManager {
    /// Reloads an extension, once at the least, and as often as its files need.
    ///
    /// - Parameter report: is called before each reload, with what is still to come.
    /// - Throws: iOS's error, which the extension's own one may be; `CallDirectoryError` when the files can't be read;
    ///   ``ExtensionReloadError``.
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
        // Each step leaves less to do, so that this ends.
        if progress == former { throw ExtensionReloadError.noProgress }
      }
    }

    /// Whether iOS began a reload that came to this error. If it did, all entries are gone.
    private static func hasBegun(_ error: any Error) -> Bool {
      guard let error = error as? CXErrorCodeCallDirectoryManagerError else { return true }
      // iOS has codes that the enum lacks.
      return switch error.code {
      case .noExtensionFound, .extensionDisabled, .currentlyLoading: false
      default: true
      }
    }
  }

#endif
