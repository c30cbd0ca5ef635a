// A project as Xcode itself keeps it: the files of an .xcodeproj, which opens without another program.
//
// Folders are synchronized with the disk (Xcode 16): every file in them belongs to the folder's targets, so the project
// contains no file names, and a new list of shards needs no new project. Older versions of Xcode can't compile Swift 6.

extension XcodeProject {
  /// The version of the format: that of Xcode 16, the first with synchronized folders.
  private static let objectVersion = 77
  /// The version of Xcode whose recommended settings the project has.
  private static let upgradeCheck = "1600"

  /// The files of the .xcodeproj: the project, a scheme for the app, and a workspace that has no other schemes.
  var xcodeFiles: [ScaffoldFile] {
    var objects = ProjectObjects(seed: app.bundleIdentifier)
    addProject(to: &objects)
    addFolders(to: &objects)
    for target in targets { add(target, to: &objects) }
    addEmbedding(to: &objects)
    return [
      ScaffoldFile(
        "\(name).xcodeproj/project.pbxproj", objects.text(version: Self.objectVersion, root: "project")),
      ScaffoldFile("\(name).xcodeproj/xcshareddata/xcschemes/\(name).xcscheme", scheme(objects)),
      ScaffoldFile("\(workspaceFolder)/\(Self.workspaceSettingsName)", Self.workspaceSettings),
    ]
  }

  private func addProject(to objects: inout ProjectObjects) {
    addConfigurations(
      "the project", "PBXProject \"\(name)\"", projectSettings, Self.differingSettings, to: &objects)
    var entries: [(String, PropertyValue)] = [
      (
        "attributes",
        .keys([
          ("BuildIndependentTargetsInParallel", "1"),
          ("LastSwiftUpdateCheck", .text(Self.upgradeCheck)),
          ("LastUpgradeCheck", .text(Self.upgradeCheck)),
        ])
      ),
      ("buildConfigurationList", objects.identifier("configurations of the project")),
      ("developmentRegion", .text(ProjectPlan.languages[0])), ("hasScannedForEncodings", "0"),
      ("knownRegions", .list((ProjectPlan.languages + ["Base"]).map { .text($0) })),
      ("mainGroup", objects.identifier("files")),
      ("minimizedProjectReferenceProxies", "1"),
      ("preferredProjectObjectVersion", "\(Self.objectVersion)"),
      ("productRefGroup", objects.identifier("products")), ("projectDirPath", ""),
      ("projectRoot", ""), ("targets", .list(targets.map { objects.identifier("target \($0.name)") })),
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
    let all = targets.flatMap(\.folders) + ["Support"]
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
        ("children", .list(targets.map { objects.identifier("product \($0.name)") })),
        ("name", "Products"),
        ("sourceTree", "<group>"),
      ])
    let children = folders.map { objects.identifier("folder \($0)") } + [objects.identifier("products")]
    objects.add("PBXGroup", "files", nil, [("children", .list(children)), ("sourceTree", "<group>")])
  }

  // MARK: Targets

  private func add(_ target: XcodeTarget, to objects: inout ProjectObjects) {
    let name = target.name
    let phases = ["Sources", "Frameworks", "Resources"]
    let isApp = target.product == .app
    let embedding = isApp ? embeddedProducts.map(\.phaseName) : []
    let dependencies = isApp ? targets.dropFirst().map { objects.identifier("dependency on \($0.name)") } : []
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
        ("productType", .text(target.product.identifier)),
      ])
    objects.add(
      "PBXFileReference", "product \(name)", target.product.file(name),
      [
        ("explicitFileType", .text(target.product.fileType)), ("includeInIndex", "0"),
        ("path", .text(target.product.file(name))), ("sourceTree", "BUILT_PRODUCTS_DIR"),
      ])
    addConfigurations(name, "PBXNativeTarget \"\(name)\"", Self.settings(of: target), to: &objects)
    for phase in phases {
      let linked = phase == "Frameworks" ? target.products : []
      let files = linked.map { objects.identifier("\($0) in \(name)") }
      objects.add("PBX\(phase)BuildPhase", "\(phase) of \(name)", phase, Self.phase(files))
    }
    for product in target.products { link(product, to: name, in: &objects) }
  }

  /// Links a product of the package to a target.
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

  /// The keys of a build phase.
  private static func phase(_ files: [PropertyValue]) -> [(String, PropertyValue)] {
    [("buildActionMask", "2147483647"), ("files", .list(files)), ("runOnlyForDeploymentPostprocessing", "0")]
  }

  /// The products that are embedded, each of which has its folder in the app.
  private var embeddedProducts: [XcodeProduct] {
    XcodeProduct.allCases.filter { product in product != .app && targets.contains { $0.product == product } }
  }

  private func addEmbedding(to objects: inout ProjectObjects) {
    for target in targets.dropFirst() {
      let name = target.name
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
    _ differing: [DifferingSetting] = [], to objects: inout ProjectObjects
  ) {
    for name in ["Debug", "Release"] {
      let own = differing.compactMap { setting in
        (name == "Debug" ? setting.debug : setting.release).map { (setting.name, PropertyValue.text($0)) }
      }
      objects.add(
        "XCBuildConfiguration", "\(name) of \(owner)", name,
        [("buildSettings", .keys(settings + own)), ("name", .text(name))])
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

  private static func settings(of target: XcodeTarget) -> [(String, PropertyValue)] {
    let isApp = target.product == .app
    let frameworks =
      ["$(inherited)", "@executable_path/Frameworks"] + (isApp ? [] : ["@executable_path/../../Frameworks"])
    var settings: [(String, PropertyValue)] = [
      ("CODE_SIGN_ENTITLEMENTS", .text(target.entitlements)), ("INFOPLIST_FILE", .text(target.infoPlist)),
      ("LD_RUNPATH_SEARCH_PATHS", .list(frameworks.map { .text($0) })),
      ("PRODUCT_BUNDLE_IDENTIFIER", .text(target.bundleIdentifier)),
    ]
    settings += target.allSettings.map { ($0.name, .text($0.value)) }
    settings +=
      isApp ? [("ASSETCATALOG_COMPILER_APPICON_NAME", "AppIcon")] : [("SKIP_INSTALL", "YES")]
    // The folder belongs to the target with all its files; the settings choose among them when the target is built.
    if !target.resources.isEmpty {
      let folders = target.resources.map { "\($0.folder)/*" }
      let files = target.resources.map { "\($0.folder)/\($0.pattern)" }
      settings += [("EXCLUDED_SOURCE_FILE_NAMES", .text(folders.joined(separator: " ")))]
      settings += [("INCLUDED_SOURCE_FILE_NAMES", .text(files.joined(separator: " ")))]
    }
    return settings
  }
}
