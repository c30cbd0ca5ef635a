// `download` as the input of a pipeline.

public import PipeStage

extension StageName {
  /// URLs to bytes.
  public static let download = StageName(rawValue: "download")
}

extension DownloadOptions: InputPlan {
  public var name: StageName { .download }
  public var displayName: String { resources.first ?? "-" }

  public func makeInput(
    _ environment: StageEnvironment, downstream: any ByteSink
  ) throws(StageError) -> any StageInput {
    var options = self
    if let notify = environment.notify { options.observe = { notify($0) } }
    return Downloader(options: options, context: environment.context, downstream: downstream)
  }
}

extension Downloader: StageInput {}

extension DownloadEvent: StageNotice {}
