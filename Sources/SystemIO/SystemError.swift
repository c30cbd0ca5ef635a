// A failed system call: the operation, the file and the errno.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import SystemPackage

/// A failed system call.
public struct SystemError: Error, Equatable, Sendable {
  public enum Operation: Equatable, Sendable {
    case openInput, readInput
    /// Makes an output file under its temporary name.
    case createOutput
    case writeOutput
    /// Renames an output to its final name.
    case publishOutput
    /// The path is the directory of the temporary file.
    case createSpill, writeSpill, readSpill
    case startThread
  }

  public var operation: Operation
  /// The file or directory, as the user named it; `-` is a standard stream.
  public var path: String
  /// The reason that the operating system reported.
  public var code: Errno

  public init(_ operation: Operation, _ path: String, _ code: Errno) {
    self.operation = operation
    self.path = path
    self.code = code
  }
}

/// Runs calls that are part of an operation on a file or directory.
public func asSystemError<Result: ~Copyable>(
  _ operation: SystemError.Operation, _ path: String, _ body: () throws(Errno) -> Result
) throws(SystemError) -> Result {
  do throws(Errno) {
    return try body()
  } catch {
    throw SystemError(operation, path, error)
  }
}

extension Errno {
  /// Whether the machine is the cause: its disks, its memory, or the limits of the process. Otherwise the cause is what
  /// was named: a path that is missing, forbidden or of another kind, or a host that does not answer.
  public var blamesMachine: Bool {
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
