// What went wrong with a file: what was being done, to which, and the errno. The command layer makes the
// sentence.

public import SystemPackage

/// A call on the operating system that failed.
public struct SystemError: Error, Equatable, Sendable {
  /// What was being done.
  public enum Operation: Equatable, Sendable {
    /// Opening an input.
    case openInput
    /// Reading an input.
    case readInput
    /// Making an output file, or the temporary one that is to become it.
    case createOutput
    /// Writing an output.
    case writeOutput
    /// Giving an output its name.
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

  /// What was being done.
  public var operation: Operation
  /// To which file or directory, as the user named it; `-` is a standard stream.
  public var path: String
  /// The operating system's reason.
  public var code: Errno

  /// Makes a failure.
  public init(_ operation: Operation, _ path: String, _ code: Errno) {
    self.operation = operation
    self.path = path
    self.code = code
  }
}
