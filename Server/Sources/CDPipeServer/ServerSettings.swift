// A server's settings and the limits that it enforces. Not for: options and their help (the program).

/// What a server serves, and how.
public struct ServerSettings: Sendable {
  /// Where it listens.
  public var host = "127.0.0.1"
  /// The port; 0 lets the system choose one.
  public var port = 8080
  /// A file of compiled rules that answers message queries; nil: there is no such route.
  public var rules: String?
  /// The receiver's country for queries that do not say it, as two letters.
  public var receiver: String?
  /// A published directory, or a directory of shards; nil: there is no such route.
  public var lists: String?
  /// A store to look numbers up in, instead of the lists' shards.
  public var store: String?
  /// The content of `/.well-known/apple-app-site-association`, a JSON text; nil if there is none.
  public var siteAssociation: String?
  /// PEM files of the certificate, with its chain, and its key; nil: plain HTTP.
  public var certificate: (chain: String, key: String)?
  /// How many proxies in front of the server add to X-Forwarded-For; 0: the header is not believed.
  public var proxies = 0
  /// Who may read `/metrics`.
  public var metrics = MetricsReaders.local
  /// How often files are looked at for changes, in milliseconds.
  public var pollMilliseconds = 1_000
  /// The limits.
  public var limits = ServerLimits()

  /// Serves nothing yet.
  public init() {}
}

/// Who may read the server's metrics.
public enum MetricsReaders: String, Sendable, CaseIterable {
  /// Clients on the same machine.
  case local
  /// Everybody who can connect.
  case any
  /// Nobody.
  case none
}

/// How much of everything a client may take.
public struct ServerLimits: Sendable {
  /// The largest body of a request, in bytes. A message has at most 40,000 characters that rules look at; each
  /// needs three bytes in Chinese text.
  public var bodyBytesMax = 128 << 10
  /// Requests a second of one client; 0: as many as it likes. A phone asks once for each message that it gets.
  public var requestsPerSecond = 50
  /// How many seconds' worth of requests a client may send at once.
  public var burstSeconds = 2
  /// The most connections at a time; more wait in the system's queue. Each needs about 20 KiB.
  public var connectionsMax = 16_384
  /// Seconds that a connection may have nothing to say.
  public var idleSeconds = 30
  /// Seconds from the first byte of a request's head to its last.
  public var headSeconds = 10
  /// Seconds from the end of a request's head to the end of its body.
  public var bodySeconds = 10
  /// Seconds that requests in progress get when the server is asked to stop.
  public var shutdownSeconds = 10

  /// How many clients' rates are remembered. 24 bytes each; of more, those that were quiet longest are forgotten.
  public static let clientsMax = 1 << 16
  /// The bytes of all header fields of a request; iOS sends some 300.
  public static let headBytesMax = 16 << 10
  /// The number of header fields of a request.
  public static let headFieldsMax = 100
  /// Connections that the system queues while the server is at `connectionsMax`.
  public static let backlog = 1_024
  /// The most bytes of a manifest: 1,000 shards with 100 deltas each.
  public static let manifestBytesMax = 64 << 20
  /// The bytes that are read from a file at a time: what a socket takes in one go, about.
  public static let fileChunkBytes = 128 << 10
  /// Seconds that a refused client gets to read why, while what it still sends is thrown away.
  public static let lingerSeconds = 2
  /// Bytes of a refused client that are thrown away in that time; who sends more is cut off.
  public static let lingerBytesMax = 1 << 20
  /// How many times rules are opened, so that as many threads can ask them at a time.
  public static let lanesMax = 8

  /// The default limits.
  public init() {}
}
