// Checks a site's files periodically and on SIGHUP, and logs the result. Not for opening them (Reloadable).

package import Logging
import NIOPosix
import ServiceLifecycle
package import UnixSignals

/// Checks for changed files until the server stops.
///
/// A check needs a few system calls. Unlike inotify, it works on every file system and for every way of replacing a
/// file.
package struct Watcher: Service {
  let site: Site
  let metrics: ServerMetrics
  let logger: Logger
  let hangups: UnixSignalsSequence?
  let describe: @Sendable (SiteError) -> String

  /// Creates a watcher of a site's files.
  ///
  /// - Parameters:
  ///   - hangups: signals on which to check at once.
  ///   - describe: formats an error for the log.
  package init(
    site: Site, metrics: ServerMetrics, logger: Logger, hangups: UnixSignalsSequence? = nil,
    describe: @escaping @Sendable (SiteError) -> String
  ) {
    self.site = site
    self.metrics = metrics
    self.logger = logger
    self.hangups = hangups
    self.describe = describe
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup { group in
        group.addTask { await poll() }
        if let hangups { group.addTask { await look(on: hangups) } }
      }
    }
  }

  private func poll() async {
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .milliseconds(site.settings.pollMilliseconds))
        try await look()
      } catch {
        // The server is stopping.
        return
      }
    }
  }

  private func look(on hangups: UnixSignalsSequence) async {
    for await _ in hangups {
      logger.info("SIGHUP: checking the files for changes")
      try? await look()
    }
  }

  /// Checks once. Opening may take some time; other threads respond meanwhile.
  package func look() async throws {
    let outcomes = try await NIOThreadPool.singleton.runIfActive { site.refresh() }
    for (part, outcome) in outcomes { report(part, outcome) }
  }

  /// Logs what is probably unintended in the rule file.
  func warn() {
    for warning in site.warnings { logger.warning("\(warning)") }
  }

  private func report(_ part: Site.Part, _ outcome: ReloadOutcome) {
    switch outcome {
    case .unchanged, .stillFailing: break
    case .replaced:
      metrics.reloads(part, isFailure: false).add()
      logger.info("\(part.rawValue) reloaded")
      if part == .rules { warn() }
    case .failed(let failure):
      metrics.reloads(part, isFailure: true).add()
      logger.error(
        "\(part.rawValue) changed but can't be used; still serving the old ones: \(describe(failure))")
    }
  }
}
