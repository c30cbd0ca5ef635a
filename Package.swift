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

let containers = Target.Dependency.product(name: "BasicContainers", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")

/// What nearly every stage needs, what lists of all kinds are read with, and what deltas need.
let core: [Target.Dependency] = ["CallRecord", "PipeStage", "SystemIO"]
let lists: [Target.Dependency] = ["CallStoreReader", "KeywordDatabase", "ShardDirectories"]
let deltas: [Target.Dependency] = [
  "CallDeltaReader", "CallDeltaWriter", "CallStoreFormat", "CallStoreReader", "CallStoreWriter",
]

/// A Swift target at `Sources/<path>` with the shared settings.
func module(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(path)", swiftSettings: settings)
}

/// A program at `<path>` with the shared settings.
func program(_ name: String, _ path: String, _ uses: [Target.Dependency], exclude: [String] = []) -> Target {
  .executableTarget(
    name: name, dependencies: uses, path: path, exclude: exclude, swiftSettings: settings)
}

/// A test target at `Tests/<name>` with the shared settings.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude, swiftSettings: settings)
}

/// What the command line builds on.
let libraries: [Target.Dependency] =
  deltas + core + [
    "ApplicationFormats", "ApplicationOutputs", "CallManifest", "ContentHash", "DedupeStage", "DownloadStage",
    "EmitStage", "GenerateStage", "InputPreview", "KeywordDatabase", "MessageInput", "MessageRules",
    "MessageRulesCompiler", "NormalizeStage", "NumberPlan", "ParseStage", "PipelineFile", "PipeRunner",
    "ProjectScaffold", "Publishing", "ReportBuilding", "RunReport", "SetStage", "ShardDirectories",
    "SortStage", "SplitStage", "StageBench", "StoreSimulation", "UnzipStage", "YAMLDocument", system,
  ]

// Apple platforms have the real CallKit; Linux uses the simulated one.
#if os(Linux)
  let callKit: [Target.Dependency] = ["CallKit"]
#else
  let callKit: [Target.Dependency] = []
#endif

/// A sample app's code at `samples/apps/<name>` or another path, with the settings of a new Xcode project.
func sampleApp(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path ?? "samples/apps/\(name)",
    swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
}

let package = Package(
  name: "cdpipe",
  // iOS 13 is for apps: they link only the libraries among the products, which use nothing newer.
  platforms: [.macOS(.v15), .iOS(.v13)],
  products: [
    .executable(name: "cdpipe", targets: ["cdpipe"]),
    .library(name: "NumberPlan", targets: ["NumberPlan"]),
    .library(name: "CallStoreReader", targets: ["CallStoreReader", "CallStoreFormat"]),
    .library(name: "CallDeltaReader", targets: ["CallDeltaReader"]),
    .library(name: "CallManifest", targets: ["CallManifest"]),
    .library(name: "CallDirectory", targets: ["CallDirectory"]),
    .library(name: "CallDirectoryKit", targets: ["CallDirectoryKit"]),
    .library(name: "MessageRules", targets: ["MessageRules"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    module("CallRecord", "Core/CallRecord", [containers]),
    module("DelimitedText", "Core/DelimitedText", ["CallRecord"]),
    module("ContentHash", "Core/ContentHash", ["CSHA256Block", crypto]),
    module("DataSlice", "Core/DataSlice"),
    .target(name: "CFileCalls", path: "Sources/CShims/CFileCalls"),
    .target(name: "CSHA256Block", path: "Sources/CShims/CSHA256Block"),
    .target(name: "CMalloc", path: "Sources/CShims/CMalloc"),
    .target(
      name: "CLibraryLoader", path: "Sources/CShims/CLibraryLoader",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "CPrefetch", path: "Sources/CShims/CPrefetch"),
    .target(name: "CLibSQLite", dependencies: ["CLibraryLoader"], path: "Sources/CShims/CLibSQLite"),
    module("SystemIO", "Core/SystemIO", ["CFileCalls", "CMalloc", containers, system]),
    module("PipeStage", "Core/PipeStage", ["CallRecord", "SystemIO", containers, system]),
    .target(name: "CLibYAML", path: "Sources/CShims/CLibYAML", linkerSettings: [.linkedLibrary("yaml")]),
    module("YAMLDocument", "Core/YAMLDocument", ["CLibYAML"]),

    // The numbering plan: generated tables as C, and the matcher over them.
    .target(name: "CNumberPlanTables", path: "Sources/NumberPlan/CNumberPlanTables"),
    module("NumberPlan", "NumberPlan/NumberPlan", ["CNumberPlanTables"]),

    // Stages, in the order of the data. No stage imports a stage.
    .target(name: "CLibCurl", dependencies: ["CLibraryLoader"], path: "Sources/CShims/CLibCurl"),
    module(
      "DownloadStage", "Stages/1-Download", ["CLibCurl", "ContentHash", "PipeStage", "SystemIO", system]),
    .target(
      name: "CLibZip", dependencies: ["CLibraryLoader"], path: "Sources/CShims/CLibZip",
      linkerSettings: [.linkedLibrary("z")]),
    module("ZipArchive", "Core/ZipArchive", ["CLibZip", "SystemIO", system]),
    module(
      "UnzipStage", "Stages/2-Unzip",
      ["CLibZip", "PipeStage", "SystemIO", "ZipArchive", containers, system]),
    .target(name: "CLibUchardet", dependencies: ["CLibraryLoader"], path: "Sources/CShims/CLibUchardet"),
    module("ParseStage", "Stages/3-Parse", core + ["CLibUchardet", "DelimitedText", containers]),
    .target(name: "CLibExpat", dependencies: ["CLibraryLoader"], path: "Sources/CShims/CLibExpat"),
    module(
      "ApplicationFormats", "Stages/3-Parse-Applications",
      core + ["CLibExpat", "CLibSQLite", "DataSlice", "ParseStage", "ZipArchive", system]),
    module("GenerateStage", "Stages/0-Generate", core + ["NumberPlan"]),
    module("NormalizeStage", "Stages/4-Normalize", ["CallRecord", "NumberPlan", "PipeStage", containers]),
    module("SortStage", "Stages/5-Sort", core + ["CPrefetch", containers, system]),
    module("DedupeStage", "Stages/6-Dedupe", core + [containers, deque, system]),
    module(
      "EmitStage", "Stages/7-Emit",
      deltas + core + ["CallManifest", "ContentHash", "ShardDirectories", containers, heap, system]),
    module(
      "ApplicationOutputs", "Stages/7-Emit-Applications",
      core + [
        "CLibSQLite", "ContentHash", "DataSlice", "EmitStage", "KeywordDatabase", "ShardDirectories",
        containers, system,
      ]),
    module("SetStage", "Stages/8-Sets", core + lists + ["CallStoreFormat", containers, system]),
    module("SplitStage", "Stages/9-Split", core + ["ShardDirectories", containers, system]),

    // The store.
    .target(name: "CCRC32C", path: "Sources/Store/CCRC32C"),
    module("CallStoreFormat", "Store/CallStoreFormat", ["CCRC32C"]),
    module("CallStoreReader", "Store/CallStoreReader", ["CallStoreFormat"]),
    module(
      "CallStoreWriter", "Store/CallStoreWriter",
      ["CallRecord", "CallStoreFormat", "CallStoreReader", "ContentHash", containers]),

    // Deltas between stores.
    module("CallDeltaReader", "Store/CallDeltaReader", ["CallStoreFormat", "CallStoreReader"]),
    module(
      "CallDeltaWriter", "Store/CallDeltaWriter",
      [
        "CallDeltaReader", "CallStoreFormat", "CallStoreReader", "CallStoreWriter", "ContentHash",
        "PipeStage", "SystemIO",
      ]),

    // Manifests: the format, light enough for an app; and the directories of shards that they describe.
    module("CallManifest", "Store/CallManifest", ["CallStoreFormat", "ContentHash"]),
    module(
      "KeywordDatabase", "Store/KeywordDatabase", core + ["CallManifest", "ContentHash", containers, system]),
    module(
      "ShardDirectories", "Store/ShardDirectories",
      deltas + ["CallManifest", "ContentHash", "KeywordDatabase", "PipeStage", "SystemIO", system]),

    // Message rules: the reader for phones, and the compiler.
    .target(name: "CMessageTables", path: "Sources/Messages/CMessageTables"),
    module("MessageRules", "Messages/MessageRules", ["CallStoreFormat", "NumberPlan"]),
    module(
      "MessageRulesCompiler", "Messages/MessageRulesCompiler",
      ["CallRecord", "CMessageTables", "CallStoreFormat", "MessageRules", "YAMLDocument"]),
    module("MessageInput", "Messages/MessageInput", core + ["DelimitedText", "MessageRules", "NumberPlan"]),

    // Projects for Xcode.
    module(
      "ProjectScaffold", "Scaffold",
      ["CallStoreWriter", "ContentHash", "PipeStage", "ShardDirectories", "SystemIO", system]),

    // The runner and its report format.
    module("RunReport", "Runner/RunReport"),
    module("RecordCounting", "Runner/RecordCounting", core + ["NumberPlan", containers]),
    module(
      "PipeRunner", "Runner/PipeRunner",
      core + ["ContentHash", "NumberPlan", "RecordCounting", containers]),
    module(
      "ListStatistics", "Runner/ListStatistics",
      core + lists + ["PipeRunner", "RecordCounting", "SetStage", system]),
    module("PipelineFile", "Runner/PipelineFile", ["PipeStage", "SystemIO", "YAMLDocument", system]),
    module(
      "Publishing", "Runner/Publishing",
      [
        "CallDeltaWriter", "CallManifest", "ContentHash", "DownloadStage", "EmitStage", "PipeRunner",
        "PipeStage", "SetStage", "ShardDirectories", "SystemIO", system,
      ]),
    module(
      "ReportBuilding", "Runner/ReportBuilding",
      core + [
        "CallDeltaWriter", "CallStoreFormat", "ContentHash", "EmitStage", "NumberPlan", "ParseStage",
        "PipeRunner", "RecordCounting", "RunReport", "SetStage", system,
      ]),
    module(
      "InputPreview", "Runner/InputPreview",
      core + ["ApplicationFormats", "NormalizeStage", "NumberPlan", "ParseStage", "PipeRunner", "UnzipStage"]),
    module("StageBench", "Runner/StageBench", ["PipeStage", "SystemIO", system]),

    // The command line.
    module(
      "UserMessages", "CommandLine/UserMessages",
      libraries + ["RecordCounting", "SimulatedPhone", "ZipArchive"]),
    module(
      "CDPipeCommands", "CommandLine/CDPipeCommands",
      libraries + ["DirectorySimulation", "ListStatistics", "UserMessages", arguments, containers]),
    program("cdpipe", "Sources/CommandLine/cdpipe", ["CDPipeCommands"]),

    // What an extension uses to load stores, and the adapters to Apple's classes.
    module(
      "CallDirectory", "Apple/CallDirectory", ["CallDeltaReader", "CallStoreFormat", "CallStoreReader"]),
    module("CallDirectoryKit", "Apple/CallDirectoryKit", ["CallDirectory"] + callKit),

    // The phone that the stores are for, simulated.
    module("SimulatedPhone", "Simulator/SimulatedPhone", ["CLibSQLite", "SystemIO", system]),
    module("DirectorySimulation", "Simulator/DirectorySimulation", ["CallDirectory", "SimulatedPhone"]),
    module(
      "StoreSimulation", "Simulator/StoreSimulation",
      [
        "CallDeltaReader", "CallDeltaWriter", "CallDirectory", "CallStoreReader", "DirectorySimulation",
        "PipeStage", "ShardDirectories", "SimulatedPhone", "SystemIO", system,
      ]),

    // Tools for developers.
    module("NumberPlanGeneration", "Tools/NumberPlanGeneration"),
    program(
      "generate-number-plan", "Sources/Tools/generate-number-plan",
      ["NumberPlanGeneration"], exclude: ["README.md"]),
    program("number-answers", "Sources/Tools/number-answers", ["NumberPlan"]),
    program("parse-rate", "Sources/Tools/parse-rate", core + ["ParseStage"]),
    program("message-rate", "Sources/Tools/message-rate", ["MessageRules", "MessageRulesCompiler"]),

    // Tests: one target per folder.
    .target(
      name: "TestSupport", dependencies: core + [containers, system],
      path: "Tests/TestSupport", swiftSettings: settings),
    .target(
      name: "StoreSupport",
      dependencies: deltas + ["PipeStage", "SystemIO", "TestSupport"],
      path: "Tests/StoreSupport", swiftSettings: settings),
    tests("CallRecordTests", ["CallRecord", "SystemIO", "TestSupport", containers]),
    tests("ContentHashTests", ["ContentHash"]),
    tests(
      "KeywordDatabaseTests",
      core + [
        "ApplicationOutputs", "ContentHash", "EmitStage", "KeywordDatabase", "ShardDirectories",
        "TestSupport", containers, system,
      ]),
    tests("SystemIOTests", ["SystemIO", "TestSupport", containers, system]),
    tests("PipeStageTests", core + ["TestSupport", containers, system]),
    tests(
      "NumberPlanTests", ["NumberPlan", "NumberPlanGeneration", "TestSupport"],
      exclude: ["Oracle", "Vectors"]),
    tests(
      "DownloadStageTests",
      ["ContentHash", "DownloadStage", "PipeStage", "SystemIO", "TestSupport", containers, system]),
    tests(
      "UnzipStageTests",
      ["PipeStage", "SystemIO", "TestSupport", "UnzipStage", "ZipArchive", containers, system]),
    tests(
      "ParseStageTests", core + ["ApplicationFormats", "ParseStage", "TestSupport", "ZipArchive", containers]),
    tests(
      "NormalizeStageTests",
      ["CallRecord", "NormalizeStage", "NumberPlan", "PipeStage", "TestSupport", containers],
      exclude: ["Oracle"]),
    tests("GenerateStageTests", core + ["GenerateStage", "NumberPlan", "TestSupport"]),
    tests(
      "SetStageTests",
      core + [
        "CallStoreReader", "DedupeStage", "NumberPlan", "ReportBuilding", "SetStage", "ShardDirectories",
        "TestSupport", system,
      ]),
    tests("SplitStageTests", core + ["DedupeStage", "SplitStage", "TestSupport", system]),
    tests("SortStageTests", core + ["SortStage", "TestSupport", containers, system]),
    tests("DedupeStageTests", core + ["DedupeStage", "TestSupport", containers, system]),
    tests(
      "EmitStageTests",
      [
        "ApplicationOutputs", "CallDeltaReader", "CallDeltaWriter", "CallManifest", "CallStoreFormat",
        "CallStoreReader", "EmitStage", "PipeStage", "ShardDirectories", "SystemIO", "TestSupport",
        containers, system,
      ], exclude: ["Oracle"]),
    tests(
      "PipeRunnerTests",
      core + [
        "ApplicationFormats", "CallStoreFormat", "DedupeStage", "EmitStage", "ListStatistics",
        "NormalizeStage", "NumberPlan", "ParseStage", "PipeRunner", "RecordCounting", "SortStage",
        "TestSupport", containers, system,
      ]),
    tests("InputPreviewTests", core + ["InputPreview", "NumberPlan", "ParseStage", "PipeRunner"]),
    tests("PipelineFileTests", ["PipeStage", "PipelineFile", "SystemIO", "TestSupport", "YAMLDocument"]),
    tests(
      "PublishingTests",
      core + [
        "CallDeltaWriter", "CallManifest", "DownloadStage", "EmitStage", "Publishing", "ShardDirectories",
        "TestSupport", containers, system,
      ]),
    tests(
      "MessageRulesTests",
      [
        "CallStoreFormat", "MessageRules", "MessageRulesCompiler", "NumberPlan", "TestSupport",
        "YAMLDocument",
      ],
      exclude: ["Conformance", "Oracle"]),
    tests("MessageInputTests", ["MessageInput", "PipeStage", "SystemIO", "TestSupport"]),
    tests("SimulatedPhoneTests", ["SimulatedPhone"]),
    tests(
      "CallDirectoryTests",
      [
        "CallDeltaReader", "CallDirectory", "CallStoreReader", "DirectorySimulation", "SimulatedPhone",
        "StoreSupport", "TestSupport",
      ]),
    tests("ScaffoldTests", ["ProjectScaffold", "YAMLDocument"]),
    tests("TidyTests", []),
    tests(
      "UserMessagesTests",
      [
        "NumberPlan", "PipeRunner", "PipeStage", "RecordCounting", "ShardDirectories", "SystemIO",
        "UserMessages", system,
      ]),
    tests("CommandTests", ["TestSupport", subprocess, system], exclude: ["Programs", "Sessions"]),
    tests(
      "MemoryTests", [subprocess, system],
      exclude: ["dedupe_shapes.py", "hostile.py", "input_shapes.py", "peak_memory.py", "phone_memory.py"]),
    tests("CallDeltaTests", deltas + ["PipeStage", "StoreSupport", "SystemIO", "TestSupport", system]),
    tests("CallManifestTests", ["CallManifest", "CallStoreFormat", "ContentHash"]),
    tests("CallStoreTests", ["CallStoreFormat", "CallStoreReader", "CallStoreWriter", "TestSupport"]),
  ]
)

// Apple's frameworks, simulated, and their connection to the simulated phone. Linux only: elsewhere the real ones exist.
// They link Foundation, like Apple's; `cdpipe` does not link them.
#if os(Linux)
  // For packages that test their extensions on Linux. iOS apps do not use them; they would not build for iOS 13.
  package.products += [
    "SimulatedPhone", "DirectorySimulation", "AppExtensions", "CallKit", "IdentityLookup",
    "FrameworkServices",
  ].map { .library(name: $0, targets: [$0]) }
  package.targets += [
    module("AppExtensions", "Simulator/AppExtensions"),
    module("CallKit", "Simulator/CallKit", ["AppExtensions"]),
    module("IdentityLookup", "Simulator/IdentityLookup", ["AppExtensions"]),
    module(
      "FrameworkServices", "Simulator/FrameworkServices",
      ["AppExtensions", "CallKit", "IdentityLookup", "SimulatedPhone"]),
    // With an app's settings, not the shared ones: the code that Xcode generates must compile unchanged.
    sampleApp("TemplateHandler", ["CallKit"], path: "Tests/TemplateHandler"),
    program("extension-program", "Tests/ExtensionProgram", ["CallKit", "FrameworkServices"]),
    tests(
      "CallKitTests",
      [
        "CallDirectory", "CallDirectoryKit", "CallKit", "FrameworkServices", "SimulatedPhone",
        "StoreSupport", "TemplateHandler", "TestSupport", "extension-program",
      ]),
    tests("IdentityLookupTests", ["FrameworkServices", "IdentityLookup", "SimulatedPhone"]),
    sampleApp("SampleShared", ["AppExtensions", "CallDirectory", "CallDirectoryKit", "CallKit"]),
    sampleApp("VoIPCallerName", ["CallDirectory", "CallKit", "NumberPlan"]),
    sampleApp("MessageFilter", ["CallStoreReader", "IdentityLookup", "MessageRules", "SampleShared"]),
    sampleApp("Block070", ["CallDirectory", "CallDirectoryKit", "CallKit", "SampleShared"]),
    .executableTarget(
      name: "block070-program",
      dependencies: [
        "CallDirectory", "CallDirectoryKit", "CallKit", "FrameworkServices", "SampleShared",
        "SimulatedPhone", "SystemIO",
      ],
      path: "Tests/Block070Program", swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    sampleApp("CodeBlocker", ["CallKit", "NumberPlan", "SampleShared"]),
    sampleApp("LiveLookup", ["IdentityLookup", "SampleShared"]),
    // The zlib module that Apple's SDKs have.
    .systemLibrary(name: "zlib", path: "Tests/ZLib"),
    sampleApp(
      "CallerID",
      [
        "CallDirectory", "CallDirectoryKit", "CallKit", "CallManifest", "CallStoreReader", "SampleShared",
        "zlib", crypto,
      ]),
    tests(
      "SampleAppTests",
      [
        "Block070", "CallDirectory", "CallDirectoryKit", "CallerID", "CallKit", "CodeBlocker",
        "FrameworkServices", "IdentityLookup", "LiveLookup", "MessageFilter", "SampleShared",
        "SimulatedPhone", "TestSupport", "VoIPCallerName",
      ]),
  ]
#endif
