// Files that are there and may not be read, as on an iPhone before its first unlock.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package enum DeniedFiles {
  /// Runs code that may not read files of this process's user without permissions for others. It runs on this thread
  /// only. Elsewhere than on Linux, and for other users than root, make the files unreadable for their owner, too.
  package static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    #if os(Linux)
      // Permissions are no hindrance to root, but to another user, which Linux allows for a thread.
      typealias SetUser = @convention(c) (UInt32) -> Int32
      let call = unsafe unsafeBitCast(dlsym(nil, "setfsuid"), to: SetUser.self)
      let nobody: UInt32 = 65_534
      _ = call(nobody)
      defer { _ = call(geteuid()) }
    #endif
    return try body()
  }

  /// Makes a file unreadable.
  package static func deny(_ path: String) { unsafe chmod(path, 0) }

  /// Makes a file readable for its owner, or, with `others`, for everybody.
  package static func allow(_ path: String, others: Bool = false) {
    unsafe chmod(path, others ? 0o755 : 0o700)
  }
}
