// How much a pipe between two processes holds.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#endif

/// The capacity of pipes. By default a pipe of Linux holds 64 KiB, and five filters in a pipe took a quarter more time
/// than if a pipe holds a chunk. All pipes of a user may hold 64 MiB (pipe(7)).
package enum PipeCapacity {
  /// The bytes that a pipe should hold at least.
  package static let bytesMin = ByteChunk.defaultBytes

  #if os(Linux)
    // F_SETPIPE_SZ and F_GETPIPE_SZ, which Swift's module of the C library lacks.
    private static let set: CInt = 1031
    private static let get: CInt = 1032
  #endif

  /// The bytes that a pipe holds; nil if the descriptor is not a pipe, or the system can't tell.
  package static func of(_ descriptor: FileDescriptor) -> Int? {
    #if os(Linux)
      let bytes = fcntl(descriptor.rawValue, get)
      return bytes < 0 ? nil : Int(bytes)
    #else
      return nil
    #endif
  }

  /// Lets a pipe hold ``bytesMin``, if the system allows it. Does nothing for a longer pipe, or another kind of file.
  static func raise(_ descriptor: FileDescriptor) {
    #if os(Linux)
      if let now = of(descriptor), now < bytesMin { _ = fcntl(descriptor.rawValue, set, CInt(bytesMin)) }
    #endif
  }
}
