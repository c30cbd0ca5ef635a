// Notices of stages that are shown to users.

import RecordStages
import InputStages
import Records

/// A notice that is shown to users.
protocol ShownNotice: StageNotice {
  /// The stage that reports it.
  var stage: StageName { get }
  /// The lines to print.
  var lines: [String] { get }
}

extension DownloadEvent: ShownNotice {
  var stage: StageName { .download }
}

extension DedupeNotice: ShownNotice {
  var stage: StageName { .dedupe }
  var lines: [String] { [line] }
}
