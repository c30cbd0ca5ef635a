// Why a run failed; and the sentences of failed system calls.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import SystemIO
public import SystemPackage

/// The class of an error. It decides the exit status.
public enum ErrorClass: Sendable {
  /// The data is invalid (65).
  case badData
  /// An input does not exist or can't be read (66).
  case noInput
  /// The network or a server failed (69).
  case unavailable
  /// An output can't be created (73).
  case cannotCreate
  /// An input/output error (74).
  case inputOutput
  /// The command was used incorrectly (64).
  case usage
  /// A resource is in use; a later attempt may succeed (75).
  case tryLater
  /// The reader of the output went away. Not an error: the work is over (0).
  case readerGone
  /// Nothing has changed, and an option asks for a status of its own in that case. Not an error (3).
  case unchanged

  /// The class of a failure to open an input: the fault of the path, or of the machine.
  public static func opening(_ errno: CInt) -> ErrorClass {
    Errno(rawValue: errno).blamesMachine ? .inputOutput : .noInput
  }

  /// Whether a source can be the cause: what it contains or answers, or that it is missing. A full disk, for example, is
  /// never a source's fault.
  public var blamesSource: Bool {
    switch self {
    case .badData, .noInput, .unavailable: true
    case .cannotCreate, .inputOutput, .usage, .tryLater, .readerGone, .unchanged: false
    }
  }
}

/// Why a run failed: what the user reads, and what a program compares.
///
/// A failure is made by a static function next to the code that throws it:
///
///     extension Failure {
///       static func wrongChecksum(member: String) -> Failure {
///         Failure(.unzip, .badData, "wrong-checksum", "member '\(member)' is damaged: wrong checksum", hint: "…")
///       }
///     }
public struct Failure: Error {
  /// The stage that failed; nil for an error outside the stages.
  public var stage: StageName?
  /// The class, which decides the exit status.
  public var errorClass: ErrorClass
  /// A stable word for tests and programs, such as `wrong-checksum`.
  public var code: String
  /// What is wrong, and what to type or change.
  public var message: UserMessage
  /// Whether the input can't be read any further. The rows before that place are valid.
  public var endsInput = false
  /// Whether the source that was being read is the cause, so that a run may continue without it.
  public var blamesSource: Bool
  public var systemError: SystemError?
  /// How many rows were rejected, of how many; of failures because of rejects.
  public var rejects: (count: UInt64, of: UInt64)?
  /// The index of the source with the invalid bytes; nil when no single source is responsible, or outside a run.
  public var sourceIndex: Int?
  /// The name of that source in a run of several; otherwise nil.
  public var sourceName: String?
  /// Whether the message names the source by itself.
  public var namesSource = false

  public init(
    _ stage: StageName?, _ errorClass: ErrorClass, _ code: String, _ text: String, hint: String? = nil,
    endsInput: Bool = false, blamesSource: Bool? = nil
  ) {
    self.init(
      stage, errorClass, code, UserMessage(text, hint: hint), endsInput: endsInput, blamesSource: blamesSource
    )
  }

  public init(
    _ stage: StageName?, _ errorClass: ErrorClass, _ code: String, _ message: UserMessage,
    endsInput: Bool = false, blamesSource: Bool? = nil
  ) {
    self.stage = stage
    self.errorClass = errorClass
    self.code = code
    self.message = message
    self.endsInput = endsInput
    self.blamesSource = blamesSource ?? errorClass.blamesSource
  }

  public init(_ stage: StageName?, _ error: SystemError) {
    self.init(
      stage, error.errorClass, "system", error.userMessage(of: stage), endsInput: error.endsInput)
    systemError = error
  }

  public func of(_ stage: StageName?) -> Failure {
    var failure = systemError.map { Failure(stage, $0) } ?? self
    failure.stage = stage
    return failure
  }

  public var userMessage: UserMessage {
    guard let sourceName, !namesSource else { return message }
    return message.prefixed("source '\(PrintableText.name(sourceName))': ")
  }
}

extension SystemError {
  public var blamesSource: Bool { errorClass.blamesSource }

  /// Whether an input could not be opened or read.
  public var endsInput: Bool { operation == .openInput || operation == .readInput }

  /// Follows from the operation and the errno.
  public var errorClass: ErrorClass {
    switch operation {
    case .openInput: .opening(code.rawValue)
    case .readInput: code == .isDirectory ? .noInput : .inputOutput
    case .createOutput, .createSpill: code.blamesMachine ? .inputOutput : .cannotCreate
    case .writeOutput: code == .brokenPipe ? .readerGone : .inputOutput
    case .publishOutput, .writeSpill, .readSpill, .startThread: .inputOutput
    }
  }
}

/// Runs system calls on behalf of a stage.
public func asFailure<Result: ~Copyable>(
  _ stage: StageName?, _ body: () throws(SystemError) -> Result
) throws(Failure) -> Result {
  try throwing({ Failure(stage, $0) }, body)
}

/// Runs work, and throws its error as another one.
public func throwing<Result: ~Copyable, Cause: Error, Thrown: Error>(
  _ thrown: (Cause) -> Thrown, _ body: () throws(Cause) -> Result
) throws(Thrown) -> Result {
  do throws(Cause) {
    return try body()
  } catch {
    throw thrown(error)
  }
}

extension SystemError {
  public var userMessage: UserMessage { userMessage(of: nil) }

  /// Describes the error. The stage decides which options a hint may name.
  public func userMessage(of stage: StageName?) -> UserMessage {
    let reason = SystemText.reason(code)
    switch operation {
    case .openInput:
      if code == .isDirectory { return UserMessage("'\(path)' is a directory") }
      if code == .noSuchAddressOrDevice, let kind = SystemText.kind(notOpenedWith: code) {
        return UserMessage("'\(path)' is \(kind), not a file")
      }
      let isURL = stage != nil && path.contains("://")
      return UserMessage(
        "cannot open '\(path)': \(reason)",
        hint: isURL
          ? "fetch it with: cdpipe download \(ShellQuoting.quoted(path)) | …" : SystemText.limitHint(code)
      )
    case .readInput:
      return UserMessage("cannot read \(InputName.quoted(path)): \(reason)")
    case .createOutput:
      return UserMessage(
        "cannot create '\(path)': \(reason)",
        hint: code == .noSuchFileOrDirectory
          ? "create the directory first"
          : code == .isDirectory && stage != nil
            ? "choose another name, or one in the directory" : SystemText.limitHint(code))
    case .writeOutput:
      let isFull = code == .noSpace || code == .fileTooLarge
      let isKept = isFull && path != "-" && !path.hasPrefix("/dev/")
      let hints = [SystemText.limitHint(code), isKept ? "the previous file is unchanged" : nil]
        .compactMap { $0 }
      return UserMessage(
        "cannot write \(path == "-" ? "standard output" : "'\(path)'"): \(reason)",
        hint: hints.isEmpty ? nil : hints.joined(separator: "; "))
    case .publishOutput:
      return UserMessage("cannot replace '\(path)': \(reason)", hint: "the previous file is unchanged")
    case .createSpill:
      return UserMessage(
        "cannot create a temporary file in '\(path)': \(reason)",
        hint: SystemText.limitHint(code)
          ?? "choose another directory with \(option: "temp-dir", "DIR") or TMPDIR")
    case .writeSpill:
      return UserMessage(
        "cannot write a temporary file in '\(path)': \(reason)",
        hint: code == .fileTooLarge
          ? SystemText.limitHint(code)
          : "choose another directory with \(option: "temp-dir", "DIR") or TMPDIR"
            + (stage?.rawValue == "sort" ? ", or write less with a larger \(option: "memory")" : ""))
    case .readSpill:
      return UserMessage("cannot read back a temporary file in '\(path)': \(reason)")
    case .startThread:
      return UserMessage("cannot start a thread: \(reason)", hint: "use --threads 1")
    }
  }
}

/// Describes error numbers of the operating system.
public enum SystemText {
  public static func limitHint(_ code: Errno) -> String? {
    switch code {
    case .fileTooLarge: "the size of files is limited: check 'ulimit -f' and the file system"
    case .tooManyOpenFiles: "allow more open files with 'ulimit -n NUMBER'"
    default: nil
    }
  }

  /// The kind of a file that can't be opened as a store: the reader of stores has an error number for each.
  public static func kind(notOpenedWith code: Errno) -> String? {
    switch code {
    case .illegalSeek: "a pipe"
    case .noSuchAddressOrDevice: "a socket"
    case .operationNotSupportedByDevice: "a device"
    default: nil
    }
  }

  /// Describes an error number: `No space left on device (ENOSPC)`.
  public static func reason(_ code: Errno) -> String {
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
