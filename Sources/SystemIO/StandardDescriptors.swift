// Makes sure that descriptors 0, 1 and 2 are standard input, output and error, or fail when used.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The three descriptors that a process is started with.
package enum StandardDescriptors {
  /// Reserves those of the three that are closed.
  ///
  /// The parent process may have closed them (`2>&-`). The next file that this process opens would then get the lowest
  /// free number: messages would go into an output, or an output would be read as standard input. Reserved descriptors
  /// fail with EBADF, like closed ones. Call this before any file is opened.
  package static func reserve() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lower ones are open, so this one is the lowest free number. It is opened for the wrong direction.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
