// Delta files by their paths: recognised by their first bytes, and verified.

package import CallDeltaReader
import SystemPackage

/// A delta file by its path.
package enum DeltaFile {
  /// Whether the file at a path starts like a delta. False if it can't be read.
  package static func isDelta(_ path: String) -> Bool {
    guard
      let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    else { return false }
    defer { try? file.close() }
    return DeltaHeader.isDelta(descriptor: file.rawValue)
  }

  /// Checks the delta at a path, and returns its header.
  package static func verify(_ path: String) throws(DeltaVerificationError) -> DeltaHeader {
    let file: FileDescriptor
    do {
      // A pipe has no header; without `nonBlocking`, opening it would wait for a writer.
      file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    } catch {
      throw .unreadable(.cannotOpen((error as? Errno ?? .ioError).rawValue))
    }
    defer { try? file.close() }
    return try DeltaVerification.verify(descriptor: file.rawValue)
  }
}
