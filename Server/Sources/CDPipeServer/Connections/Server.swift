// The server of a site: listening, stopping. Not for responses (SiteResponder).

import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a server can't run.
public enum ServerError: Error, Sendable {
  /// The files to serve can't be opened.
  case site(SiteError)
  /// The certificate or its key can't be used; with the TLS library's message.
  case certificate(String)
  /// The server can't listen; with the system's message.
  case cannotListen(host: String, port: Int, String)
}

/// Serves a site until it receives a signal to stop.
public struct SiteServer: Sendable {
  private let site: Site
  private let metrics = ServerMetrics()
  private let hangups: UnixSignalsSequence
  private let logger: Logger
  private let tls: ServerTLS?
  private let describe: @Sendable (SiteError) -> String

  /// Opens all files to serve. From here on, SIGHUP does not end the process.
  ///
  /// - Parameters:
  ///   - logger: receives messages for the operator. Message texts and phone numbers are never logged.
  ///   - describe: formats an error for the log.
  public init(
    _ settings: ServerSettings, _ logger: Logger, describe: @escaping @Sendable (SiteError) -> String
  ) async throws(ServerError) {
    hangups = await UnixSignalsSequence(trapping: .sighup)
    do throws(SiteError) {
      site = try Site(settings)
    } catch {
      throw .site(error)
    }
    self.logger = logger
    self.describe = describe
    tls =
      if let files = settings.certificate { try ServerTLS(chain: files.chain, key: files.key) } else { nil }
  }

  /// Listens and serves until SIGTERM or SIGINT, then completes the requests in progress. On SIGHUP, checks the files
  /// for changes at once.
  public func run() async throws(ServerError) {
    let settings = site.settings
    let connections = Self.connections(settings.limits.connectionsMax)
    if connections < settings.limits.connectionsMax {
      logger.warning("the system's limit of open files allows \(connections) connections")
    }
    let watcher = Watcher(site: site, metrics: metrics, logger: logger, hangups: hangups, describe: describe)
    watcher.warn()
    do {
      let group = ServiceGroup(
        configuration: configuration([
          watcher,
          try application(connections),
        ]))
      try await group.run()
    } catch {
      throw .cannotListen(host: settings.host, port: settings.port, "\(error)")
    }
  }

  private func configuration(_ services: [any Service]) -> ServiceGroupConfiguration {
    var configuration = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
    configuration.maximumGracefulShutdownDuration = .seconds(site.settings.limits.shutdownSeconds)
    configuration.maximumCancellationDuration = .seconds(1)
    return configuration
  }

  private func application(_ connections: Int) throws -> Application<SiteResponder> {
    let settings = site.settings
    let limits = settings.limits
    let metrics = metrics
    let logger = logger
    let usage = ClientUsage(limits)
    let http = HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          ConnectionGuard(limits, metrics, settings.proxies == 0 ? usage : nil)
        ],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: ServerLimits.headBytesMax, maxHeaderListSize: ServerLimits.headBytesMax,
          maxHeaderFieldCount: ServerLimits.headFieldsMax)))
    let server = if let tls { try tls.server(http) } else { http }
    return Application(
      responder: SiteResponder(site, metrics, usage, logger, describe: describe), server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), backlog: ServerLimits.backlog,
        availableConnectionsDelegate: MaximumAvailableConnections(connections, logger: quiet)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? settings.port
        logger.info("listening on \(settings.host):\(port)")
      }, logger: quiet)
  }

  /// The logger for libraries: below warnings, their messages may contain parts of requests.
  private var quiet: Logger {
    var quiet = logger
    quiet.logLevel = max(quiet.logLevel, .warning)
    return quiet
  }

  /// The maximum number of connections: at most `wanted`, and no more than the open-file limit less the files that the
  /// process needs itself. Raises the soft limit to the hard limit first.
  private static func connections(_ wanted: Int) -> Int {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return wanted }
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(resource, &limit)
    unsafe getrlimit(resource, &limit)
    return min(wanted, max(Int(clamping: limit.rlim_cur) - filesMax, 1))
  }

  /// The number of files that are open besides connections: folders and manifests of two versions, and files that are
  /// being sent.
  private static let filesMax = 256 + ServerLimits().bufferBytesMax / ServerLimits.fileBufferBytes
}
