// An extension in a process of its own: which program, what it may hold, and when it is killed.

#if os(Linux)

  /// A program that runs an extension. It finds its request with ``ChildExtension/current()``.
  public struct ChildProgram: Sendable, Equatable {
    /// The program's file.
    public var path: String
    /// Its arguments, without its own name.
    public var arguments: [String]
    /// Its environment; it gets two variables more.
    public var environment: [String: String]
    /// The most memory, in bytes, that the process may have written to and not given back; nil for no limit. That is
    /// what iOS counts. It is looked at in `/proc/PID/smaps_rollup` with every message and every few milliseconds, and
    /// a process that holds more is killed. (A limit of the kernel's own would count what is reserved, not what is
    /// used, and a Swift program reserves hundreds of MiB.)
    public var privateBytesMax: Int?
    /// Kills the process once it has sent this many entries, for tests of the middle of a load; nil for never.
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

  /// The request of the process that asks, if it was started as an extension.
  public struct ChildExtension {
    /// The extension's identifier.
    public let identifier: String
    /// Its request.
    public let request: ExtensionRequest

    /// The variables that tell a process that it is one.
    static let identifierVariable = "SIMULATED_PHONE_EXTENSION"
    static let socketVariable = "SIMULATED_PHONE_SOCKET"
    /// The descriptor that the socket has in the child.
    static let socketNumber: Int32 = 3
  }

#endif
