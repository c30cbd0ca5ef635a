// A server's settings and the limits that it enforces. Not for options and their help (the program).

/// The settings of a server.
public struct ServerSettings: Sendable {
  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port; 0 lets the system choose one.
  public var port = 8080
  /// The compiled rules or the rule file (.yaml, .yml, .json) for message queries; without it, the route does not exist.
  public var rules: String?
  /// The receiver's country for queries that don't contain it, as two letters.
  public var receiver: String?
  /// A published directory, or a directory of shards; without it, the route does not exist.
  public var lists: String?
  /// A store to look up numbers in, instead of the lists' shards.
  public var store: String?
  /// The content of `/.well-known/apple-app-site-association` as JSON; nil if there is none.
  public var siteAssociation: String?
  /// PEM files of the certificate with its chain, and of its key; nil for plain HTTP.
  public var certificate: (chain: String, key: String)?
  /// The number of trusted proxies that add to X-Forwarded-For; 0 ignores the header.
  public var proxies = 0
  /// The clients that may read `/metrics`.
  public var metrics = MetricsReaders.local
  /// The interval between checks for changed files, in milliseconds.
  public var pollMilliseconds = 1_000
  /// The limits.
  public var limits = ServerLimits()

  /// Creates default settings that serve nothing.
  public init() {}
}

/// The clients that may read the server's metrics.
public enum MetricsReaders: String, Sendable, CaseIterable {
  /// Clients on the same machine.
  case local
  /// All clients.
  case any
  /// No client.
  case none
}

/// The limits for clients.
public struct ServerLimits: Sendable {
  /// The maximum size of a request's body in bytes. Rules examine at most 40,000 characters of a message; Chinese
  /// characters need three bytes each.
  public var bodyBytesMax = 128 << 10
  /// The maximum number of requests per second and client; 0 for no limit. A phone sends one request per message.
  public var requestsPerSecond = 50
  /// The burst that a client may send at once, in seconds' worth of requests.
  public var burstSeconds = 2
  /// The maximum number of simultaneous connections; more wait in the system's queue. Each needs about 20 KiB.
  public var connectionsMax = 16_384
  /// The maximum number of simultaneous connections of one client; more are closed at once. Not used behind proxies,
  /// which share their connections among clients.
  public var clientConnectionsMax = 1_024
  /// The maximum memory for request bodies and for the files that are being sent, in bytes.
  public var bufferBytesMax = 64 << 20
  /// The part of ``bufferBytesMax`` that one client may use, in bytes: 32 bodies of the maximum size.
  public var clientBufferBytesMax = 4 << 20
  /// The maximum idle time of a connection in seconds, and of a client that does not read its response.
  public var idleSeconds = 30
  /// The maximum time from the first to the last byte of a request's head, in seconds.
  public var headSeconds = 10
  /// The maximum time from the end of a request's head to the end of its body, in seconds.
  public var bodySeconds = 10
  /// The time that requests in progress get when the server stops, in seconds.
  public var shutdownSeconds = 10

  /// The number of clients whose rates are tracked, at 24 bytes each. Beyond that, the clients that were idle longest
  /// are forgotten.
  public static let clientsMax = 1 << 16
  /// The maximum size of all header fields of a request in bytes; iOS sends about 300.
  public static let headBytesMax = 16 << 10
  /// The number of bytes to read from a connection at a time.
  static let readBytesMax = 4 << 10
  /// The maximum number of header fields of a request.
  public static let headFieldsMax = 100
  /// The number of connections that the system queues while the server has `connectionsMax`.
  public static let backlog = 1_024
  /// The maximum size of a manifest in bytes: 1,000 shards with 100 deltas each.
  public static let manifestBytesMax = 64 << 20
  /// The number of bytes to read from a file at a time: about what a socket accepts at once.
  public static let fileChunkBytes = 64 << 10
  /// The memory that a file needs while it is being sent: one chunk in the connection, and the next one.
  static let fileBufferBytes = 2 * fileChunkBytes
  /// The time that a rejected client gets to read the response, in seconds. Data that it still sends is discarded.
  public static let lingerSeconds = 2
  /// The maximum number of bytes to discard in that time; a client that sends more is disconnected.
  public static let lingerBytesMax = 1 << 20
  /// The number of copies of the rules, which is the number of threads that can use them at the same time.
  public static let lanesMax = 8

  /// Creates the default limits.
  public init() {}
}
