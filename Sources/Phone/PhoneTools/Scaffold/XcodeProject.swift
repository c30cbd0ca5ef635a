// What an Xcode project consists of, and the project as Xcode itself keeps it: the files of an .xcodeproj, which opens
// without another program.
//
// Folders are synchronized with the disk (Xcode 16): every file in them belongs to the folder's targets, so the project
// contains no file names, and a new list of shards needs no new project. Older versions of Xcode can't compile Swift 6.

import Hashing

/// An Xcode project: an app, its extensions and its tests. XcodeGen's project.yml, Tuist's Project.swift and the files of an
/// `.xcodeproj` are written from it, so they describe the same project.
struct XcodeProject {
  /// The minimum version of the package if it is referenced by URL.
  static let packageVersion = "0.1.0"
  /// The device family of all targets: iPhone.
  static let deviceFamily = "1"

  /// The name of the project and of its app.
  let name: String
  /// What the project is, for the comment at the top of a description.
  let summary: String
  let deploymentTarget: String
  /// The location of the package cdpipe, a path or a URL; nil if no target has products of it.
  let package: String?
  let app: XcodeTarget
  let extensions: [XcodeTarget]
  /// The tests, which run in the app.
  let tests: XcodeTarget

  /// The version of Xcode whose recommended settings the project has: the first with Swift 6.3.
  static let xcodeVersion = (major: 26, minor: 4)

  /// The file with the build settings of all targets that are the user's: the team and the versions.
  static let configName = "Project.xcconfig"

  /// The build settings of all targets that differ from the defaults of every program.
  static let settings = [
    ("SWIFT_VERSION", "6.0"),
    // Of new projects, Xcode 26 sets it to MainActor. The sources compile either way.
    ("SWIFT_DEFAULT_ACTOR_ISOLATION", "nonisolated"),
    ("GENERATE_INFOPLIST_FILE", "NO"),
  ]

  /// The app and its extensions.
  var targets: [XcodeTarget] { [app] + extensions.flatMap(\.expanded) }
  var targetsAndTests: [XcodeTarget] { targets + [tests] }

  /// Whether the package is referenced by URL.
  var packageIsRemote: Bool { package?.contains("://") ?? false }
}

/// A target, or copies of one that differ only in the values of variables. A variable in a text is written `${name}`.
struct XcodeTarget {
  /// The name of the target, its product and its module. May contain variables.
  var name: String
  let product: XcodeProduct
  var bundleIdentifier: String
  /// The path of the Info.plist; empty if Xcode makes it.
  let infoPlist: String
  var entitlements = ""
  /// The folders whose files belong to the target: Swift files are compiled, catalogs become resources.
  var sources: [String] = []
  /// Further resources: folders, and a pattern of file names in each. May contain variables.
  var resources: [(folder: String, pattern: String)] = []
  var products: [String] = []
  /// The target's own build settings. May contain variables.
  var settings: [(name: String, value: String)] = []
  /// The app in which tests run; empty for other targets.
  var host = ""
  /// The variables of each copy, in the same order; empty for a single target without variables.
  var copies: [[(name: String, value: String)]] = []

  var folders: [String] { sources + resources.map(\.folder) }

  var expanded: [XcodeTarget] {
    copies.isEmpty ? [self] : copies.map(filled)
  }

  private func filled(_ variables: [(name: String, value: String)]) -> XcodeTarget {
    func fill(_ text: String) -> String {
      variables.reduce(text) { $0.replacing("${\($1.name)}", with: $1.value) }
    }
    var copy = self
    copy.name = fill(name)
    copy.bundleIdentifier = fill(bundleIdentifier)
    copy.resources = resources.map { ($0.folder, fill($0.pattern)) }
    copy.settings = settings.map { ($0.name, fill($0.value)) }
    copy.copies = []
    return copy
  }

  /// The build settings that every description has for the target, in addition to its own.
  var allSettings: [(name: String, value: String)] {
    switch product {
    case .app: settings
    case .appExtension, .extensionKitExtension:
      // An archive that has an extension beside the app can't be distributed.
      settings + [("APPLICATION_EXTENSION_API_ONLY", "YES"), ("SKIP_INSTALL", "YES")]
    case .unitTests:
      // Without the folder of executables, which apps for iOS lack: if the path has two slashes, Xcode does not find the
      // app by it, and the tests lack the modules of the package's C targets.
      settings + [
        ("GENERATE_INFOPLIST_FILE", "YES"),
        ("TEST_HOST", "$(BUILT_PRODUCTS_DIR)/\(host).app/\(host)"),
      ]
    }
  }
}

/// The kind of a product, with the name that Xcode and XcodeGen have for it; Tuist has that of the case.
enum XcodeProduct: String, CaseIterable {
  case app = "application"
  /// An extension with a principal class, in the app's folder PlugIns.
  case appExtension = "app-extension"
  /// An ExtensionKit extension, in the app's folder Extensions.
  case extensionKitExtension = "extensionkit-extension"
  /// A bundle of tests that runs in the app.
  case unitTests = "bundle.unit-test"
}

/// The text, indented by spaces; empty lines stay empty.
func indented(_ lines: [String], by width: Int) -> [String] {
  let indent = String(repeating: " ", count: width)
  return lines.map { $0.isEmpty ? $0 : indent + $0 }
}

extension XcodeProject {
  /// The version of the format: that of Xcode 16, the first with synchronized folders.
  private static let objectVersion = 77
  /// ``xcodeVersion`` as the project and its scheme have it.
  private static let upgradeCheck = "\(xcodeVersion.major)\(xcodeVersion.minor)0"

  /// The files of the .xcodeproj: the project, a scheme for the app, and a workspace that has no other schemes.
  var xcodeFiles: [ScaffoldFile] {
    var objects = ProjectObjects(seed: app.bundleIdentifier)
    addProject(to: &objects)
    addFolders(to: &objects)
    for target in targetsAndTests { add(target, to: &objects) }
    addEmbedding(to: &objects)
    addDependency(on: app.name, to: &objects)
    return [
      ScaffoldFile(
        "\(name).xcodeproj/project.pbxproj", objects.text(version: Self.objectVersion, root: "project")),
      ScaffoldFile("\(name).xcodeproj/xcshareddata/xcschemes/\(name).xcscheme", scheme(objects)),
      ScaffoldFile("\(workspaceFolder)/\(Self.workspaceSettingsName)", Self.workspaceSettings),
    ]
  }

  private func addProject(to objects: inout ProjectObjects) {
    addConfigurations(
      "the project", "PBXProject \"\(name)\"", projectSettings, Self.differingSettings,
      file: "configuration file", to: &objects)
    var entries: [(String, PropertyValue)] = [
      (
        "attributes",
        .keys([
          ("BuildIndependentTargetsInParallel", "1"),
          ("LastSwiftUpdateCheck", .text(Self.upgradeCheck)),
          ("LastUpgradeCheck", .text(Self.upgradeCheck)),
          (
            "TargetAttributes",
            .keys([
              (
                objects.digits("target \(tests.name)"),
                .keys([("TestTargetID", objects.identifier("target \(app.name)"))])
              )
            ])
          ),
        ])
      ),
      ("buildConfigurationList", objects.identifier("configurations of the project")),
      ("developmentRegion", .text(ProjectPlan.languages[0])), ("hasScannedForEncodings", "0"),
      ("knownRegions", .list((ProjectPlan.languages + ["Base"]).map { .text($0) })),
      ("mainGroup", objects.identifier("files")),
      ("minimizedProjectReferenceProxies", "1"),
      ("preferredProjectObjectVersion", "\(Self.objectVersion)"),
      ("productRefGroup", objects.identifier("products")), ("projectDirPath", ""),
      ("projectRoot", ""),
      ("targets", .list(targetsAndTests.map { objects.identifier("target \($0.name)") })),
    ]
    if let package {
      entries.append(("packageReferences", .list([objects.identifier("package")])))
      let requirement = PropertyValue.keys([
        ("kind", "upToNextMajorVersion"), ("minimumVersion", .text(Self.packageVersion)),
      ])
      let type = packageIsRemote ? "XCRemoteSwiftPackageReference" : "XCLocalSwiftPackageReference"
      objects.add(
        type, "package", "\(type) \"\(packageIsRemote ? "cdpipe" : package)\"",
        packageIsRemote
          ? [("repositoryURL", .text(package)), ("requirement", requirement)]
          : [("relativePath", .text(package))])
    }
    objects.add("PBXProject", "project", "Project object", entries)
  }

  // MARK: Files

  /// The folders of all targets' files, each once.
  private var folders: [String] {
    let all = targetsAndTests.flatMap(\.folders) + ["Support"]
    return all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
  }

  private func addFolders(to objects: inout ProjectObjects) {
    for folder in folders {
      objects.add(
        "PBXFileSystemSynchronizedRootGroup", "folder \(folder)", folder,
        [("path", .text(folder)), ("sourceTree", "<group>")])
    }
    objects.add(
      "PBXGroup", "products", "Products",
      [
        ("children", .list(targetsAndTests.map { objects.identifier("product \($0.name)") })),
        ("name", "Products"),
        ("sourceTree", "<group>"),
      ])
    objects.add(
      "PBXFileReference", "configuration file", Self.configName,
      [
        ("lastKnownFileType", "text.xcconfig"), ("path", .text(Self.configName)),
        ("sourceTree", "<group>"),
      ])
    let children =
      [objects.identifier("configuration file")] + folders.map { objects.identifier("folder \($0)") }
      + [objects.identifier("products")]
    objects.add("PBXGroup", "files", nil, [("children", .list(children)), ("sourceTree", "<group>")])
  }

  // MARK: Targets

  private func add(_ target: XcodeTarget, to objects: inout ProjectObjects) {
    let name = target.name
    let phases = ["Sources", "Frameworks", "Resources"]
    let isApp = target.product == .app
    let embedding = isApp ? embeddedProducts.map(\.phaseName) : []
    let needed =
      switch target.product {
      case .app: targets.dropFirst().map(\.name)
      case .unitTests: [app.name]
      case .appExtension, .extensionKitExtension: [String]()
      }
    let dependencies = needed.map { objects.identifier("dependency on \($0)") }
    objects.add(
      "PBXNativeTarget", "target \(name)", name,
      [
        ("buildConfigurationList", objects.identifier("configurations of \(name)")),
        ("buildPhases", .list((phases + embedding).map { objects.identifier("\($0) of \(name)") })),
        ("buildRules", .list([])), ("dependencies", .list(dependencies)),
        ("fileSystemSynchronizedGroups", .list(target.folders.map { objects.identifier("folder \($0)") })),
        ("name", .text(name)),
        (
          "packageProductDependencies", .list(target.products.map { objects.identifier("\($0) for \(name)") })
        ),
        ("productName", .text(name)), ("productReference", objects.identifier("product \(name)")),
        ("productType", .text("com.apple.product-type.\(target.product.rawValue)")),
      ])
    objects.add(
      "PBXFileReference", "product \(name)", target.product.file(name),
      [
        ("explicitFileType", .text("wrapper.\(target.product.fileType)")), ("includeInIndex", "0"),
        ("path", .text(target.product.file(name))), ("sourceTree", "BUILT_PRODUCTS_DIR"),
      ])
    addConfigurations(name, "PBXNativeTarget \"\(name)\"", settings(of: target), to: &objects)
    for phase in phases {
      let linked = phase == "Frameworks" ? target.products : []
      let files = linked.map { objects.identifier("\($0) in \(name)") }
      objects.add("PBX\(phase)BuildPhase", "\(phase) of \(name)", phase, Self.phase(files))
    }
    for product in target.products { link(product, to: name, in: &objects) }
  }

  private func link(_ product: String, to target: String, in objects: inout ProjectObjects) {
    objects.add(
      "PBXBuildFile", "\(product) in \(target)", "\(product) in Frameworks",
      [("productRef", objects.identifier("\(product) for \(target)"))])
    // Xcode finds the products of local packages by their names.
    let package = packageIsRemote ? [("package", objects.identifier("package"))] : []
    objects.add(
      "XCSwiftPackageProductDependency", "\(product) for \(target)", product,
      package + [("productName", .text(product))])
  }

  private static func phase(_ files: [PropertyValue]) -> [(String, PropertyValue)] {
    [("buildActionMask", "2147483647"), ("files", .list(files)), ("runOnlyForDeploymentPostprocessing", "0")]
  }

  private var embeddedProducts: [XcodeProduct] {
    XcodeProduct.allCases.filter { product in product != .app && targets.contains { $0.product == product } }
  }

  private func addDependency(on name: String, to objects: inout ProjectObjects) {
    objects.add(
      "PBXContainerItemProxy", "proxy of \(name)", "PBXContainerItemProxy",
      [
        ("containerPortal", objects.identifier("project")), ("proxyType", "1"),
        ("remoteGlobalIDString", objects.identifier("target \(name)")), ("remoteInfo", .text(name)),
      ])
    objects.add(
      "PBXTargetDependency", "dependency on \(name)", "PBXTargetDependency",
      [
        ("target", objects.identifier("target \(name)")),
        ("targetProxy", objects.identifier("proxy of \(name)")),
      ])
  }

  private func addEmbedding(to objects: inout ProjectObjects) {
    for target in targets.dropFirst() {
      let name = target.name
      addDependency(on: name, to: &objects)
      objects.add(
        "PBXBuildFile", "embedded \(name)", "\(target.product.file(name)) in \(target.product.phaseName)",
        [
          ("fileRef", objects.identifier("product \(name)")),
          ("settings", .keys([("ATTRIBUTES", .list(["RemoveHeadersOnCopy"]))])),
        ])
    }
    for product in embeddedProducts {
      let files = targets.filter { $0.product == product }.map { objects.identifier("embedded \($0.name)") }
      let (folder, path) = product.destination
      objects.add(
        "PBXCopyFilesBuildPhase", "\(product.phaseName) of \(name)", product.phaseName,
        Self.phase(files) + [
          ("dstPath", .text(path)), ("dstSubfolderSpec", .text(folder)), ("name", .text(product.phaseName)),
        ])
    }
  }

  // MARK: Build settings

  /// A build setting that has different values in the configurations Debug and Release, or a value only in one.
  private typealias DifferingSetting = (name: String, debug: String?, release: String?)

  private func addConfigurations(
    _ owner: String, _ comment: String, _ settings: [(String, PropertyValue)],
    _ differing: [DifferingSetting] = [], file: String? = nil, to objects: inout ProjectObjects
  ) {
    let base = file.map { [("baseConfigurationReference", objects.identifier($0))] } ?? []
    for name in ["Debug", "Release"] {
      let own = differing.compactMap { setting in
        (name == "Debug" ? setting.debug : setting.release).map { (setting.name, PropertyValue.text($0)) }
      }
      objects.add(
        "XCBuildConfiguration", "\(name) of \(owner)", name,
        base + [("buildSettings", .keys(settings + own)), ("name", .text(name))])
    }
    objects.add(
      "XCConfigurationList", "configurations of \(owner)", "Build configuration list for \(comment)",
      [
        ("buildConfigurations", .list(["Debug", "Release"].map { objects.identifier("\($0) of \(owner)") })),
        ("defaultConfigurationIsVisible", "0"), ("defaultConfigurationName", "Release"),
      ])
  }

  private var projectSettings: [(String, PropertyValue)] {
    (Self.settings + [
      ("ALWAYS_SEARCH_USER_PATHS", "NO"), ("CODE_SIGN_STYLE", "Automatic"),
      ("IPHONEOS_DEPLOYMENT_TARGET", deploymentTarget),
      ("PRODUCT_NAME", "$(TARGET_NAME)"), ("SDKROOT", "iphoneos"),
      ("TARGETED_DEVICE_FAMILY", Self.deviceFamily),
    ]).map { ($0.0, .text($0.1)) }
  }

  private static let differingSettings: [DifferingSetting] = [
    ("DEBUG_INFORMATION_FORMAT", "dwarf", "dwarf-with-dsym"), ("ENABLE_TESTABILITY", "YES", nil),
    ("ONLY_ACTIVE_ARCH", "YES", nil), ("SWIFT_ACTIVE_COMPILATION_CONDITIONS", "DEBUG $(inherited)", nil),
    ("SWIFT_COMPILATION_MODE", nil, "wholemodule"), ("SWIFT_OPTIMIZATION_LEVEL", "-Onone", nil),
    ("VALIDATE_PRODUCT", nil, "YES"),
  ]

  private func settings(of target: XcodeTarget) -> [(String, PropertyValue)] {
    let own = target.allSettings.map { ($0.name, PropertyValue.text($0.value)) }
    let identifier = ("PRODUCT_BUNDLE_IDENTIFIER", PropertyValue.text(target.bundleIdentifier))
    if target.product == .unitTests {
      return [("BUNDLE_LOADER", "$(TEST_HOST)"), identifier] + own
    }
    let isApp = target.product == .app
    let frameworks =
      ["$(inherited)", "@executable_path/Frameworks"] + (isApp ? [] : ["@executable_path/../../Frameworks"])
    var settings: [(String, PropertyValue)] = [
      ("CODE_SIGN_ENTITLEMENTS", .text(target.entitlements)), ("INFOPLIST_FILE", .text(target.infoPlist)),
      ("LD_RUNPATH_SEARCH_PATHS", .list(frameworks.map { .text($0) })), identifier,
    ]
    settings += own
    if isApp { settings += [("ASSETCATALOG_COMPILER_APPICON_NAME", "AppIcon")] }
    // The folder belongs to the target with all its files; the settings choose among them when the target is built.
    if !target.resources.isEmpty {
      let folders = target.resources.map { "\($0.folder)/*" }
      let files = target.resources.map { "\($0.folder)/\($0.pattern)" }
      settings += [("EXCLUDED_SOURCE_FILE_NAMES", .text(folders.joined(separator: " ")))]
      settings += [("INCLUDED_SOURCE_FILE_NAMES", .text(files.joined(separator: " ")))]
    }
    return settings
  }

  /// The name of the file with the settings of the workspace inside the .xcodeproj.
  static let workspaceSettingsName = "WorkspaceSettings.xcsettings"
  /// Its text: Xcode makes no schemes.
  static var workspaceSettings: String { Template(workspaceSettingsName, [:]).text }

  /// The folder of the settings of the workspace inside the .xcodeproj that everyone shares.
  var workspaceFolder: String { "\(name).xcodeproj/project.xcworkspace/xcshareddata" }

  /// The scheme that builds, tests, runs and archives the app.
  func scheme(_ objects: ProjectObjects) -> String {
    Template(
      "app.xcscheme",
      [
        "name": name, "identifier": objects.digits("target \(name)"), "product": app.product.file(name),
        "tests": tests.name, "testsIdentifier": objects.digits("target \(tests.name)"),
        "testsProduct": tests.product.file(tests.name), "version": Self.upgradeCheck,
      ]
    ).text
  }
}

extension XcodeProduct {
  func file(_ name: String) -> String {
    switch self {
    case .app: name + ".app"
    case .appExtension, .extensionKitExtension: name + ".appex"
    case .unitTests: name + ".xctest"
    }
  }

  /// Xcode's type of the product's file, after `wrapper.`.
  var fileType: String { self == .unitTests ? "cfbundle" : rawValue }

  /// Xcode's name of the build phase that copies the product into the app; only extensions have one.
  var phaseName: String {
    self == .extensionKitExtension ? "Embed ExtensionKit Extensions" : "Embed Foundation Extensions"
  }

  /// The folder to which the phase copies: PlugIns (13), or a path from the folder with the products (16).
  var destination: (folder: String, path: String) {
    self == .extensionKitExtension ? ("16", "$(EXTENSIONS_FOLDER_PATH)") : ("13", "")
  }
}

// The objects of a project.pbxproj and their text: an old-style property list in the order and with the comments of
// Xcode, so that Xcode changes nothing but what the user changes.

/// A value in a project.pbxproj.
indirect enum PropertyValue: ExpressibleByStringInterpolation {
  case text(String)
  case list([PropertyValue])
  case keys([(String, PropertyValue)])

  init(stringLiteral text: String) { self = .text(text) }
}

/// The objects of a project, each of which has an identifier made of its role.
struct ProjectObjects {
  /// An object: its type and its other keys.
  private struct Object {
    let identifier: String
    let type: String
    let entries: [(String, PropertyValue)]
  }

  /// The number of hexadecimal digits of an identifier.
  private static let identifierLength = 24

  /// A text that distinguishes this project from others in the same workspace.
  private let seed: String
  private var objects: [Object] = []
  private var comments: [String: String] = [:]

  /// Creates no objects. Projects with different seeds have no identifiers in common.
  init(seed: String) { self.seed = seed }

  func identifier(_ role: String) -> PropertyValue { .text(digits(role)) }

  func digits(_ role: String) -> String {
    String(SHA256Hasher.hex(of: "\(seed)\n\(role)").prefix(Self.identifierLength)).uppercased()
  }

  mutating func add(_ type: String, _ role: String, _ comment: String?, _ entries: [(String, PropertyValue)])
  {
    objects.append(Object(identifier: digits(role), type: type, entries: entries))
    comments[digits(role)] = comment.flatMap { $0.contains("*/") ? nil : $0 }
  }

  /// The text of the file. `version` is the version of the format.
  func text(version: Int, root: String) -> String {
    var lines = ["// !$*UTF8*$!", "{", "\tarchiveVersion = 1;", "\tclasses = {", "\t};"]
    lines += ["\tobjectVersion = \(version);", "\tobjects = {"]
    for type in Set(objects.map(\.type)).sorted() {
      lines += ["", "/* Begin \(type) section */"]
      lines += objects.filter { $0.type == type }.sorted { $0.identifier < $1.identifier }.map(text)
      lines.append("/* End \(type) section */")
    }
    return (lines + ["\t};", "\trootObject = \(text(identifier(root), ""));", "}", ""]).joined(
      separator: "\n")
  }

  private func text(_ object: Object) -> String {
    let entries = [("isa", .text(object.type))] + object.entries
    let name = "\t\t\(text(.text(object.identifier), "")) = "
    // Xcode writes these on one line.
    guard ["PBXBuildFile", "PBXFileReference"].contains(object.type) else {
      return name + text(.keys(entries), "\t\t") + ";"
    }
    return name + oneLine(.keys(entries)) + ";"
  }

  private func text(_ value: PropertyValue, _ indent: String) -> String {
    switch value {
    case .text(let text): return Self.quoted(text) + (comments[text].map { " /* \($0) */" } ?? "")
    case .list(let values):
      let lines = values.map { "\(indent)\t\(text($0, indent + "\t")),\n" }
      return "(\n\(lines.joined())\(indent))"
    case .keys(let entries):
      let lines = Self.inOrder(entries).map { key, value in
        let shown = text(value, indent + "\t")
        // Xcode writes these identifiers without a comment.
        let isBare = key == "remoteGlobalIDString" || key == "TestTargetID"
        let length = isBare ? Self.identifierLength : shown.count
        return "\(indent)\t\(entry(key, String(shown.prefix(length))));\n"
      }
      return "{\n\(lines.joined())\(indent)}"
    }
  }

  private func oneLine(_ value: PropertyValue) -> String {
    switch value {
    case .list(let values): "(" + values.map { oneLine($0) + ", " }.joined() + ")"
    case .keys(let entries): "{" + Self.inOrder(entries).map { entry($0, oneLine($1)) + "; " }.joined() + "}"
    case .text: text(value, "")
    }
  }

  private func entry(_ key: String, _ value: String) -> String { "\(Self.quoted(key)) = \(value)" }

  /// Keys in Xcode's order: the type, then the others alphabetically.
  private static func inOrder(_ entries: [(String, PropertyValue)]) -> [(String, PropertyValue)] {
    entries.filter { $0.0 == "isa" } + entries.filter { $0.0 != "isa" }.sorted { $0.0 < $1.0 }
  }

  /// A text, in quotation marks if it needs them.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { isLetterOrDigit($0) || "_$./".utf8.contains($0) }
    if isPlain && !text.isEmpty && !text.contains("//") && !text.contains("___") { return text }
    return "\""
      + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
  }
}
