// Messages for errors of the operating system.

package import SystemIO
package import SystemPackage

extension SystemError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of stage: StageName?) -> UserMessage {
    let reason = SystemMessages.reason(code)
    switch operation {
    case .openInput:
      if code == .isDirectory { return UserMessage("'\(path)' is a directory") }
      if code == .noSuchAddressOrDevice, let kind = SystemMessages.kind(notOpenedWith: code) {
        return UserMessage("'\(path)' is \(kind), not a file")
      }
      let isURL = stage != nil && path.contains("://")
      return UserMessage(
        "cannot open '\(path)': \(reason)",
        hint: isURL
          ? "fetch it with: cdpipe download \(ShellQuoting.quoted(path)) | …" : SystemMessages.limitHint(code)
      )
    case .readInput:
      return UserMessage("cannot read \(InputName.quoted(path)): \(reason)")
    case .createOutput:
      return UserMessage(
        "cannot create '\(path)': \(reason)",
        hint: code == .noSuchFileOrDirectory ? "create the directory first" : SystemMessages.limitHint(code))
    case .writeOutput:
      let isFull = code == .noSpace || code == .fileTooLarge
      let isKept = isFull && path != "-" && !path.hasPrefix("/dev/")
      let hints = [SystemMessages.limitHint(code), isKept ? "the previous file is unchanged" : nil]
        .compactMap { $0 }
      return UserMessage(
        "cannot write \(path == "-" ? "standard output" : "'\(path)'"): \(reason)",
        hint: hints.isEmpty ? nil : hints.joined(separator: "; "))
    case .publishOutput:
      return UserMessage("cannot replace '\(path)': \(reason)", hint: "the previous file is unchanged")
    case .createSpill:
      return UserMessage(
        "cannot create a temporary file in '\(path)': \(reason)",
        hint: SystemMessages.limitHint(code) ?? "choose another directory with --temp-dir DIR or TMPDIR")
    case .writeSpill:
      return UserMessage(
        "cannot write a temporary file in '\(path)': \(reason)",
        hint: code == .fileTooLarge
          ? SystemMessages.limitHint(code)
          : "choose another directory with --temp-dir DIR or TMPDIR"
            + (stage?.rawValue == "sort" ? ", or write less with a larger --memory" : ""))
    case .readSpill:
      return UserMessage("cannot read back a temporary file in '\(path)': \(reason)")
    case .startThread:
      return UserMessage("cannot start a thread: \(reason)", hint: "use --threads 1")
    }
  }
}

/// Describes error numbers of the operating system.
package enum SystemMessages {
  /// The hint for an exceeded limit of the process.
  package static func limitHint(_ code: Errno) -> String? {
    switch code {
    case .fileTooLarge: "the size of files is limited: check 'ulimit -f' and the file system"
    case .tooManyOpenFiles: "allow more open files with 'ulimit -n NUMBER'"
    default: nil
    }
  }

  /// The kind of a file that can't be opened as a store: the reader of stores has an error number for each.
  package static func kind(notOpenedWith code: Errno) -> String? {
    switch code {
    case .illegalSeek: "a pipe"
    case .noSuchAddressOrDevice: "a socket"
    case .operationNotSupportedByDevice: "a device"
    default: nil
    }
  }

  /// Describes an error number: `No space left on device (ENOSPC)`.
  package static func reason(_ code: Errno) -> String {
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
