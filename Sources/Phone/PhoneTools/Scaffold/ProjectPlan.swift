// What `cdpipe scaffold` creates: the kinds of projects, their options and parts, and the validated settings of one.

import CEmbeddedFiles
import CallManifest
package import Records

/// The validated settings of a project.
package struct ProjectPlan: Equatable, Sendable {
  /// The maximum number of extensions. The largest known app has 51; no limit of Apple's is known.
  package static let extensionsMax = 200
  /// The number of extensions for one area code: its 10,000,000 numbers, and one can load fewer than 2,000,000.
  package static let extensionsPerCode = 6
  /// The last part of a Call Directory extension's bundle identifier, before its number.
  static let directorySuffix = ".directory"
  /// The last part of the message filter's bundle identifier.
  static let filterSuffix = ".filter"
  /// The last part of the tests' bundle identifier.
  static let testsSuffix = ".tests"
  /// The last part of the lookup extension's bundle identifier, unless another identifier is chosen.
  static let lookupSuffix = ".lookup"
  /// The prefix of the names of folders that belong to the lookup extension.
  static let lookupName = "Lookup"

  package let kind: ProjectKind
  /// The name of the app, its target and its module.
  package let name: String
  /// The app's bundle identifier, which is the prefix of the extensions' identifiers.
  package let bundleIdentifier: String
  package let manager: ProjectManager
  /// The location of the package cdpipe: a path relative to the project's folder, or a URL.
  package let package: String
  package let options: ProjectOptions
  /// The command that creates the project, for its README: the lines of a shell.
  package var command: [String] = []

  /// Throws if a setting is not valid. Options of other kinds are ignored.
  package init(
    _ kind: ProjectKind, name: String, bundleIdentifier: String, manager: ProjectManager,
    package: String = "../cdpipe", options: ProjectOptions = ProjectOptions()
  ) throws(Failure) {
    self.kind = kind
    self.name = name
    self.bundleIdentifier = bundleIdentifier
    self.manager = manager
    self.package = package
    self.options = options
    try checkOptions()
    try ProjectName.check(name, modules: modules)
    // An extension's target is a module, too.
    if parts.contains(where: { $0.target.map { modules.contains($0.name) } ?? false }) {
      throw ProjectName.taken(name)
    }
    try BundleIdentifier.check(bundleIdentifier, option: "--bundle-id", lengthMax: identifierMax)
    try PackageLocation.check(package)
    try checkLookup()
  }

  var appGroup: String { "group.\(bundleIdentifier)" }

  /// The maximum length of the app's bundle identifier: the App Store's limit minus the longest suffix of an extension.
  var identifierMax: Int {
    let suffixes =
      kind.parts.map { part in
        switch part {
        case .blocker, .areaCodes, .callerID: "\(Self.directorySuffix)\(Self.extensionsMax)"
        case .messageFilter: Self.filterSuffix
        case .liveLookup, .all: options.lookupIdentifier == nil ? Self.lookupSuffix : ""
        case .voIP: ""
        }
      } + [Self.testsSuffix]
    return BundleIdentifier.lengthMax - (suffixes.map(\.utf8.count).max() ?? 0)
  }

  private func checkOptions() throws(Failure) {
    if kind.parts.contains(where: \.isDirectory), !(1...Self.extensionsMax).contains(options.extensions) {
      throw Failure(nil, .usage, "bad-extension-count", "--extensions must be 1 to \(Self.extensionsMax)")
    }
    if kind == .areaCodes, !options.extensions.isMultiple(of: Self.extensionsPerCode) {
      throw Failure(
        nil, .usage, "bad-extension-count",
        "--extensions must be a multiple of \(Self.extensionsPerCode): the numbers of an area code need as many",
        hint: "for N area codes, use --extensions with \(Self.extensionsPerCode) times N")
    }
    func missing(_ option: String) -> Failure {
      Failure(nil, .usage, "missing", "--kind \(kind.rawValue) needs \(option)")
    }
    if options.rulesURL == nil, !options.rulesKeys.isEmpty {
      throw Failure(
        nil, .usage, "missing", "--rules-key is for downloaded rules, and needs --rules-url https://HOST/FILE"
      )
    }
    for part in kind.parts {
      switch part {
      case .callerID where options.listURL == nil: throw missing("--list-url https://HOST/FOLDER")
      case .messageFilter
      where !options.hasRules && options.rulesURL == nil && options.filterURL == nil:
        throw missing("--rules FILE, --rules-url https://HOST/FILE or --filter-url https://HOST/PATH")
      case .liveLookup where options.serverURL == nil: throw missing("--server-url https://HOST")
      default: break
      }
    }
    let urls: [(option: String, url: String?, form: ServerURLForm)] = [
      ("--list-url", options.listURL, .folder), ("--rules-url", options.rulesURL, .file),
      ("--filter-url", options.filterURL, .hostAndPath), ("--server-url", options.serverURL, .host),
      ("--issuer-url", options.issuerURL, .host),
    ]
    for (option, url, form) in urls {
      if let url { try form.check(url, option: option) }
    }
    if let folder = options.listURL, folder.hasSuffix("/" + Manifest.fileName) {
      throw Failure(
        nil, .usage, "url-file",
        "--list-url is the folder that has \(Manifest.fileName): \(folder.dropLast(Manifest.fileName.count + 1))"
      )
    }
  }

  /// Checks the identifier of the lookup extension, after the app's.
  private func checkLookup() throws(Failure) {
    guard let identifier = options.lookupIdentifier, kind.parts.contains(.liveLookup) else { return }
    try BundleIdentifier.check(identifier, option: "--extension-id")
    guard identifier.hasPrefix(bundleIdentifier + ".") else {
      throw Failure(
        nil, .usage, "identifier-prefix",
        "--extension-id '\(identifier)' must begin with the app's identifier: \(bundleIdentifier).NAME")
    }
    let others = (parts.filter { $0.name != Self.lookupName }.compactMap(\.target) + [project.tests])
      .flatMap(\.expanded)
    if let other = others.first(where: { $0.bundleIdentifier == identifier }) {
      throw Failure(
        nil, .usage, "identifier-taken", "--extension-id '\(identifier)' is the identifier of \(other.name)")
    }
  }
}

/// What `cdpipe scaffold` creates.
package enum ProjectKind: String, Sendable, CaseIterable {
  /// An app that blocks calls with Call Directory extensions, whose lists are in their bundles.
  case blocker
  /// An app whose owner blocks area codes: its Call Directory extensions generate the numbers.
  case areaCodes = "area-codes"
  /// An app that names and blocks callers from a list that it downloads every night.
  case callerID = "caller-id"
  case messageFilter = "message-filter"
  /// An app with a Live Caller ID Lookup extension.
  case liveLookup = "live-lookup"
  /// An app that makes its own calls, and names the callers.
  case voIP = "voip"
  /// An app that names callers, filters messages and asks a server: the kinds `callerID`, `messageFilter` and
  /// `liveLookup`.
  case all

  /// The kinds whose apps are the parts of this one: itself, if it has one part.
  package var parts: [ProjectKind] { self == .all ? [.callerID, .messageFilter, .liveLookup] : [self] }

  /// Whether an app with this part has Call Directory extensions.
  var isDirectory: Bool { self == .blocker || self == .areaCodes || self == .callerID }

  /// The file with the part's tests.
  var testFile: String {
    switch self {
    case .blocker: "Tests/BlockerTests.swift"
    case .areaCodes: "Tests/AreaCodeTests.swift"
    case .callerID: "Tests/ListTests.swift"
    case .messageFilter: "Tests/RulesTests.swift"
    case .liveLookup, .all: "Tests/TokenTests.swift"
    case .voIP: "Tests/PushTests.swift"
    }
  }

  /// The file with the app's entry point. Only one kind's file may be in a project.
  var entryFile: String {
    switch self {
    case .blocker: "App/BlockingApp.swift"
    case .areaCodes: "App/CodesApp.swift"
    case .callerID: "App/CallerApp.swift"
    case .messageFilter: "App/FilterApp.swift"
    case .liveLookup: "App/LookupApp.swift"
    case .voIP: "App/CallsApp.swift"
    case .all: "App/AllInOneApp.swift"
    }
  }
}

/// What describes the Xcode project: its own files, or the description from which a program generates it.
package enum ProjectManager: String, Sendable, CaseIterable {
  /// Xcode itself, which opens the `.xcodeproj`.
  case xcode
  /// Tuist (tuist.dev), which reads Project.swift.
  case tuist
  /// XcodeGen (github.com/yonaskolb/XcodeGen), which reads project.yml.
  case xcodegen

  /// The command that generates the Xcode project; nil if it need not be generated.
  var command: String? {
    switch self {
    case .xcode: nil
    case .tuist: "tuist generate"
    case .xcodegen: "xcodegen generate"
    }
  }
}

/// The options that only some kinds of projects have.
package struct ProjectOptions: Equatable, Sendable {
  package var extensions = 1
  /// Whether the app's user has a list of their own, with an extension that blocks its numbers.
  package var hasOwnList = false

  package var listURL: String?
  /// The public keys of the list's publisher, in their text form. Without any, the app accepts unsigned lists.
  package var listKeys: [String] = []
  package var listEncoding = ListEncoding.plain

  package var hasRules = false
  /// The URL from which the app downloads compiled rules.
  package var rulesURL: String?
  /// The public keys of the rules' publisher, in their text form. Without any, the app accepts unsigned rules.
  package var rulesKeys: [String] = []
  /// The URL of the server to which iOS sends messages that no rule matches.
  package var filterURL: String?

  /// The URL of the server that answers lookups: https and a host.
  package var serverURL: String?
  /// The URL of the issuer of Privacy Pass tokens; nil if it is the same server.
  package var issuerURL: String?
  /// The bundle identifier of the lookup extension; nil for the app's with ``ProjectPlan/lookupSuffix``.
  package var lookupIdentifier: String?

  package init() {}
}

/// How a server offers the files that a list's manifest names.
package enum ListEncoding: String, Sendable, CaseIterable {
  case plain
  /// Compressed with gzip, as `NAME.gz`.
  case gzip
}

/// A part of an app: what it does for its user, with extensions of one sort, or none. All kinds of projects are made of these.
struct ProjectPart {
  /// A short name, the prefix of the part's own folders in an app with several parts.
  let name: String
  /// The sources, by their paths in a project with only this part.
  let sources: [ScaffoldFile]
  let version: Int
  /// The part's extensions, if it has any; the project adds their sources, products and entitlements.
  var target: XcodeTarget?
  /// What the extensions are, such as `Call Directory extension`.
  var targetName = ""
  /// The values of the template of its Info.plist, besides the app group.
  var info: [String: String?] = [:]
  var infoLists: [String: [String]] = [:]
  var hasNightlyUpdate = false
  var appResources: [(folder: String, pattern: String)] = []
  /// The domains with which the app and the extensions are associated.
  var domains: [String] = []
  var files: [ScaffoldFile] = []
  /// Its sections: `summary` for an app with only this part, `folders`, `notes`, `heading`, the steps `before` and `after`
  /// those of every project, and `rest`.
  let readme: Template

  var count: Int { target.map { max(1, $0.copies.count) } ?? 0 }
  /// What the extensions are, in the plural if there are several.
  var pluralName: String { count == 1 ? targetName : "\(targetName)s" }
  var articledText: String { count == 1 ? "a \(targetName)" : targetText }
  /// What the extensions are, with their number if there are several.
  var targetText: String { count == 1 ? targetName : "\(count) \(pluralName)" }
}

package struct ScaffoldFile: Sendable, Equatable {
  package let path: String
  package let bytes: ContiguousArray<UInt8>

  package init(_ path: String, _ bytes: ContiguousArray<UInt8>) {
    self.path = path
    self.bytes = bytes
  }

  package init(_ path: String, _ text: String) { self.init(path, ContiguousArray(text.utf8)) }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The topmost folder of the path; empty for a file in the project's folder.
  var folder: Substring { path.contains("/") ? path.prefix { $0 != "/" } : "" }

  var imports: [String] {
    guard path.hasSuffix(".swift") else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count == 2 && words[0] == "import" ? String(words[1]) : nil
    }
  }
}

/// The files of the samples that projects are made of, by their paths in a project. What only this repository needs is
/// left out: here, the code that samples share is a module of its own.
enum ScaffoldSources {
  static let allInOne = files(of: "AllInOne")
  static let block070 = files(of: "Block070")
  static let callerID = files(of: "CallerID")
  static let codeBlocker = files(of: "CodeBlocker")
  static let liveLookup = files(of: "LiveLookup")
  static let messageFilter = files(of: "MessageFilter")
  static let sampleSharedCommon = files(of: "SampleShared/Common")
  static let sampleSharedDirectory = files(of: "SampleShared/Directory")
  static let voIPCallerName = files(of: "VoIPCallerName")
  /// The tests of the samples, each of which imports its sample as a module.
  static let tests = files(of: "Tests").map { ScaffoldFile("\(ProjectPlan.tests)/\($0.path)", $0.text) }

  private static func files(of sample: String) -> [ScaffoldFile] {
    let folder = "samples/apps/\(sample)/"
    return EmbeddedFile.all.filter { $0.path.hasPrefix(folder) }.map { file in
      let text = file.text.replacing("\n\n" + sharedImport, with: "\n").replacing(sharedImport, with: "")
        .replacing(entryPoint, with: "@main\n")
      return ScaffoldFile(String(file.path.dropFirst(folder.count)), text)
    }
  }

  private static let entryPoint =
    "#if !canImport(SampleShared)\n"
    + "  // In cdpipe's package, app and extension are one library, which has no entry point.\n  @main\n#endif\n"
  private static let sharedImport = "#if canImport(SampleShared)\n  import SampleShared\n#endif\n"
}

/// A text file of this repository, as it was when the program was built.
package struct EmbeddedFile: Sendable {
  package let path: String
  package let text: String

  /// All embedded files, in the order of the list.
  package static let all: [EmbeddedFile] = {
    var texts: [String] = []
    var at = 0
    while at < cdp_embedded_byte_count() {
      // In bounds: the last byte is a zero.
      texts.append(unsafe String(cString: cdp_embedded_bytes() + at))
      at += texts[texts.count - 1].utf8.count + 1
    }
    // The list itself is the first file, and has its own line, without this path to the root.
    let start = "#embed \"../../../"
    let lines = texts[0].split(separator: "\n").filter { $0.hasPrefix(start) }
    precondition(lines.count == texts.count - 1, "an embedded file is empty or has a zero byte")
    return zip(lines, texts.dropFirst()).map { line, text in
      EmbeddedFile(path: String(line.dropFirst(start.count).prefix { $0 != "\"" }), text: text)
    }
  }()

  /// The icon of an app, a PNG.
  package static var icon: ContiguousArray<UInt8> {
    unsafe ContiguousArray(
      UnsafeBufferPointer(start: cdp_embedded_icon(), count: cdp_embedded_icon_byte_count()))
  }

  /// The file with a path. It must be in the list.
  package static func at(_ path: String) -> EmbeddedFile {
    guard let file = all.first(where: { $0.path == path }) else {
      preconditionFailure("\(path) is not in CEmbeddedFiles.c")
    }
    return file
  }
}
