// Projects that can't be made, in sentences.

import EmitStage
import ProjectScaffold

enum ScaffoldMessages {
  /// What is wrong with the options.
  static func message(_ failure: ScaffoldError) -> String {
    switch failure {
    case .badName(let name, let defect):
      switch defect {
      case .characters:
        "--name '\(RejectMessages.printable(name))' is no name of a target: ASCII letters and digits, a letter first"
      case .length(let limit): "--name takes 1 to \(limit) characters"
      case .taken: "--name '\(name)' is the name of a module that the project imports"
      }
    case .badBundleIdentifier(let identifier, let defect):
      switch defect {
      case .characters:
        "--bundle-id '\(RejectMessages.printable(identifier))' has other characters than letters, digits, '-' and '.'"
      case .parts:
        "--bundle-id '\(identifier)' is not of the form com.example.app: two parts or more, none of them empty"
      case .length(let limit): "--bundle-id takes \(limit) characters at the most"
      }
    case .badExtensionCount(_, let limit): "--extensions takes 1 to \(limit)"
    case .badPackage(let place, let defect):
      switch defect {
      case .characters:
        "--package '\(RejectMessages.printable(place))' can't stand in a project's description"
      case .scheme: "--package takes a path, or a URL that begins with https://"
      // What is secret stays out of messages too.
      case .login:
        "--package has a user's name or a password in it, which the project's files would tell everybody"
      case .host: "--package '\(RejectMessages.printable(place))' names no host"
      case .remotePath:
        "--package takes a path or an https URL; a path with a colon in its first part is written as ./NAME"
      }
    }
  }

  static func sentence(_ failure: ScaffoldWriting) -> UserMessage {
    switch failure {
    case .notEmpty(let path):
      UserMessage(
        "'\(path)' is not empty",
        hint: "--force writes into it all the same, and replaces the files of a project")
    case .noExtension(let shard, let extensions):
      UserMessage(
        "there is a shard \(shard), and no extension of this number: --extensions is \(extensions)",
        hint: "--extensions \(shard) makes one for it")
    case .notAFile(let path):
      UserMessage(
        "'\(path)' is no file of its own, but a link, a directory, a pipe or a device",
        hint: "emit or fetch the stores again")
    case .damagedStore(let error, let path): StoreMessages.sentence(error, path)
    case .otherStore(let path):
      UserMessage(
        "'\(path)' is another store than the manifest names", hint: "emit or fetch the stores again")
    case .stores(let failure): UserMessage(ManifestMessages.sentence(failure).message)
    }
  }
}
