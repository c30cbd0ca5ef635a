// Messages for errors of scaffolding.

import StoreWriting
package import Records

extension ScaffoldError {
  /// What is wrong with the options.
  package var text: String {
    switch self {
    case .badName(let name, let reason):
      switch reason {
      case .characters:
        "--name '\(PrintableText.line(name))' is not a target name: use ASCII letters and digits, a letter first"
      case .length(let limit): "--name must have 1 to \(limit) characters"
      case .taken: "--name '\(name)' is the name of a module that the project imports"
      case .keyword: "--name '\(name)' is a keyword of Swift"
      }
    case .badBundleIdentifier(let identifier, let reason): reason.text("--bundle-id", identifier)
    case .badExtensionIdentifier(let identifier, let reason): reason.text("--extension-id", identifier)
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
    case .missing(let option, let kind): "--kind \(kind.rawValue) needs \(option.text)"
    case .badURL(let option, let url, let reason): reason.text(option, url)
    case .wrongKind(let option, let kinds, let used):
      "\(option) is an option of --kind \(Self.alternatives(kinds)), not of --kind \(used.rawValue)"
    }
  }
}

extension ScaffoldError {
  private static func alternatives(_ kinds: [ProjectKind]) -> String {
    let names = kinds.map(\.rawValue)
    return names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
  }
}

extension RequiredOption {
  fileprivate var text: String {
    switch self {
    case .list: "--list-url https://HOST/FOLDER"
    case .rules: "--rules FILE, --rules-url https://HOST/FILE or --filter-url https://HOST/PATH"
    case .server: "--server-url https://HOST"
    }
  }
}

extension IdentifierErrorReason {
  /// What is wrong with the identifier that an option has.
  package func text(_ option: String, _ identifier: String) -> String {
    switch self {
    case .characters:
      "\(option) '\(PrintableText.line(identifier))' may contain only letters, digits, '-' and '.'"
    case .parts: "\(option) '\(identifier)' must look like com.example.app: two or more non-empty parts"
    case .length(let limit): "\(option) must have at most \(limit) characters"
    case .prefix(let app): "\(option) '\(identifier)' must begin with the app's identifier: \(app).NAME"
    }
  }
}

extension ServerURLErrorReason {
  fileprivate func text(_ option: String, _ url: String) -> String {
    let shown = "\(option) '\(PrintableText.line(url))'"
    return switch self {
    case .scheme: "\(option) must start with https://"
    // Messages must not contain secrets either.
    case .login:
      "\(option) contains a user name or a password, which would be readable in the project's files"
    case .characters: "\(shown) has characters that a URL can't contain; write them as %HH"
    case .query: "\(shown) must not have a query or a fragment"
    case .slash: "\(shown) must not end with a slash"
    case .path: "\(shown) has a path; iOS accepts only a host: use a subdomain"
    case .port: "\(shown) has a port; iOS asks servers only on port 443"
    case .portNumber: "\(shown) has a port that is not a number from 1 to 65535"
    case .host: "\(shown) needs a domain name as its host, in ASCII, such as lookup.example.com"
    }
  }
}

extension ProjectFolderError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of stage: StageName?) -> UserMessage {
    switch self {
    case .notEmpty(let path):
      UserMessage(
        "'\(path)' is not empty", hint: "to replace the project files in it, add --force")
    case .otherKind(let path, let kind):
      UserMessage(
        "'\(path)' has a project of --kind \(kind.rawValue)", hint: "choose another directory with -o")
    case .noExtension(let shard, let extensions):
      UserMessage(
        "no extension for shard \(shard): --extensions is \(extensions)", hint: "use --extensions \(shard)")
    case .tooManyShards(let count, let limit):
      UserMessage(
        "\(count) shards are more than the \(limit) extensions that an app can have",
        hint: "emit fewer shards, with a larger --max-entries")
    case .storeInFolder(let name):
      UserMessage(
        "the rules name the store '\(PrintableText.line(name))', which is not next to them",
        hint: "put the store next to the rules, and name it without a folder")
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
