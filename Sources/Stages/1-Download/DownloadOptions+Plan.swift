// `download` as the input of a pipeline.

package import Records

extension StageName {
  /// Downloads files and URLs.
  package static let download = StageName(rawValue: "download")
}

extension DownloadOptions: InputPlan {
  /// The stage's name.
  package var name: StageName { .download }
  /// The first resource without secrets, for messages and reports.
  package var displayName: String { resources.first.map { URLRedaction.resource($0) } ?? "-" }

  /// Checks the resources without fetching them: each is a path, or a URL that a download accepts.
  package func checkResources() throws(DownloadError) {
    for text in resources { _ = try Resource(text) }
  }

  /// Builds the input, which sends its bytes to `downstream`.
  package func makeInput(
    _ environment: StageEnvironment, downstream: any ByteSink
  ) throws(Failure) -> any StageInput {
    var options = self
    if let notify = environment.notify { options.observe = { notify($0) } }
    return Downloader(options: options, context: environment.context, downstream: downstream)
  }
}

extension Downloader: StageInput {}

extension DownloadEvent: StageNotice {}
