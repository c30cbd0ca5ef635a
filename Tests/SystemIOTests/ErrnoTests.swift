// Which error numbers are the machine's fault.

import SystemIO
import SystemPackage
import Testing

@Suite("Error numbers")
struct ErrnoTests {
  @Test(
    "a full disk, a limit or a failing device is the machine's fault",
    arguments: [
      Errno.ioError, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noSpace, .diskQuotaExceeded,
      .fileTooLarge, .noBufferSpace, .noLocks, .noFunction, .interrupted, .badAddress,
    ])
  func ofTheMachine(code: Errno) {
    #expect(code.blamesMachine)
  }

  @Test(
    "a missing or unusable file, or a host that does not answer, is not",
    arguments: [
      Errno.noSuchFileOrDirectory, .permissionDenied, .notPermitted, .notDirectory, .isDirectory,
      .fileNameTooLong,
      .tooManySymbolicLinkLevels, .noSuchAddressOrDevice, .operationNotSupportedByDevice, .readOnlyFileSystem,
      .fileExists, .connectionRefused, .connectionReset, .networkUnreachable, .timedOut, .staleNFSFileHandle,
    ])
  func ofTheName(code: Errno) {
    #expect(!code.blamesMachine)
  }
}
