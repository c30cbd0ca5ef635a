// Why a sort stops: its own spill files, or the stage behind it.

import PipeStage
import SystemIO

/// What can go wrong while records are walked or merged.
enum SortTrouble: Error {
  case system(SystemError)
  case downstream(StageError)

  var stageError: StageError {
    switch self {
    case .system(let failure): StageError(.sort, failure)
    case .downstream(let failure): failure
    }
  }
}
