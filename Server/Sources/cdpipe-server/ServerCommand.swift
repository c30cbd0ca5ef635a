// `cdpipe-server`: its options, and one call.

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
    abstract: "Answer message filters and look numbers up over HTTP.",
    discussion: """
      POST /message-filter answers what iOS asks for a message filter, by compiled rules (cdpipe rules compile). \
      GET /lookup/NUMBER finds a number in a store or in published lists, /lists/… serves them. Files that change \
      are opened again without a request being lost. SIGTERM and SIGINT end it when what is in progress is answered.
      """)

  @Option(help: ArgumentHelp("Where to listen.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(help: ArgumentHelp("The port; 0 for any.", valueName: "number"))
  var port = 8080

  @Option(help: ArgumentHelp("Compiled message rules.", valueName: "file"))
  var rules: String?

  @Option(help: ArgumentHelp("The receiver's country where a query does not say it.", valueName: "cc"))
  var receiver: String?

  @Option(help: ArgumentHelp("A published directory, or a directory of shards.", valueName: "directory"))
  var lists: String?

  @Option(help: ArgumentHelp("A store to look numbers up in, instead of the lists.", valueName: "file"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "An app or extension that may ask, as TEAMID.bundle.identifier: for apple-app-site-association. Repeatable.",
      valueName: "identifier"))
  var app: [String] = []

  @Option(help: ArgumentHelp("The certificate with its chain, PEM.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The certificate's key, PEM.", valueName: "file"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "How many proxies in front of the server write X-Forwarded-For; 0: nobody is believed.",
      valueName: "count"))
  var proxies = 0

  @Option(help: ArgumentHelp("Who may read /metrics: local, any or none.", valueName: "who"))
  var metrics: MetricsReaders = .local

  @Option(help: ArgumentHelp("Requests a second of one client; 0: no limit.", valueName: "count"))
  var rate = ServerLimits().requestsPerSecond

  @Option(help: ArgumentHelp("The largest body of a request, in bytes.", valueName: "bytes"))
  var maxBody = ServerLimits().bodyBytesMax

  @Option(help: ArgumentHelp("The most connections.", valueName: "count"))
  var maxConnections = ServerLimits().connectionsMax

  @Option(help: ArgumentHelp("Seconds that a connection may be idle.", valueName: "seconds"))
  var idleTimeout = ServerLimits().idleSeconds

  @Option(help: ArgumentHelp("Seconds that a request's head may take, and its body.", valueName: "seconds"))
  var requestTimeout = ServerLimits().headSeconds

  @Option(help: ArgumentHelp("Seconds between looks at the files.", valueName: "seconds"))
  var poll = 1.0

  @Option(help: ArgumentHelp("How much is logged: debug, info, warning or error.", valueName: "level"))
  var logLevel: Logger.Level = .info

  func validate() throws {
    if rules == nil, lists == nil, store == nil {
      throw ValidationError("Nothing to serve: name --rules, --lists or --store.")
    }
    if (certificate == nil) != (key == nil) {
      throw ValidationError("--certificate and --key belong together.")
    }
    if let receiver, !CountryCode.isOne(receiver) {
      throw ValidationError("--receiver takes a country's two letters, such as CN.")
    }
    if let wrong = app.first(where: { !AppIdentifier.isOne($0) }) {
      throw ValidationError("'\(wrong)' is not TEAMID.bundle.identifier.")
    }
    try check("--port", port, 0...65_535)
    try check("--proxies", proxies, 0...16)
    try check("--rate", rate, 0...1_000_000)
    try check("--max-body", maxBody, 1_024...16 << 20)
    try check("--max-connections", maxConnections, 1...1_000_000)
    try check("--idle-timeout", idleTimeout, 1...3_600)
    try check("--request-timeout", requestTimeout, 1...3_600)
    guard poll >= 0.01, poll <= 3_600 else { throw ValidationError("--poll takes 0.01 to 3600 seconds.") }
  }

  private func check(_ option: String, _ value: Int, _ range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError("\(option) takes \(range.lowerBound) to \(range.upperBound).")
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
    settings.pollMilliseconds = Int(poll * 1_000)
    settings.limits.requestsPerSecond = rate
    settings.limits.bodyBytesMax = maxBody
    settings.limits.connectionsMax = maxConnections
    settings.limits.idleSeconds = idleTimeout
    settings.limits.headSeconds = requestTimeout
    settings.limits.bodySeconds = requestTimeout
    return settings
  }

  func run() async throws {
    var logger = Logger(label: "cdpipe-server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = logLevel
    do throws(ServerError) {
      let server = try SiteServer(settings, logger) { ServerMessages.sentence($0) }
      try await server.run()
    } catch {
      logger.critical("\(ServerMessages.sentence(error))")
      throw ExitCode(ServerMessages.status(error))
    }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension MetricsReaders: ExpressibleByArgument {}

/// Apps as apple-app-site-association names them.
enum AppIdentifier {
  /// Whether a text is TEAMID.bundle.identifier. Nothing that it may have needs an escape in JSON.
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
