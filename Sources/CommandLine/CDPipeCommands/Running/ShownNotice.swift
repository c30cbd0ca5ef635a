// Notices of stages, shown to users.

import DedupeStage
import DownloadStage
import PipeStage

/// A notice that is shown to users.
protocol ShownNotice: StageNotice {
  /// The stage that reports it.
  var stage: StageName { get }
  /// The lines to print.
  var lines: [String] { get }
}

extension DownloadEvent: ShownNotice {
  var stage: StageName { .download }
  var lines: [String] { DownloadMessages.lines(self) }
}

extension DedupeNotice: ShownNotice {
  var stage: StageName { .dedupe }
  var lines: [String] { [DedupeMessages.line(self)] }
}
