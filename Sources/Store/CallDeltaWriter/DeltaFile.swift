// Delta files by their paths: recognised by their first bytes, and verified.

public import CallDeltaReader
import SystemPackage

/// A delta file by its path.
public enum DeltaFile {
  /// Whether the file at a path starts as a delta does. What can't be read is none.
  public static func isDelta(_ path: String) -> Bool {
    guard
      let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    else { return false }
    defer { try? file.close() }
    return DeltaHeader.isDelta(descriptor: file.rawValue)
  }

  /// Checks all of the delta at a path.
  public static func verify(_ path: String) throws(DeltaVerificationError) -> DeltaHeader {
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
    } catch {
      throw .unreadable(.cannotOpen((error as? Errno ?? .ioError).rawValue))
    }
    defer { try? file.close() }
    return try DeltaVerification.verify(descriptor: file.rawValue)
  }
}
