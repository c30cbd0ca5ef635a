// `cdpipe-server`: parses the options and runs the server.

public import ArgumentParser
public import CDPipeServer
public import Logging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@main
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cdpipe-server",
    abstract: "Apply message rules and look up numbers over HTTP.",
    discussion: """
      POST /message-filter answers iOS's message-filter queries by message rules: compiled ones (cdpipe rules \
      compile), or a rule file, which is compiled when it is read. \
      GET /lookup/NUMBER looks up a number in a store or in published lists; /lists/… serves the lists. Changed files \
      are reloaded without losing a request; SIGHUP reloads them at once. SIGTERM and SIGINT stop the server after the \
      requests in progress.
      """,
    version: ProgramVersion.current)

  @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(help: ArgumentHelp("The port to listen on; 0 for any free port.", valueName: "number"))
  var port = 8080

  @Option(
    help: ArgumentHelp(
      "The message rules: compiled, or a rule file (.yaml, .yml, .json).", valueName: "file"))
  var rules: String?

  @Option(help: ArgumentHelp("The receiver's country for queries that don't contain it.", valueName: "cc"))
  var receiver: String?

  @Option(help: ArgumentHelp("A published directory, or a directory of shards.", valueName: "directory"))
  var lists: String?

  @Option(help: ArgumentHelp("A store to look up numbers in, instead of the lists.", valueName: "file"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "An app or extension that may use the server, as TEAMID.bundle.identifier, for apple-app-site-association. Can be repeated.",
      valueName: "identifier"))
  var app: [String] = []

  @Option(help: ArgumentHelp("The certificate with its chain (PEM).", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The certificate's key (PEM).", valueName: "file"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The number of trusted proxies in front of the server; 0: X-Forwarded-For is ignored.",
      valueName: "count"))
  var proxies = 0

  @Option(help: ArgumentHelp("Who may read /metrics: local, any or none.", valueName: "who"))
  var metrics: MetricsReaders = .local

  @Option(help: ArgumentHelp("The maximum requests per second and client; 0: no limit.", valueName: "count"))
  var rate = ServerLimits().requestsPerSecond

  @Option(help: ArgumentHelp("The maximum size of a request's body, in bytes.", valueName: "bytes"))
  var maxBody = ServerLimits().bodyBytesMax

  @Option(help: ArgumentHelp("The maximum number of connections.", valueName: "count"))
  var maxConnections = ServerLimits().connectionsMax

  @Option(
    help: ArgumentHelp(
      "The maximum number of connections of one client; not used with --proxies.", valueName: "count"))
  var maxClientConnections = ServerLimits().clientConnectionsMax

  @Option(help: ArgumentHelp("Close connections that are idle for N seconds.", valueName: "seconds"))
  var idleTimeout = ServerLimits().idleSeconds

  @Option(
    help: ArgumentHelp("Abort requests whose head or body takes longer than N seconds.", valueName: "seconds")
  )
  var requestTimeout = ServerLimits().headSeconds

  @Option(
    help: ArgumentHelp("Check the files for changes every N seconds (default: 1).", valueName: "seconds"))
  var poll: Double?

  @Flag(help: "For development: check the files for changes every tenth of a second.")
  var watch = false

  @Option(
    help: ArgumentHelp("The minimum severity to log: debug, info, warning or error.", valueName: "level"))
  var logLevel: Logger.Level = .info

  func validate() throws {
    if rules == nil, lists == nil, store == nil {
      throw ValidationError("Nothing to serve: name --rules, --lists or --store.")
    }
    if (certificate == nil) != (key == nil) {
      throw ValidationError("--certificate and --key must be used together.")
    }
    if let receiver, !CountryCode.isOne(receiver) {
      throw ValidationError("--receiver must be a country's two letters, such as CN.")
    }
    if let wrong = app.first(where: { !AppIdentifier.isOne($0) }) {
      throw ValidationError("'\(wrong)' is not TEAMID.bundle.identifier.")
    }
    try check("--port", port, 0...65_535)
    try check("--proxies", proxies, 0...16)
    try check("--rate", rate, 0...1_000_000)
    try check("--max-body", maxBody, 1_024...16 << 20)
    try check("--max-connections", maxConnections, 1...1_000_000)
    try check("--max-client-connections", maxClientConnections, 1...1_000_000)
    try check("--idle-timeout", idleTimeout, 1...3_600)
    try check("--request-timeout", requestTimeout, 1...3_600)
    if watch, poll != nil { throw ValidationError("--watch and --poll can't be used together.") }
    guard pollSeconds >= 0.01, pollSeconds <= 3_600 else {
      throw ValidationError("--poll must be 0.01 to 3600 seconds.")
    }
  }

  private var pollSeconds: Double { poll ?? (watch ? 0.1 : 1) }

  private func check(_ option: String, _ value: Int, _ range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError("\(option) must be \(range.lowerBound) to \(range.upperBound).")
    }
  }

  private var settings: ServerSettings {
    var settings = ServerSettings()
    settings.host = host
    settings.port = port
    settings.rules = rules
    settings.receiver = receiver?.uppercased()
    settings.lists = lists
    settings.store = store
    settings.siteAssociation = app.isEmpty ? nil : AppIdentifier.association(app)
    if let certificate, let key { settings.certificate = (certificate, key) }
    settings.proxies = proxies
    settings.metrics = metrics
    settings.pollMilliseconds = Int(pollSeconds * 1_000)
    settings.limits.requestsPerSecond = rate
    settings.limits.bodyBytesMax = maxBody
    settings.limits.connectionsMax = maxConnections
    settings.limits.clientConnectionsMax = maxClientConnections
    settings.limits.idleSeconds = idleTimeout
    settings.limits.headSeconds = requestTimeout
    settings.limits.bodySeconds = requestTimeout
    return settings
  }

  func run() async throws {
    var logger = Logger(label: "cdpipe-server") { ServerLog(label: $0) }
    logger.logLevel = logLevel
    do throws(ServerError) {
      let server = try await SiteServer(settings, logger) { ServerMessages.describe($0) }
      try await server.run()
    } catch {
      logger.critical("\(ServerMessages.describe(error))")
      throw ExitCode(ServerMessages.status(error))
    }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension MetricsReaders: ExpressibleByArgument {}

/// App identifiers for apple-app-site-association.
enum AppIdentifier {
  /// Whether a text is TEAMID.bundle.identifier. Valid texts need no escapes in JSON.
  static func isOne(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count >= 2 && text.utf8.count <= 255
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
              || byte == 0x2D
          }
      }
  }

  /// The content of `/.well-known/apple-app-site-association`.
  static func association(_ apps: [String]) -> String {
    let list = apps.map { "\"\($0)\"" }.joined(separator: ",")
    return #"{"messagefilter":{"apps":[\#(list)]}}"# + "\n"
  }
}
