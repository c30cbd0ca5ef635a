// swift-tools-version: 6.2
import PackageDescription

// The settings that every Swift target shares. Reasons: docs/design/decisions/0001-targets-and-settings.md.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableExperimentalFeature("Lifetimes"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// A product of another package, for the trait Tool: a package that uses our libraries without it does not even resolve
/// that package (docs/design/decisions/0023-package-for-apps.md).
func product(_ name: String, of package: String, on platforms: [Platform] = []) -> Target.Dependency {
  .product(
    name: name, package: package,
    condition: platforms.isEmpty
      ? .when(traits: ["Tool"]) : .when(platforms: platforms, traits: ["Tool"]))
}

/// The products of other packages that targets use, by the names that they have here.
let external = [
  "containers": product("BasicContainers", of: "swift-collections"),
  "heap": product("HeapModule", of: "swift-collections"),
  "deque": product("DequeModule", of: "swift-collections"),
  "system": product("SystemPackage", of: "swift-system"),
  "arguments": product("ArgumentParser", of: "swift-argument-parser"),
  "subprocess": product("Subprocess", of: "swift-subprocess"),
  // Apple platforms have CryptoKit.
  "crypto": product("Crypto", of: "swift-crypto", on: [.linux]),
]

/// The dependencies with these names, which spaces separate: targets of this package, and products of others.
func dependencies(_ names: String) -> [Target.Dependency] {
  names.split(separator: " ").map { external[String($0)] ?? .byName(name: String($0)) }
}

// What nearly every stage needs, what lists of all kinds are read with, what deltas need, and what most tests need.
let core = "CallRecord PipeStage SystemIO"
let lists = "CallStoreReader KeywordDatabase ShardDirectories"
let deltas = "CallDeltaReader CallDeltaWriter CallStoreFormat CallStoreReader CallStoreWriter"
let testing = "\(core) TestSupport containers system"
// What the command line builds on.
let libraries =
  "\(deltas) \(core) ApplicationFormats ApplicationOutputs CallManifest ContentHash DedupeStage DownloadStage "
  + "EmitStage GenerateStage InputPreview KeywordDatabase MessageInput MessageRules MessageRulesCompiler "
  + "NormalizeStage NumberPlan ParseStage PipelineFile PipeRunner ProjectScaffold Publishing ReportBuilding "
  + "RunReport SetStage ShardDirectories SortStage SplitStage StageBench StoreSimulation UnzipStage "
  + "YAMLDocument system"
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
func module(_ name: String, _ path: String, _ uses: String = "") -> Target {
  let isOptimized = !["CommandLine/", "Runner/", "Scaffold", "Tools/"].contains { path.hasPrefix($0) }
  return .target(
    name: name, dependencies: dependencies(uses), path: "Sources/\(path)",
    swiftSettings: isOptimized ? settings : settings + unoptimized)
}

/// A C target at `Sources/<path>`, or in `Sources/CShims` under its name.
func shim(_ name: String, _ path: String? = nil, uses: String = "", linking: LinkerSetting? = nil) -> Target {
  .target(
    name: name, dependencies: dependencies(uses), path: "Sources/\(path ?? "CShims/\(name)")",
    linkerSettings: linking.map { [$0] })
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
let appSettings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

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
    .library(name: "RuleFiles", targets: ["RuleFiles"]),
  ],
  traits: [.trait(name: "Tool", description: "The program cdpipe, and SHA-256 for the libraries on Linux.")],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    module("CallRecord", "Core/CallRecord", "containers"),
    module("DelimitedText", "Core/DelimitedText", "CallRecord"),
    module("ContentHash", "Core/ContentHash", "CSHA256Block crypto"),
    module("Checksum", "Core/Checksum", "CCRC32C"),
    module("DataSlice", "Core/DataSlice"),
    shim("CCRC32C"),
    shim("CFileCalls"),
    shim("CSHA256Block"),
    shim("CMalloc"),
    shim("CLibraryLoader", linking: .linkedLibrary("dl", .when(platforms: [.linux]))),
    shim("CPrefetch"),
    shim("CLibSQLite", uses: "CLibraryLoader"),
    module("SystemIO", "Core/SystemIO", "CFileCalls CMalloc containers system"),
    module("PipeStage", "Core/PipeStage", "CallRecord Checksum SystemIO containers system"),
    shim("CLibYAML", linking: .linkedLibrary("yaml")),
    module("YAMLDocument", "Core/YAMLDocument", "CLibYAML"),

    // The numbering plan: generated tables as C, and the matcher over them.
    shim("CNumberPlanTables", "NumberPlan/CNumberPlanTables"),
    module("NumberPlan", "NumberPlan/NumberPlan", "CNumberPlanTables"),

    // Stages, in the order of the data. No stage imports a stage.
    shim("CLibCurl", uses: "CLibraryLoader"),
    module("DownloadStage", "Stages/1-Download", "CLibCurl ContentHash PipeStage SystemIO system"),
    shim("CLibZ", linking: .linkedLibrary("z")),
    shim("CLibZip", uses: "CLibraryLoader"),
    module("ZipArchive", "Core/ZipArchive", "CLibZ CLibZip SystemIO system"),
    module("UnzipStage", "Stages/2-Unzip", "CLibZip PipeStage SystemIO ZipArchive containers system"),
    shim("CLibUchardet", uses: "CLibraryLoader"),
    module("ParseStage", "Stages/3-Parse", "\(core) CLibUchardet Checksum DelimitedText containers"),
    shim("CLibExpat", uses: "CLibraryLoader"),
    module(
      "ApplicationFormats", "Stages/3-Parse-Applications",
      "\(core) CLibExpat CLibSQLite DataSlice ParseStage ZipArchive system"),
    module("GenerateStage", "Stages/0-Generate", "\(core) NumberPlan"),
    module("NormalizeStage", "Stages/4-Normalize", "CallRecord NumberPlan PipeStage containers"),
    module("SortStage", "Stages/5-Sort", "\(core) CPrefetch containers system"),
    module("DedupeStage", "Stages/6-Dedupe", "\(core) containers deque system"),
    module(
      "EmitStage", "Stages/7-Emit",
      "\(deltas) \(core) CallManifest ContentHash ShardDirectories containers heap system"),
    module(
      "ApplicationOutputs", "Stages/7-Emit-Applications",
      "\(core) CLibSQLite ContentHash DataSlice EmitStage KeywordDatabase ShardDirectories containers "
        + "system"),
    module("SetStage", "Stages/8-Sets", "\(core) \(lists) CallStoreFormat containers system"),
    module("SplitStage", "Stages/9-Split", "\(core) ShardDirectories containers system"),

    // The store.
    module("CallStoreFormat", "Store/CallStoreFormat"),
    shim("CAtomicBits", "Store/CAtomicBits"),
    module("CallStoreReader", "Store/CallStoreReader", "CAtomicBits CallStoreFormat Checksum"),
    module(
      "CallStoreWriter", "Store/CallStoreWriter",
      "CallRecord CallStoreFormat CallStoreReader Checksum ContentHash containers"),

    // Deltas between stores.
    module("CallDeltaReader", "Store/CallDeltaReader", "CallStoreFormat CallStoreReader Checksum"),
    module(
      "CallDeltaWriter", "Store/CallDeltaWriter",
      "CallDeltaReader CallStoreFormat CallStoreReader CallStoreWriter ContentHash PipeStage SystemIO"),

    // Manifests: the format, light enough for an app; and the directories of shards that they describe.
    module("CallManifest", "Store/CallManifest", "CallStoreFormat ContentHash"),
    module("KeywordDatabase", "Store/KeywordDatabase", "\(core) CallManifest ContentHash containers system"),
    module(
      "ShardDirectories", "Store/ShardDirectories",
      "\(deltas) CallManifest ContentHash KeywordDatabase PipeStage SystemIO system"),

    // Message rules: the reader for phones, and the compiler.
    shim("CMessageTables", "Messages/CMessageTables"),
    module("MessageRules", "Messages/MessageRules", "CallStoreFormat Checksum NumberPlan"),
    module(
      "MessageRulesCompiler", "Messages/MessageRulesCompiler",
      "CallRecord CMessageTables CallStoreFormat Checksum MessageRules YAMLDocument"),
    module("MessageInput", "Messages/MessageInput", "\(core) DelimitedText MessageRules NumberPlan"),

    // Projects for Xcode.
    module(
      "ProjectScaffold", "Scaffold",
      "CallManifest CallStoreWriter ContentHash PipeStage ShardDirectories SystemIO system"),

    // The runner and its report format.
    module("RunReport", "Runner/RunReport"),
    module("RecordCounting", "Runner/RecordCounting", "\(core) NumberPlan containers"),
    module("PipeRunner", "Runner/PipeRunner", "\(core) ContentHash NumberPlan RecordCounting containers"),
    module(
      "ListStatistics", "Runner/ListStatistics",
      "\(core) \(lists) PipeRunner RecordCounting SetStage system"),
    module("PipelineFile", "Runner/PipelineFile", "PipeStage SystemIO YAMLDocument system"),
    module(
      "Publishing", "Runner/Publishing",
      "CallDeltaWriter CallManifest ContentHash DownloadStage EmitStage PipeRunner PipeStage SetStage "
        + "ShardDirectories SystemIO system"),
    module(
      "ReportBuilding", "Runner/ReportBuilding",
      "\(core) CallDeltaWriter CallStoreFormat ContentHash EmitStage NumberPlan ParseStage PipeRunner "
        + "RecordCounting RunReport SetStage system"),
    module(
      "InputPreview", "Runner/InputPreview",
      "\(core) ApplicationFormats NormalizeStage NumberPlan ParseStage PipeRunner UnzipStage"),
    module("StageBench", "Runner/StageBench", "PipeStage SystemIO system"),

    // The command line.
    module(
      "UserMessages", "CommandLine/UserMessages",
      "\(libraries) RecordCounting SimulatedPhone ZipArchive"),
    module(
      "CDPipeCommands", "CommandLine/CDPipeCommands",
      "\(libraries) DirectorySimulation ListStatistics UserMessages arguments containers"),
    program("cdpipe", "Sources/CommandLine/cdpipe", "CDPipeCommands"),
    module(
      "RuleFiles", "CommandLine/RuleFiles", "MessageRules MessageRulesCompiler NumberPlan UserMessages"),

    // What an extension uses to load stores, and the adapters to Apple's classes.
    module(
      "CallDirectory", "Apple/CallDirectory", "CallDeltaReader CallStoreFormat CallStoreReader Checksum"),
    module(
      "CallDirectoryKit", "Apple/CallDirectoryKit",
      "CLibZ CallDirectory CallManifest CallStoreReader ContentHash \(callKit)"),

    // The phone that the stores are for, simulated.
    module("SimulatedPhone", "Simulator/SimulatedPhone", "CLibSQLite SystemIO system"),
    module("DirectorySimulation", "Simulator/DirectorySimulation", "CallDirectory SimulatedPhone"),
    module(
      "StoreSimulation", "Simulator/StoreSimulation",
      "CallDeltaReader CallDeltaWriter CallDirectory CallStoreReader DirectorySimulation PipeStage "
        + "ShardDirectories SimulatedPhone SystemIO system"),

    // Tools for developers.
    module("NumberPlanGeneration", "Tools/NumberPlanGeneration"),
    program(
      "generate-number-plan", "Sources/Tools/generate-number-plan",
      "NumberPlanGeneration", exclude: ["README.md"]),
    program("number-answers", "Sources/Tools/number-answers", "NumberPlan"),
    program("parse-rate", "Sources/Tools/parse-rate", "\(core) ParseStage"),
    program("message-rate", "Sources/Tools/message-rate", "MessageRules MessageRulesCompiler"),

    // Tests: one target per folder.
    testSupport("TestSupport", "\(core) containers system"),
    testSupport("StoreSupport", "\(deltas) PipeStage SystemIO TestSupport"),
    tests("CallRecordTests", testing),
    tests("ContentHashTests", "ContentHash"),
    tests(
      "KeywordDatabaseTests",
      "\(testing) ApplicationOutputs ContentHash EmitStage KeywordDatabase ShardDirectories"),
    tests("SystemIOTests", testing),
    tests("PipeStageTests", "\(testing) Checksum"),
    tests("NumberPlanTests", "NumberPlan NumberPlanGeneration TestSupport", exclude: ["Oracle", "Vectors"]),
    tests("DownloadStageTests", "\(testing) ContentHash DownloadStage"),
    tests("UnzipStageTests", "\(testing) UnzipStage ZipArchive"),
    tests("ParseStageTests", "\(testing) ApplicationFormats ParseStage ZipArchive"),
    tests("NormalizeStageTests", "\(testing) NormalizeStage NumberPlan", exclude: ["Oracle"]),
    tests("GenerateStageTests", "\(testing) GenerateStage NumberPlan"),
    tests(
      "SetStageTests",
      "\(testing) CallStoreReader DedupeStage NumberPlan ReportBuilding SetStage ShardDirectories"),
    tests("SplitStageTests", "\(testing) DedupeStage SplitStage"),
    tests("SortStageTests", "\(testing) SortStage"),
    tests("DedupeStageTests", "\(testing) DedupeStage"),
    tests(
      "EmitStageTests",
      "\(testing) ApplicationOutputs CallDeltaReader CallDeltaWriter CallManifest CallStoreFormat "
        + "CallStoreReader EmitStage ShardDirectories", exclude: ["Oracle"]),
    tests(
      "PipeRunnerTests",
      "\(testing) ApplicationFormats CallStoreFormat DedupeStage EmitStage ListStatistics "
        + "NormalizeStage NumberPlan ParseStage PipeRunner RecordCounting SortStage"),
    tests("InputPreviewTests", "\(testing) InputPreview NumberPlan ParseStage PipeRunner"),
    tests("PipelineFileTests", "\(testing) PipelineFile YAMLDocument"),
    tests(
      "PublishingTests",
      "\(testing) CallDeltaWriter CallManifest DownloadStage EmitStage Publishing ShardDirectories"),
    tests(
      "MessageRulesTests",
      "\(testing) CallStoreFormat Checksum MessageRules MessageRulesCompiler NumberPlan YAMLDocument",
      exclude: ["Conformance", "Oracle"]),
    tests("MessageInputTests", "\(testing) MessageInput MessageRules"),
    tests("SimulatedPhoneTests", "SimulatedPhone"),
    tests(
      "CallDirectoryTests",
      "CallDeltaReader CallDirectory CallStoreReader DirectorySimulation SimulatedPhone StoreSupport "
        + "TestSupport"),
    tests("ScaffoldTests", "ProjectScaffold YAMLDocument", exclude: ["Programs"]),
    tests("TidyTests"),
    tests(
      "UserMessagesTests",
      "\(testing) NumberPlan PipeRunner RecordCounting ShardDirectories UserMessages"),
    tests("CommandTests", "TestSupport subprocess system", exclude: ["Programs", "Sessions"]),
    tests(
      "MemoryTests", "subprocess system",
      exclude: ["dedupe_shapes.py", "hostile.py", "input_shapes.py", "peak_memory.py", "phone_memory.py"]),
    tests("CallDeltaTests", "\(testing) \(deltas) StoreSupport"),
    tests("CallManifestTests", "CallManifest CallStoreFormat ContentHash TestSupport"),
    tests(
      "CallStoreTests", "CallStoreFormat CallStoreReader CallStoreWriter Checksum ContentHash TestSupport"),
  ]
)

// Apple's frameworks, simulated, and their connection to the simulated phone. Linux only: elsewhere the real ones exist.
// They link Foundation, like Apple's; `cdpipe` does not link them.
#if os(Linux)
  // For packages that test their extensions on Linux. iOS apps do not use them; they would not build for iOS 13.
  package.products += [
    "SimulatedPhone", "DirectorySimulation", "AppExtensions", "BackgroundTasks", "CallKit",
    "IdentityLookup", "PushKit", "FrameworkServices",
  ].map { .library(name: $0, targets: [$0]) }
  package.targets += [
    module("AppExtensions", "Simulator/AppExtensions"),
    module("BackgroundTasks", "Simulator/BackgroundTasks", "AppExtensions"),
    module("CallKit", "Simulator/CallKit", "AppExtensions"),
    module("IdentityLookup", "Simulator/IdentityLookup", "AppExtensions"),
    module("PushKit", "Simulator/PushKit"),
    module(
      "FrameworkServices", "Simulator/FrameworkServices",
      "AppExtensions BackgroundTasks CallKit IdentityLookup PushKit SimulatedPhone"),
    // With an app's settings, not the shared ones: the code that Xcode generates must compile unchanged.
    sampleApp("TemplateHandler", "CallKit", path: "Tests/TemplateHandler"),
    program("extension-program", "Tests/ExtensionProgram", "CallKit FrameworkServices"),
    tests(
      "CallKitTests",
      "\(deltas) CallDirectory CallDirectoryKit CallKit CallManifest ContentHash DirectorySimulation "
        + "FrameworkServices PushKit SimulatedPhone StoreSupport TemplateHandler TestSupport extension-program"
    ),
    tests("IdentityLookupTests", "FrameworkServices IdentityLookup SimulatedPhone"),
    sampleApp(
      "SampleShared",
      "AppExtensions BackgroundTasks CallDirectory CallDirectoryKit CallKit CallStoreReader NumberPlan",
      exclude: ["Directory/App/Directory.xcstrings"]),
    sampleApp(
      "VoIPCallerName", "CallDirectory CallKit CallStoreReader NumberPlan PushKit SampleShared",
      exclude: ["App/Calls.xcstrings"]),
    sampleApp(
      "MessageFilter", "CallDirectoryKit CallStoreReader IdentityLookup MessageRules SampleShared",
      exclude: ["App/Filter.xcstrings"]),
    sampleApp(
      "Block070", "CallDirectory CallDirectoryKit CallKit SampleShared",
      exclude: ["App/Blocking.xcstrings"]),
    program(
      "block070-program", "Tests/Block070Program",
      "CallDirectory CallDirectoryKit CallKit FrameworkServices SampleShared SimulatedPhone SystemIO",
      exclude: ["Block070/App/Blocking.xcstrings"], settings: appSettings),
    sampleApp("CodeBlocker", "CallKit NumberPlan SampleShared"),
    sampleApp("LiveLookup", "IdentityLookup SampleShared", exclude: ["App/Lookup.xcstrings"]),
    sampleApp(
      "CallerID", "CallDirectory CallDirectoryKit CallKit SampleShared",
      exclude: ["App/Caller.xcstrings"]),
    sampleApp("AllInOne", "SampleShared", exclude: ["App/AllInOne.xcstrings"]),
    tests(
      "SampleAppTests",
      "AllInOne BackgroundTasks Block070 CallDirectory CallDirectoryKit CallerID CallKit CallManifest "
        + "CodeBlocker ContentHash FrameworkServices IdentityLookup LiveLookup MessageFilter SampleShared "
        + "SimulatedPhone TestSupport VoIPCallerName"),
  ]
#endif
