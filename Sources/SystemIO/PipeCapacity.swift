// How much a pipe between two processes holds.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#endif

/// The capacity of pipes. A Linux pipe holds 64 KiB by default. Five filters took 25 % longer with that than with pipes
/// that hold a chunk. An unprivileged user's pipes may hold 64 MiB in total (pipe(7)).
package enum PipeCapacity {
  /// The minimum capacity in bytes.
  package static let bytesMin = ByteChunk.defaultBytes

  #if os(Linux)
    // F_SETPIPE_SZ and F_GETPIPE_SZ, which Swift's module of the C library lacks.
    private static let set: CInt = 1031
    private static let get: CInt = 1032
  #endif

  /// The bytes that a pipe holds; nil if the descriptor is not a pipe, or the system does not report it.
  package static func of(_ descriptor: FileDescriptor) -> Int? {
    #if os(Linux)
      let bytes = fcntl(descriptor.rawValue, get)
      return bytes < 0 ? nil : Int(bytes)
    #else
      return nil
    #endif
  }

  /// Raises a pipe's capacity to ``bytesMin`` if the system permits. Larger pipes and other files stay as they are.
  static func raise(_ descriptor: FileDescriptor) {
    #if os(Linux)
      if let now = of(descriptor), now < bytesMin { _ = fcntl(descriptor.rawValue, set, CInt(bytesMin)) }
    #endif
  }
}
