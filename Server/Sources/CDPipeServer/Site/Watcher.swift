// Checks a site's files periodically and logs the result. Not for: opening them (Reloadable).

package import Logging
import NIOPosix
import ServiceLifecycle

/// Looks for changed files until the server stops.
///
/// Looking costs a few system calls. It works on every file system and for every way of replacing a file, which
/// inotify's events do not.
package struct Watcher: Service {
  let site: Site
  let metrics: ServerMetrics
  let logger: Logger
  let sentence: @Sendable (SiteError) -> String

  /// Looks at a site's files.
  ///
  /// - Parameter sentence: words a failure for the log.
  package init(
    site: Site, metrics: ServerMetrics, logger: Logger, sentence: @escaping @Sendable (SiteError) -> String
  ) {
    self.site = site
    self.metrics = metrics
    self.logger = logger
    self.sentence = sentence
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: .milliseconds(site.settings.pollMilliseconds))
          try await look()
        } catch {
          // The server stops.
          return
        }
      }
    }
  }

  /// Looks once. Opening may take a while, and other threads answer meanwhile.
  package func look() async throws {
    let outcomes = try await NIOThreadPool.singleton.runIfActive { site.refresh() }
    for (part, outcome) in outcomes { report(part, outcome) }
  }

  private func report(_ part: Site.Part, _ outcome: ReloadOutcome) {
    switch outcome {
    case .unchanged, .stillFailing: break
    case .replaced:
      metrics.reloads(part, isFailure: false).add()
      logger.info("\(part.rawValue) opened again")
    case .failed(let failure):
      metrics.reloads(part, isFailure: true).add()
      logger.error("\(part.rawValue) changed and can't be used; the old ones stay: \(sentence(failure))")
    }
  }
}
