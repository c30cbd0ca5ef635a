// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors for the developers: Makefile sets the variable. Not in an app that has this package as a dependency,
/// where Xcode suppresses warnings, and the compiler refuses both at once (docs/design/decisions/0023-package-for-apps.md).
let warnings: [SwiftSetting] =
  Context.environment["CDPIPE_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

// The settings that every Swift target shares. Reasons: docs/design/decisions/0001-targets-and-settings.md.
let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
  ] + warnings

/// A product of another package, for the trait Tool: a package that uses our libraries without it does not even resolve
/// that package (docs/design/decisions/0023-package-for-apps.md).
func product(_ name: String, of package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Tool"]))
}

/// What targets use only under a condition, by the names that it has here.
let conditional: [String: Target.Dependency] = [
  "containers": product("BasicContainers", of: "swift-collections"),
  "heap": product("HeapModule", of: "swift-collections"),
  "deque": product("DequeModule", of: "swift-collections"),
  "system": product("SystemPackage", of: "swift-system"),
  "arguments": product("ArgumentParser", of: "swift-argument-parser"),
  "subprocess": product("Subprocess", of: "swift-subprocess"),
  // Linux has its header in the default place, and the library would be linked: it is opened at run time.
  "libzip": .target(name: "libzip", condition: .when(platforms: [.macOS])),
  // Apple platforms have CryptoKit.
  "libcrypto": .target(name: "CLibCrypto", condition: .when(platforms: [.linux])),
]

/// The dependencies with these names, which spaces separate: targets of this package, and products of others.
func dependencies(_ names: String) -> [Target.Dependency] {
  names.split(separator: " ").map { conditional[String($0)] ?? .byName(name: String($0)) }
}

/// With this variable, which Makefile sets, libyaml and libzip are found by pkg-config, such as in Homebrew's folders. SwiftPM
/// would report a missing library in every app that has this package, although no app needs it.
let usesPkgConfig = Context.environment["CDPIPE_PKG_CONFIG"] == "1"
let (yaml, zip) = usesPkgConfig ? ("libyaml", "libzip") : ("", "")

// What reading and writing stores needs, and what most tests need.
let stores = "CallDeltaReader CallManifest CallStoreFormat CallStoreReader Hashing StoreWriting"
let testing = "Records SystemIO TestSupport containers system"
// Apple platforms have the real CallKit; Linux uses the simulated one.
#if os(Linux)
  let callKit = "CallKit"
#else
  let callKit = ""
#endif

/// `make test` does not optimize targets that its tests rarely run: that takes longer than it saves. SwiftPM refuses
/// unsafe flags in a dependency, so an environment variable enables them.
let unoptimized: [SwiftSetting] =
  Context.environment["CDPIPE_TEST_BUILD"] == "1" ? [.unsafeFlags(["-Onone"])] : []

/// A Swift target at `Sources/<path>` with the shared settings.
func module(_ name: String, _ path: String, _ uses: String = "", sources: [String]? = nil) -> Target {
  let isOptimized = !["Phone/PhoneTools", "Runner", "Tools/"].contains { path.hasPrefix($0) }
  return .target(
    name: name, dependencies: dependencies(uses), path: "Sources/\(path)", sources: sources,
    swiftSettings: isOptimized ? settings : settings + unoptimized)
}

/// A C target at `Sources/C/<name>` that needs a library.
func library(_ name: String, _ linking: LinkerSetting, _ uses: String = "") -> Target {
  .target(
    name: name, dependencies: dependencies(uses), path: "Sources/C/\(name)", linkerSettings: [linking])
}

/// A library with headers that Apple's SDK lacks.
func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.brew([name]), .apt([apt])])
}

/// A program at `<path>`.
func program(
  _ name: String, _ path: String, _ uses: String, exclude: [String] = [], settings: [SwiftSetting] = settings
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies(uses), path: path, exclude: exclude, swiftSettings: settings)
}

/// A test target at `Tests/<name>` with the shared settings.
func tests(_ name: String, _ uses: String = "", exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies(uses), path: "Tests/\(name)", exclude: exclude,
    swiftSettings: settings + unoptimized)
}

/// What tests share, at `Tests/<name>`.
func testSupport(_ name: String, _ uses: String) -> Target {
  .target(name: name, dependencies: dependencies(uses), path: "Tests/\(name)", swiftSettings: settings)
}

/// The settings of a new Xcode project.
let appSettings: [SwiftSetting] = [.swiftLanguageMode(.v6)] + warnings

/// A sample app's code at `samples/apps/<name>` or another path.
func sampleApp(_ name: String, _ uses: String, path: String? = nil, exclude: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies(uses), path: path ?? "samples/apps/\(name)", exclude: exclude,
    swiftSettings: appSettings + unoptimized)
}

let package = Package(
  name: "cdpipe",
  // iOS 13 is for apps: they link only the libraries among the products, which use nothing newer.
  platforms: [.macOS(.v15), .iOS(.v13)],
  products: [
    .executable(name: "cdpipe", targets: ["cdpipe"]),
    .library(name: "NumberPlan", targets: ["NumberPlan"]),
    .library(name: "CallStoreReader", targets: ["CallStoreReader"]),
    .library(name: "CallDeltaReader", targets: ["CallDeltaReader"]),
    .library(name: "CallManifest", targets: ["CallManifest"]),
    .library(name: "CallDirectory", targets: ["CallDirectory"]),
    .library(name: "CallDirectoryKit", targets: ["CallDirectoryKit"]),
    .library(name: "MessageRules", targets: ["MessageRules"]),
    // For the server, with the trait Tool.
    .library(name: "MessageRulesCompiler", targets: ["MessageRulesCompiler"]),
  ],
  traits: [.trait(name: "Tool", description: "The program cdpipe.")],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    // C: intrinsics and file calls, libraries that are opened at run time or linked, and generated tables.
    .target(name: "CIntrinsics", path: "Sources/C/CIntrinsics"),
    library("CLibraryLoader", .linkedLibrary("dl", .when(platforms: [.linux]))),
    .target(name: "CLibCrypto", dependencies: ["CLibraryLoader"], path: "Sources/C/CLibCrypto"),
    .target(
      name: "CLibraries", dependencies: dependencies("CLibraryLoader \(zip)"), path: "Sources/C/CLibraries"),
    library("CLibYAML", .linkedLibrary("yaml"), yaml),
    library("CLibZ", .linkedLibrary("z")),
    .target(name: "CEmbeddedFiles", path: "Sources/C/CEmbeddedFiles"),
    .target(name: "CMessageTables", path: "Sources/C/CMessageTables"),
    .target(name: "CNumberPlanTables", path: "Sources/C/CNumberPlanTables"),

    module("SystemIO", "SystemIO", "CIntrinsics containers system"),
    module("Records", "Records", "CLibYAML Hashing SystemIO containers system"),
    module("NumberPlan", "NumberPlan", "CNumberPlanTables"),

    // Stores, deltas and manifests: what an app links, and their writers.
    module("Hashing", "CallStore/Hashing", "CIntrinsics libcrypto"),
    module("CallStoreFormat", "CallStore/CallStoreFormat"),
    module("CallStoreReader", "CallStore/CallStoreReader", "CIntrinsics CallStoreFormat Hashing"),
    module("CallDeltaReader", "CallStore/CallDeltaReader", "CallStoreFormat CallStoreReader Hashing"),
    module("CallManifest", "CallStore/CallManifest", "CallStoreFormat Hashing"),
    module(
      "StoreWriting", "StoreWriting",
      "CallDeltaReader CallManifest CallStoreFormat CallStoreReader Hashing Records SystemIO containers system"
    ),

    // Stages, in the order of the data: those that input bytes, and those that input records. No stage uses a stage.
    module(
      "InputStages", "Stages",
      "CIntrinsics CLibZ CLibraries Hashing NumberPlan Records SystemIO containers system",
      sources: ["1-Download", "2-Unzip", "3-Parse", "ZipArchive"]),
    module(
      "RecordStages", "Stages",
      "\(stores) CIntrinsics CLibraries NumberPlan Records SystemIO containers deque heap system",
      sources: [
        "0-Generate", "4-Normalize", "5-Sort", "6-Dedupe", "7-Emit", "8-Select", "8-Sets", "9-Split",
        "RecordOutput",
      ]),
    module(
      "Runner", "Runner",
      "CallManifest CallStoreFormat CallStoreReader Hashing InputStages NumberPlan RecordStages Records StoreWriting "
        + "SystemIO containers system"),

    // Message rules: the reader for phones, and the compiler.
    module("MessageRules", "Messages/MessageRules", "CallStoreFormat Hashing NumberPlan"),
    module(
      "MessageRulesCompiler", "Messages/MessageRulesCompiler",
      "CMessageTables CallStoreFormat Hashing MessageRules NumberPlan Records SystemIO system"),

    // The phone: what an extension uses to load stores, the adapters to Apple's classes, and a simulated phone.
    module(
      "CallDirectory", "Phone/CallDirectory",
      "CIntrinsics CallDeltaReader CallStoreFormat CallStoreReader Hashing"),
    module(
      "CallDirectoryKit", "Phone/CallDirectoryKit",
      "CIntrinsics CLibZ CallDirectory CallManifest CallStoreReader Hashing \(callKit)"),
    module("SimulatedPhone", "Phone/SimulatedPhone", "CLibraries SystemIO system"),
    module("DirectorySimulation", "Phone/DirectorySimulation", "CallDirectory SimulatedPhone"),
    module(
      "PhoneTools", "Phone/PhoneTools",
      "CEmbeddedFiles CallDeltaReader CallDirectory CallManifest CallStoreReader DirectorySimulation Hashing Records "
        + "SimulatedPhone StoreWriting SystemIO system"),

    // The command line.
    program(
      "cdpipe", "Sources/cdpipe",
      "\(stores) InputStages MessageRules MessageRulesCompiler NumberPlan PhoneTools RecordStages Records Runner "
        + "DirectorySimulation SystemIO arguments containers system",
      settings: settings + unoptimized),

    // Tools for developers.
    module("NumberPlanGeneration", "Tools/NumberPlanGeneration"),
    program(
      "generate-number-plan", "Sources/Tools/generate-number-plan",
      "NumberPlanGeneration", exclude: ["README.md"]),
    program("number-answers", "Sources/Tools/number-answers", "NumberPlan"),
    program("parse-rate", "Sources/Tools/parse-rate", "Records SystemIO InputStages"),
    program("message-rate", "Sources/Tools/message-rate", "MessageRules MessageRulesCompiler SystemIO"),

    // Tests: one target per folder.
    testSupport("TestSupport", "Records SystemIO containers system"),
    testSupport("StoreSupport", "\(stores) Records SystemIO TestSupport"),
    tests("CallRecordTests", testing),
    tests("ContentHashTests", "Hashing"),
    tests(
      "KeywordDatabaseTests",
      "\(testing) RecordStages Hashing StoreWriting"),
    tests("SystemIOTests", testing),
    tests("PipeStageTests", "\(testing) Hashing"),
    tests("NumberPlanTests", "NumberPlan NumberPlanGeneration TestSupport", exclude: ["Oracle", "Vectors"]),
    tests("DownloadStageTests", "\(testing) Hashing InputStages"),
    tests("UnzipStageTests", "\(testing) InputStages"),
    tests("ParseStageTests", "\(testing) InputStages"),
    tests("NormalizeStageTests", "\(testing) RecordStages NumberPlan", exclude: ["Oracle"]),
    tests("GenerateStageTests", "\(testing) RecordStages NumberPlan"),
    tests(
      "SetStageTests",
      "\(testing) CallStoreReader RecordStages NumberPlan Runner StoreWriting"),
    tests("SelectStageTests", "\(testing) RecordStages NumberPlan"),
    tests("SplitStageTests", "\(testing) RecordStages"),
    tests("SortStageTests", "\(testing) RecordStages"),
    tests("DedupeStageTests", "\(testing) RecordStages NumberPlan"),
    tests(
      "EmitStageTests",
      "\(testing) RecordStages CallDeltaReader StoreWriting CallManifest CallStoreFormat CallStoreReader",
      exclude: ["Oracle"]),
    tests(
      "PipeRunnerTests", "\(testing) InputStages CallManifest CallStoreFormat NumberPlan RecordStages Runner"),
    tests("InputPreviewTests", "\(testing) Runner NumberPlan InputStages"),
    tests("AnnotateTests", "\(testing) InputStages NumberPlan RecordStages Runner"),
    tests("PipelineFileTests", "\(testing) Runner"),
    tests(
      "PublishingTests",
      "\(testing) StoreWriting CallManifest InputStages RecordStages Runner"),
    tests(
      "MessageRulesTests",
      "\(testing) CallStoreFormat Hashing MessageRules MessageRulesCompiler NumberPlan",
      exclude: ["Conformance", "Oracle"]),
    tests("MessageInputTests", "\(testing) MessageRulesCompiler MessageRules"),
    tests("SimulatedPhoneTests", "SimulatedPhone"),
    tests(
      "CallDirectoryTests",
      "CallDeltaReader CallDirectory CallStoreReader DirectorySimulation SimulatedPhone StoreSupport "
        + "TestSupport"),
    tests("ScaffoldTests", "PhoneTools Records", exclude: ["Programs"]),
    tests("TidyTests"),
    tests(
      "UserMessagesTests",
      "\(testing) InputStages NumberPlan RecordStages Runner StoreWriting cdpipe"),
    tests("CommandTests", "TestSupport subprocess system", exclude: ["Programs", "Sessions"]),
    tests(
      "MemoryTests",
      "CallDirectory DirectorySimulation SimulatedPhone StoreSupport TestSupport subprocess system",
      exclude: ["dedupe_shapes.py", "hostile.py", "input_shapes.py", "peak_memory.py", "phone_memory.py"]),
    tests("CallDeltaTests", "\(testing) \(stores) StoreSupport"),
    tests("CallManifestTests", "CallManifest CallStoreFormat Hashing TestSupport"),
    tests("CallStoreTests", "CallStoreFormat CallStoreReader StoreWriting Hashing TestSupport"),
  ]
)

if usesPkgConfig {
  package.targets += [
    systemLibrary("libyaml", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    systemLibrary("libzip", pkgConfig: "libzip", apt: "libzip-dev"),
  ]
}

// Apple's frameworks, simulated, and their connection to the simulated phone. Linux only: elsewhere the real ones exist.
// They link Foundation, like Apple's; `cdpipe` does not link them.
#if os(Linux)
  // For packages that test their extensions on Linux. iOS apps do not use them; they would not build for iOS 13.
  package.products += [
    "SimulatedPhone", "DirectorySimulation", "AppExtensions", "BackgroundTasks", "CallKit",
    "IdentityLookup", "PushKit", "FrameworkServices",
  ].map { .library(name: $0, targets: [$0]) }
  package.targets += [
    module("AppExtensions", "Phone/Frameworks/AppExtensions"),
    module("BackgroundTasks", "Phone/Frameworks/BackgroundTasks", "AppExtensions"),
    module("CallKit", "Phone/Frameworks/CallKit", "AppExtensions"),
    module("IdentityLookup", "Phone/Frameworks/IdentityLookup", "AppExtensions"),
    module("PushKit", "Phone/Frameworks/PushKit"),
    module(
      "FrameworkServices", "Phone/Frameworks/FrameworkServices",
      "AppExtensions BackgroundTasks CallKit IdentityLookup PushKit SimulatedPhone"),
    // With an app's settings, not the shared ones: the code that Xcode generates must compile unchanged.
    sampleApp("TemplateHandler", "CallKit", path: "Tests/TemplateHandler"),
    program("extension-program", "Tests/ExtensionProgram", "CallDirectoryKit CallKit FrameworkServices"),
    tests(
      "CallKitTests",
      "\(stores) CallDirectory CallDirectoryKit CallKit DirectorySimulation "
        + "FrameworkServices PhoneTools PushKit SimulatedPhone StoreSupport TemplateHandler TestSupport extension-program"
    ),
    tests("IdentityLookupTests", "FrameworkServices IdentityLookup SimulatedPhone"),
    // For the samples only: in another package, `canImport(UIKit)` must stay false on Linux.
    testSupport("UIKit", ""),
    sampleApp(
      "SampleShared",
      "AppExtensions BackgroundTasks CallDirectory CallDirectoryKit CallKit CallStoreReader NumberPlan UIKit",
      exclude: ["Common/App/Common.xcstrings", "Directory/App/Directory.xcstrings"]),
    sampleApp(
      "VoIPCallerName", "CallDirectory CallKit CallStoreReader NumberPlan PushKit SampleShared",
      exclude: ["App/Calls.xcstrings", "App/InfoPlist.xcstrings"]),
    sampleApp(
      "MessageFilter",
      "CallDirectoryKit CallManifest CallStoreReader IdentityLookup MessageRules SampleShared",
      exclude: ["App/Filter.xcstrings"]),
    sampleApp(
      "Block070", "CallDirectory CallDirectoryKit CallKit SampleShared",
      exclude: ["App/Blocking.xcstrings"]),
    program(
      "block070-program", "Tests/Block070Program",
      "CallDirectory CallDirectoryKit CallKit FrameworkServices SampleShared SimulatedPhone SystemIO",
      exclude: ["Block070/App/Blocking.xcstrings"], settings: appSettings),
    sampleApp(
      "CodeBlocker", "CallDirectoryKit CallKit SampleShared", exclude: ["App/Codes.xcstrings"]),
    sampleApp("LiveLookup", "IdentityLookup SampleShared", exclude: ["App/Lookup.xcstrings"]),
    sampleApp(
      "CallerID", "CallDirectory CallDirectoryKit CallKit NumberPlan SampleShared",
      exclude: ["App/Caller.xcstrings", "App/OwnList.xcstrings"]),
    sampleApp("AllInOne", "SampleShared", exclude: ["App/AllInOne.xcstrings"]),
    // The tests of scaffolded apps; there, each imports the app.
    .testTarget(
      name: "ScaffoldedTests",
      dependencies: dependencies(
        "Block070 CallerID CodeBlocker LiveLookup MessageFilter SampleShared VoIPCallerName"),
      path: "samples/apps/Tests", swiftSettings: appSettings + unoptimized),
    tests(
      "SampleAppTests",
      "AllInOne BackgroundTasks Block070 CallDirectory CallDirectoryKit CallerID CallKit CallManifest MessageRules "
        + "CodeBlocker Hashing FrameworkServices IdentityLookup LiveLookup MessageFilter SampleShared "
        + "SimulatedPhone TestSupport UIKit VoIPCallerName"),
  ]
#endif
