// Why a sort stops: its own spill files, or the stage behind it.

import PipeStage
import SystemIO

/// What can go wrong while records are walked or merged.
enum SortTrouble: Error {
  case system(SystemFailure)
  case downstream(PipeFailure)

  var pipeFailure: PipeFailure {
    switch self {
    case .system(let failure): PipeFailure(.sort, failure)
    case .downstream(let failure): failure
    }
  }
}
