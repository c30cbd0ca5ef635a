// The program of an extension in its own process, with its memory limit.

#if os(Linux)

  /// A program that runs an extension. It gets its request from ``ChildExtension/current()``.
  public struct ChildProgram: Sendable, Equatable {
    /// The path of the program.
    public var path: String
    /// The arguments, without the program's name.
    public var arguments: [String]
    /// The environment; two variables are added to it.
    public var environment: [String: String]
    /// The maximum private dirty memory of the process in bytes, which is what iOS counts; nil for no limit. It is read
    /// from `/proc/PID/smaps_rollup` with every message and every few milliseconds; a process that exceeds the limit is
    /// killed. (A kernel limit would count reserved memory, and a Swift program reserves hundreds of MiB.)
    public var privateBytesMax: Int?
    /// Kills the process after it has sent this many entries, for tests of interrupted loads; nil for never.
    public var killAfterEntries: Int?

    /// Creates a program.
    public init(
      path: String, arguments: [String] = [], environment: [String: String] = [:],
      privateBytesMax: Int? = nil,
      killAfterEntries: Int? = nil
    ) {
      self.path = path
      self.arguments = arguments
      self.environment = environment
      self.privateBytesMax = privateBytesMax
      self.killAfterEntries = killAfterEntries
    }
  }

  /// The extension that this process runs as, and its request.
  public struct ChildExtension {
    /// The extension's identifier.
    public let identifier: String
    /// The extension's request.
    public let request: ExtensionRequest

    /// The environment variables that mark a process as an extension.
    static let identifierVariable = "SIMULATED_PHONE_EXTENSION"
    static let socketVariable = "SIMULATED_PHONE_SOCKET"
    /// The socket's descriptor in the child process.
    static let socketNumber: Int32 = 3
  }

#endif
