// Failures in sentences: what, which, why, and a way out. One small file for each room that can fail.

import CallDeltaWriter
import DedupeStage
import DownloadStage
import EmitStage
import GenerateStage
import ParseStage
import PipeRunner
import PipeStage
import Publishing
import SetStage
import SortStage
import SystemIO
import UnzipStage

/// A sentence, and a way out where there is one.
struct Sentence: Equatable {
  var message: String
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

enum FailureWording {
  static func sentence(_ failure: PipeFailure) -> Sentence {
    let stage = failure.stage
    return switch failure.cause {
    case let failure as SystemFailure: SystemWording.sentence(failure, of: stage)
    case let failure as RejectFailure: RejectWording.sentence(failure, of: stage)
    case let failure as DownloadFailure: DownloadWording.sentence(failure)
    case let failure as UnzipFailure: UnzipWording.sentence(failure)
    case let failure as ParseFailure: ParseWording.sentence(failure)
    case let failure as DedupeFailure: DedupeWording.sentence(failure)
    case let failure as EmitFailure: EmitWording.sentence(failure)
    case let failure as GenerateFailure: GenerateWording.sentence(failure)
    case let failure as SetFailure: SetWording.sentence(failure)
    case let failure as ManifestFailure:
      ManifestWording.sentence(failure, for: stage == .emit ? .baseline : .shards)
    case let failure as DeltaFailure: DeltaWording.sentence(failure)
    case let failure as ApplyFailure:
      switch failure {
      case .notSound(let error, let path): EmitWording.sentence(.notSound(error, path: path))
      }
    case let failure as ScaffoldWriting: ScaffoldWording.sentence(failure)
    case let failure as MessageInputFailure: MessageWording.sentence(failure)
    case let failure as ReportFailure: ReportWording.sentence(failure)
    case let failure as BenchFailure: BenchWording.sentence(failure)
    case let failure as PipelineFailure: PipelineWording.sentence(failure)
    case let failure as PipelineFileFailure: PipelineWording.sentence(failure)
    case let failure as PublishFailure: PublishWording.sentence(failure)
    case let failure as SourceFailure: PublishWording.sentence(failure)
    default: Sentence("\(failure.cause)")
    }
  }
}
