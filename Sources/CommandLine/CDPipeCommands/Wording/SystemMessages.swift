// The operating system's failures in sentences.

import PipeStage
import SortStage
import SystemIO
import SystemPackage

enum SystemMessages {
  /// The stage decides which options there are.
  static func sentence(_ failure: SystemError, of stage: StageName? = nil) -> UserMessage {
    let reason = reason(failure.code)
    let path = RejectMessages.printable(failure.path)
    switch failure.operation {
    case .openInput:
      if failure.code == .isDirectory { return UserMessage("'\(path)' is a directory") }
      return UserMessage("cannot open '\(path)': \(reason)", hint: limitHint(failure.code))
    case .readInput:
      return UserMessage("cannot read \(path == "-" ? "standard input" : "'\(path)'"): \(reason)")
    case .createOutput:
      return UserMessage(
        "cannot create '\(path)': \(reason)",
        hint: failure.code == .noSuchFileOrDirectory ? "the directory must be there" : limitHint(failure.code)
      )
    case .writeOutput:
      let full = failure.code == .noSpace || failure.code == .fileTooLarge
      let isKept = full && path != "-" && !path.hasPrefix("/dev/")
      let hints = [limitHint(failure.code), isKept ? "what stood there before is unchanged" : nil].compactMap
      { $0 }
      return UserMessage(
        "cannot write \(path == "-" ? "standard output" : "'\(path)'"): \(reason)",
        hint: hints.isEmpty ? nil : hints.joined(separator: "; "))
    case .publishOutput:
      return UserMessage(
        "cannot put '\(path)' in place: \(reason)", hint: "what stood there before is unchanged")
    case .createSpill:
      return UserMessage(
        "cannot create a temporary file in '\(path)': \(reason)",
        hint: limitHint(failure.code) ?? "--temp-dir DIR or TMPDIR names another directory")
    case .writeSpill:
      return UserMessage(
        "cannot write a temporary file in '\(path)': \(reason)",
        hint: failure.code == .fileTooLarge
          ? limitHint(failure.code)
          : stage == .sort
            ? "--temp-dir DIR or TMPDIR names another directory; a larger --memory writes fewer"
            : "--temp-dir DIR or TMPDIR names another directory")
    case .readSpill:
      return UserMessage("cannot read a temporary file in '\(path)' back: \(reason)")
    case .startThread:
      return UserMessage("cannot start a thread: \(reason)", hint: "--threads 1 needs none")
    }
  }

  /// What to do about a limit of the process.
  private static func limitHint(_ code: Errno) -> String? {
    switch code {
    case .fileTooLarge: "'ulimit -f' limits the size of files here, or the file system does"
    case .tooManyOpenFiles: "'ulimit -n NUMBER' lets a process have more files open"
    default: nil
    }
  }

  /// `No space left on device (ENOSPC)`
  static func reason(_ code: Errno) -> String {
    let name = names[code.rawValue].map { " (\($0))" } ?? " (errno \(code.rawValue))"
    return code.description + name
  }

  private static let names: [CInt: String] = [
    Errno.permissionDenied.rawValue: "EACCES", Errno.noSuchFileOrDirectory.rawValue: "ENOENT",
    Errno.isDirectory.rawValue: "EISDIR", Errno.notDirectory.rawValue: "ENOTDIR",
    Errno.noSpace.rawValue: "ENOSPC", Errno.ioError.rawValue: "EIO", Errno.fileTooLarge.rawValue: "EFBIG",
    Errno.tooManyOpenFiles.rawValue: "EMFILE", Errno.readOnlyFileSystem.rawValue: "EROFS",
    Errno.notPermitted.rawValue: "EPERM", Errno.diskQuotaExceeded.rawValue: "EDQUOT",
    Errno.fileNameTooLong.rawValue: "ENAMETOOLONG", Errno.brokenPipe.rawValue: "EPIPE",
    Errno.badFileDescriptor.rawValue: "EBADF", Errno.fileExists.rawValue: "EEXIST",
    Errno.invalidArgument.rawValue: "EINVAL", Errno.noMemory.rawValue: "ENOMEM",
    Errno.tooManySymbolicLinkLevels.rawValue: "ELOOP",
  ]
}
