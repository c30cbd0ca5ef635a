// A failed system call: the operation, the file and the errno.
//
// Not for: the message (UserMessages writes it).

package import SystemPackage

/// A failed system call.
package struct SystemError: Error, Equatable, Sendable {
  /// The operation that the call was part of.
  package enum Operation: Equatable, Sendable {
    /// Opening an input.
    case openInput
    /// Reading an input.
    case readInput
    /// Making an output file under its temporary name.
    case createOutput
    /// Writing an output.
    case writeOutput
    /// Renaming an output to its final name.
    case publishOutput
    /// Making a spill file in a directory.
    case createSpill
    /// Writing a spill file in a directory.
    case writeSpill
    /// Reading a spill file back.
    case readSpill
    /// Starting a thread.
    case startThread
  }

  /// The operation that failed.
  package var operation: Operation
  /// The file or directory, as the user named it; `-` is a standard stream.
  package var path: String
  /// The reason that the operating system reported.
  package var code: Errno

  /// Creates an error.
  package init(_ operation: Operation, _ path: String, _ code: Errno) {
    self.operation = operation
    self.path = path
    self.code = code
  }
}
