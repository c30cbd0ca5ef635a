// Starting a process: the only place that calls posix_spawn.
//
// Not for: connecting and waiting for programs (ChildProgram).

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Starts processes.
package enum ProcessSpawn {
  /// Starts a program and returns its process identifier.
  ///
  /// - Parameters:
  ///   - path: the program.
  ///   - arguments: the arguments after the program's name, which is `path`.
  ///   - environment: entries of the form `NAME=value`; nil for the environment of this process.
  ///   - descriptors: the descriptors to pass, and the numbers they get in the program.
  ///   - resetsSignals: whether to start the program with no signal blocked and with the default action for SIGPIPE.
  package static func start(
    _ path: String, _ arguments: [String], environment: [String]? = nil,
    descriptors: [(FileDescriptor, Int32)], resetsSignals: Bool
  ) throws(Errno) -> Int32 {
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (file, number) in descriptors {
      unsafe posix_spawn_file_actions_adddup2(&actions, file.rawValue, number)
    }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    if resetsSignals {
      var none = sigset_t()
      unsafe sigemptyset(&none)
      var defaults = sigset_t()
      unsafe sigemptyset(&defaults)
      unsafe sigaddset(&defaults, SIGPIPE)
      unsafe posix_spawnattr_setsigmask(&attributes, &none)
      unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
      unsafe posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    }
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var variables = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
    defer { unsafe variables.forEach { unsafe free($0) } }
    var started: pid_t = 0
    let code =
      environment == nil
      ? unsafe posix_spawn(&started, path, &actions, &attributes, &words, environ)
      : unsafe posix_spawn(&started, path, &actions, &attributes, &words, &variables)
    if code != 0 { throw Errno(rawValue: code) }
    return started
  }
}
