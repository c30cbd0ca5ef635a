// Messages for errors of scaffolding.

import CallStoreWriter
public import PipeStage
public import ProjectScaffold

extension ScaffoldError {
  /// What is wrong with the options.
  public var text: String {
    switch self {
    case .badName(let name, let reason):
      switch reason {
      case .characters:
        "--name '\(PrintableText.line(name))' is not a target name: use ASCII letters and digits, a letter first"
      case .length(let limit): "--name must have 1 to \(limit) characters"
      case .taken: "--name '\(name)' is the name of a module that the project imports"
      }
    case .badBundleIdentifier(let identifier, let reason):
      switch reason {
      case .characters:
        "--bundle-id '\(PrintableText.line(identifier))' may contain only letters, digits, '-' and '.'"
      case .parts:
        "--bundle-id '\(identifier)' must look like com.example.app: two or more non-empty parts"
      case .length(let limit): "--bundle-id must have at most \(limit) characters"
      }
    case .badExtensionCount(_, let limit): "--extensions must be 1 to \(limit)"
    case .badPackage(let place, let reason):
      switch reason {
      case .characters:
        "--package '\(PrintableText.line(place))' has characters that a project description can't contain"
      case .scheme: "--package must be a path, or a URL that starts with https://"
      // Messages must not contain secrets either.
      case .login:
        "--package contains a user name or a password, which would be readable in the project's files"
      case .host: "--package '\(PrintableText.line(place))' has no host"
      case .remotePath:
        "--package must be a path or an https URL; write a path with a colon in its first part as ./NAME"
      }
    }
  }
}

extension ProjectFolderError: UserMessageConvertible {
  /// Describes the error for users.
  public func userMessage(of stage: StageName?) -> UserMessage {
    switch self {
    case .notEmpty(let path):
      UserMessage(
        "'\(path)' is not empty", hint: "to replace the project files in it, add --force")
    case .noExtension(let shard, let extensions):
      UserMessage(
        "no extension for shard \(shard): --extensions is \(extensions)", hint: "use --extensions \(shard)")
    case .notAFile(let path):
      UserMessage(
        "'\(path)' is not a regular file but a link, a directory, a pipe or a device",
        hint: "emit or download the stores again")
    case .damagedStore(let error, let path): error.userMessage(path: path)
    case .otherStore(let path):
      UserMessage(
        "'\(path)' is not the store that the manifest lists", hint: "emit or download the stores again")
    case .stores(let error): error.userMessage(of: stage)
    }
  }
}
