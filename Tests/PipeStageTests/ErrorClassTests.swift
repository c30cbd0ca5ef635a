// The class of a failed system call, and whether a source is to blame.

import Records
import SystemIO
import SystemPackage
import Testing

@Suite("Error classes")
struct ErrorClassTests {
  private static let machine: [Errno] = [
    .ioError, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noSpace,
  ]
  private static let operations: [SystemError.Operation] = [
    .openInput, .readInput, .createOutput, .writeOutput, .publishOutput, .createSpill, .writeSpill,
    .readSpill,
    .startThread,
  ]

  @Test("a fault of the machine is an input/output error in every operation, and never a source's fault")
  func ofTheMachine() {
    for operation in Self.operations {
      for code in Self.machine {
        let error = SystemError(operation, "list.csv", code)
        #expect(error.errorClass == .inputOutput, "\(error)")
        #expect(!error.blamesSource, "\(error)")
      }
    }
    for code in Self.machine { #expect(ErrorClass.opening(code.rawValue) == .inputOutput) }
  }

  @Test(
    "a path that can't be used is that path's fault",
    arguments: [Errno.noSuchFileOrDirectory, .permissionDenied])
  func ofThePath(code: Errno) {
    let source = SystemError(.openInput, "list.csv", code)
    #expect(source.errorClass == .noInput && source.blamesSource)
    #expect(ErrorClass.opening(code.rawValue) == .noInput)
    let output = SystemError(.createOutput, "out.csv", code)
    #expect(output.errorClass == .cannotCreate && !output.blamesSource)
  }
}
