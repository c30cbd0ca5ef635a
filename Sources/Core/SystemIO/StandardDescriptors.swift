// Descriptors 0, 1 and 2 are standard input, output and error, or nothing.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The three descriptors that a process is started with.
public enum StandardDescriptors {
  /// Sees to it that none of the three is free.
  ///
  /// Whoever starts a program may close them (`2>&-`), and the next file that it opens gets the lowest free one: messages
  /// would go into an output, or an output would be read as standard input. Those that are closed become descriptors that
  /// fail with EBADF, as they would have. Call it before any file is opened.
  public static func hold() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free one, which it is: those below are held. It can do what is never asked of it.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
