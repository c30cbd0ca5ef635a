// Failures in sentences: what, which, why, and a way out. One small file for each room that can fail.

import CallDeltaWriter
import DedupeStage
import DownloadStage
import EmitStage
import GenerateStage
import ParseStage
import PipeRunner
import PipeStage
import PipelineFile
import Publishing
import SetStage
import SortStage
import SystemIO
import UnzipStage

/// A sentence, and a way out where there is one.
struct UserMessage: Equatable {
  var message: String
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

enum ErrorMessages {
  static func sentence(_ failure: StageError) -> UserMessage {
    let stage = failure.stage
    return switch failure.cause {
    case let failure as SystemError: SystemMessages.sentence(failure, of: stage)
    case let failure as RejectLimitError: RejectMessages.sentence(failure, of: stage)
    case let failure as DownloadError: DownloadMessages.sentence(failure)
    case let failure as UnzipError: UnzipMessages.sentence(failure)
    case let failure as ParseError: ParseMessages.sentence(failure)
    case let failure as DedupeError: DedupeMessages.sentence(failure)
    case let failure as EmitError: EmitMessages.sentence(failure)
    case let failure as GenerateError: GenerateMessages.sentence(failure)
    case let failure as SetError: SetMessages.sentence(failure)
    case let failure as ManifestError:
      ManifestMessages.sentence(failure, for: stage == .emit ? .baseline : .shards)
    case let failure as DeltaError: DeltaMessages.sentence(failure)
    case let failure as ApplyError:
      switch failure {
      case .notSound(let error, let path): EmitMessages.sentence(.notSound(error, path: path))
      }
    case let failure as ScaffoldWriting: ScaffoldMessages.sentence(failure)
    case let failure as MessageInputError: MessageInputMessages.sentence(failure)
    case let failure as ReportError: ReportMessages.sentence(failure)
    case let failure as BenchError: BenchMessages.sentence(failure)
    case let failure as PipelineError: PipelineMessages.sentence(failure)
    case let failure as PipelineFileError: PipelineMessages.sentence(failure)
    case let failure as PublishError: PublishMessages.sentence(failure)
    case let failure as SourceCheckError: PublishMessages.sentence(failure)
    default: UserMessage("\(failure.cause)")
    }
  }
}
