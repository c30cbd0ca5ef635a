// Whether an error number is the machine's fault, or that of what was named: a path, or a host.
//
// Not for: the exit status (ErrorClass), or the message (UserMessages).

package import SystemPackage

extension Errno {
  /// Whether the machine is the cause: its disks, its memory, or the limits of the process. Otherwise the cause is what
  /// was named: a path that is missing, forbidden or of another kind, or a host that does not answer.
  package var blamesMachine: Bool {
    switch self {
    // No such file, or no access to it.
    case .noSuchFileOrDirectory, .permissionDenied, .notPermitted, .readOnlyFileSystem, .badFileDescriptor:
      false
    // Another kind of file than needed, or one that is in use.
    case .isDirectory, .notDirectory, .noSuchAddressOrDevice, .operationNotSupportedByDevice, .notSupported,
      .illegalSeek, .invalidArgument, .overflow, .textFileBusy, .resourceBusy:
      false
    // An unusable name, or one that is taken.
    case .fileNameTooLong, .tooManySymbolicLinkLevels, .illegalByteSequence, .fileExists, .directoryNotEmpty,
      .improperLink, .tooManyLinks:
      false
    // A host, or the server of a network file system, that is gone or can't be reached.
    case .connectionRefused, .connectionReset, .connectionAbort, .networkDown, .networkUnreachable,
      .networkReset,
      .hostIsDown, .noRouteToHost, .timedOut, .staleNFSFileHandle, .socketNotConnected, .socketShutdown,
      .brokenPipe, .addressNotAvailable, .addressFamilyNotSupported, .protocolError, .nowInProgress,
      .alreadyInProcess, .resourceTemporarilyUnavailable:
      false
    // EIO, EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOSPC, EDQUOT, EFBIG, ENOLCK and everything else.
    default: true
    }
  }
}
