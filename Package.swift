// swift-tools-version: 6.2
import PackageDescription

#if canImport(Glibc)
  import Glibc
#endif

// The settings every Swift target shares; docs/design/decisions/0001-targets-and-settings.md says why.
let house: [SwiftSetting] = [
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

/// A Swift target at `Sources/<room>` with the house's settings.
func room(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(path)", swiftSettings: house)
}

/// A test target at `Tests/<name>` with the house's settings.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude, swiftSettings: house)
}

/// What makes the program start in milliseconds (docs/design/decisions/0010-speed.md), as far as the system has it: relative
/// relocations packed, which GNU's gold can't, and the C++ library and the unwinder in the program instead of loaded.
#if canImport(Glibc)
  let quickStart: [LinkerSetting] = {
    var flags = ["-use-ld=lld", "-Xclang-linker", "-static-libgcc"]
    // glibc reads packed relocations from 2.36 on; it calls itself 'glibc 2.36'.
    let name = String(unsafeUninitializedCapacity: 64) { room in
      room.withMemoryRebound(to: CChar.self) {
        max(0, confstr(Int32(_CS_GNU_LIBC_VERSION), $0.baseAddress, $0.count) - 1)
      }
    }
    let version = name.split { $0 == " " || $0 == "." }.compactMap { Int($0) }
    if !version.lexicographicallyPrecedes([2, 36]) {
      flags += ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]
    }
    // The archive of the C++ library is a package of its own on some systems.
    var found = glob_t()
    defer { globfree(&found) }
    if glob("/usr/lib/gcc/*/*/libstdc++.a", 0, nil, &found) == 0 {
      flags.append("-L\(Context.packageDirectory)/Sources/CommandLine/Linking")
    }
    return [.unsafeFlags(flags, .when(platforms: [.linux], configuration: .release))]
  }()
#else
  let quickStart: [LinkerSetting] = []
#endif

// On Apple platforms there is the real CallKit; here it is ours.
#if os(Linux)
  let callKit: [Target.Dependency] = ["CallKit"]
#else
  let callKit: [Target.Dependency] = []
#endif

/// A sample app's code at `samples/apps/<name>`, in the settings of a new project of Xcode's.
func sampleApp(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "samples/apps/\(name)",
    swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
}

let package = Package(
  name: "cdpipe",
  // iOS 13 is for what an app takes: the libraries among the products, which use nothing newer. An app builds no others.
  platforms: [.macOS(.v15), .iOS(.v13)],
  products: [
    .executable(name: "cdpipe", targets: ["cdpipe"]),
    .library(name: "NumberPlan", targets: ["NumberPlan"]),
    .library(name: "CallStoreReader", targets: ["CallStoreReader", "CallStoreFormat"]),
    .library(name: "CallDeltaReader", targets: ["CallDeltaReader"]),
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
    // Core
    room("CallRecord", "Core/CallRecord", [containers]),
    .target(name: "CMalloc", path: "Sources/CShims/CMalloc"),
    .target(name: "CPrefetch", path: "Sources/CShims/CPrefetch"),
    .target(
      name: "CLibSQLite", path: "Sources/CShims/CLibSQLite",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    room("SystemIO", "Core/SystemIO", ["CMalloc", containers, system]),
    room("PipeStage", "Core/PipeStage", ["CallRecord", "SystemIO", containers, system]),
    .target(name: "CLibYAML", path: "Sources/CShims/CLibYAML", linkerSettings: [.linkedLibrary("yaml")]),
    room("YAMLDocument", "Core/YAMLDocument", ["CLibYAML"]),

    // The numbering plan: generated tables as C, and the matcher over them.
    .target(name: "CNumberPlanTables", path: "Sources/NumberPlan/CNumberPlanTables"),
    room("NumberPlan", "NumberPlan/NumberPlan", ["CNumberPlanTables"]),

    // Stages, in the order of the data. No stage imports a stage.
    .target(
      name: "CLibCurl", path: "Sources/CShims/CLibCurl",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    room(
      "DownloadStage", "Stages/1-Download",
      ["CLibCurl", "PipeStage", "SystemIO", containers, crypto, system]),
    .target(
      name: "CLibZip", path: "Sources/CShims/CLibZip",
      linkerSettings: [.linkedLibrary("z"), .linkedLibrary("dl", .when(platforms: [.linux]))]),
    room(
      "UnzipStage", "Stages/2-Unzip", ["CLibZip", "PipeStage", "SystemIO", containers, system]),
    .target(
      name: "CLibExpat", path: "Sources/CShims/CLibExpat",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    room(
      "ParseStage", "Stages/3-Parse",
      ["CallRecord", "CLibExpat", "CLibSQLite", "PipeStage", "SystemIO", containers, system]),
    room(
      "GenerateStage", "Stages/0-Generate", ["CallRecord", "NumberPlan", "PipeStage", "SystemIO"]),
    room("NormalizeStage", "Stages/4-Normalize", ["CallRecord", "NumberPlan", "PipeStage", containers]),
    room(
      "SortStage", "Stages/5-Sort", ["CallRecord", "CPrefetch", "PipeStage", "SystemIO", containers, system]),
    room(
      "DedupeStage", "Stages/6-Dedupe", ["CallRecord", "PipeStage", "SystemIO", containers, deque, system]),
    room(
      "EmitStage", "Stages/7-Emit",
      [
        "CallDeltaReader", "CallDeltaWriter", "CallRecord", "CallStoreFormat", "CallStoreReader",
        "CallStoreWriter",
        "PipeStage", "SystemIO", containers, crypto, heap, system,
      ]),
    room(
      "SetStage", "Stages/8-Sets",
      [
        "CallRecord", "CallStoreFormat", "CallStoreReader", "PipeStage", "SystemIO", containers, system,
      ]),

    // The store.
    .target(name: "CCRC32C", path: "Sources/Store/CCRC32C"),
    room("CallStoreFormat", "Store/CallStoreFormat", ["CCRC32C"]),
    room("CallStoreReader", "Store/CallStoreReader", ["CallStoreFormat"]),
    room(
      "CallStoreWriter", "Store/CallStoreWriter",
      ["CallStoreFormat", "CallStoreReader", containers, crypto]),

    // Deltas between stores.
    room("CallDeltaReader", "Store/CallDeltaReader", ["CallStoreFormat", "CallStoreReader"]),
    room(
      "CallDeltaWriter", "Store/CallDeltaWriter",
      [
        "CallDeltaReader", "CallStoreFormat", "CallStoreReader", "CallStoreWriter", "PipeStage", "SystemIO",
        crypto, system,
      ]),

    // Message rules: the reader for a phone, and the compiler.
    .target(name: "CMessageTables", path: "Sources/Messages/CMessageTables"),
    room("MessageRules", "Messages/MessageRules", ["CallStoreFormat", "NumberPlan"]),
    room(
      "MessageRulesCompiler", "Messages/MessageRulesCompiler",
      ["CMessageTables", "CallStoreFormat", "MessageRules", "YAMLDocument"]),

    // Projects for Xcode.
    room("ProjectScaffold", "Scaffold"),

    // The runner, and the form of its reports.
    room("RunReport", "Runner/RunReport"),
    room(
      "PipeRunner", "Runner/PipeRunner",
      [
        "CallRecord", "DedupeStage", "DownloadStage", "EmitStage", "GenerateStage",
        "NormalizeStage", "NumberPlan", "ParseStage", "PipeStage", "SetStage", "SortStage", "SystemIO",
        "UnzipStage",
        "YAMLDocument", containers, crypto, system,
      ]),

    room(
      "Publishing", "Runner/Publishing",
      [
        "CallRecord", "DownloadStage", "EmitStage", "PipeStage", "SetStage", "SystemIO", crypto, system,
      ]),

    // The command line.
    room(
      "CDPipeCommands", "CommandLine/CDPipeCommands",
      [
        "CallDeltaReader", "CallDeltaWriter", "CallDirectory", "CallRecord", "CallStoreFormat",
        "CallStoreReader",
        "CallStoreWriter", "DedupeStage", "DirectorySimulation", "DownloadStage", "EmitStage",
        "GenerateStage",
        "MessageRules",
        "MessageRulesCompiler", "NormalizeStage", "NumberPlan", "ParseStage", "PipeRunner", "PipeStage",
        "ProjectScaffold", "Publishing", "RunReport", "SetStage", "SimulatedPhone", "SortStage", "SystemIO",
        "UnzipStage", "YAMLDocument", arguments, containers, system,
      ]),
    .executableTarget(
      name: "cdpipe", dependencies: ["CDPipeCommands"], path: "Sources/CommandLine/cdpipe",
      swiftSettings: house, linkerSettings: quickStart),

    // What an extension loads stores with, and Apple's classes made to fit it.
    room("CallDirectory", "Apple/CallDirectory", ["CallDeltaReader", "CallStoreFormat", "CallStoreReader"]),
    room("CallDirectoryKit", "Apple/CallDirectoryKit", ["CallDirectory"] + callKit),

    // The phone that the stores are for, simulated.
    room("SimulatedPhone", "Simulator/SimulatedPhone", ["CLibSQLite", "SystemIO", system]),
    room("DirectorySimulation", "Simulator/DirectorySimulation", ["CallDirectory", "SimulatedPhone"]),

    // Tools for those who build cdpipe.
    room("NumberPlanGeneration", "Tools/NumberPlanGeneration"),
    .executableTarget(
      name: "generate-number-plan", dependencies: ["NumberPlanGeneration"],
      path: "Sources/Tools/generate-number-plan",
      exclude: ["README.md"], swiftSettings: house),
    .executableTarget(
      name: "number-answers", dependencies: ["NumberPlan"], path: "Sources/Tools/number-answers",
      swiftSettings: house),
    .executableTarget(
      name: "parse-rate", dependencies: ["CallRecord", "ParseStage", "PipeStage", "SystemIO", containers],
      path: "Sources/Tools/parse-rate", swiftSettings: house),

    .executableTarget(
      name: "message-rate", dependencies: ["MessageRules", "MessageRulesCompiler"],
      path: "Sources/Tools/message-rate", swiftSettings: house),

    // Tests, a target a folder.
    .target(
      name: "TestSupport", dependencies: ["CallRecord", "PipeStage", "SystemIO", containers, system],
      path: "Tests/TestSupport", swiftSettings: house),
    .target(
      name: "StoreSupport",
      dependencies: [
        "CallDeltaReader", "CallDeltaWriter", "CallStoreFormat", "CallStoreReader", "CallStoreWriter",
        "PipeStage", "SystemIO", "TestSupport",
      ],
      path: "Tests/StoreSupport", swiftSettings: house),
    tests("CallRecordTests", ["CallRecord", "TestSupport", containers]),
    tests("SystemIOTests", ["SystemIO", "TestSupport", containers, system]),
    tests("PipeStageTests", ["CallRecord", "PipeStage", "SystemIO", "TestSupport", containers, system]),
    tests("NumberPlanTests", ["NumberPlan", "NumberPlanGeneration"], exclude: ["Oracle", "Vectors"]),
    tests("DownloadStageTests", ["DownloadStage", "PipeStage", "SystemIO", containers, system]),
    tests("UnzipStageTests", ["PipeStage", "SystemIO", "UnzipStage", containers, system]),
    tests("ParseStageTests", ["CallRecord", "ParseStage", "PipeStage", "SystemIO", containers]),
    tests(
      "NormalizeStageTests",
      ["CallRecord", "NormalizeStage", "NumberPlan", "PipeStage", "TestSupport", containers],
      exclude: ["Oracle"]),
    tests(
      "GenerateStageTests",
      ["CallRecord", "GenerateStage", "NumberPlan", "PipeStage", "SystemIO", "TestSupport"]),
    tests(
      "SetStageTests",
      [
        "CallRecord", "CallStoreReader", "DedupeStage", "PipeStage", "SetStage", "SystemIO", "TestSupport",
        system,
      ]),
    tests(
      "SortStageTests",
      ["CallRecord", "PipeStage", "SortStage", "SystemIO", "TestSupport", containers, system]),
    tests(
      "DedupeStageTests",
      ["CallRecord", "DedupeStage", "PipeStage", "SystemIO", "TestSupport", containers, system]),
    tests(
      "EmitStageTests",
      [
        "CallDeltaReader", "CallDeltaWriter", "CallStoreFormat", "CallStoreReader", "EmitStage", "PipeStage",
        "SystemIO", "TestSupport", containers, system,
      ]),
    tests(
      "PipeRunnerTests",
      [
        "CallRecord", "DedupeStage", "EmitStage", "NormalizeStage", "NumberPlan", "ParseStage", "PipeRunner",
        "PipeStage",
        "SortStage", "SystemIO", "TestSupport", "YAMLDocument", containers, system,
      ]),
    tests(
      "PublishingTests",
      [
        "CallRecord", "DownloadStage", "EmitStage", "PipeStage", "Publishing", "SystemIO", "TestSupport",
        containers, system,
      ]),
    tests(
      "MessageRulesTests",
      [
        "CallStoreFormat", "MessageRules", "MessageRulesCompiler", "NumberPlan", "TestSupport",
        "YAMLDocument",
      ],
      exclude: ["Conformance", "Oracle"]),
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
      "CommandTests", ["TestSupport", subprocess, system],
      exclude: ["Sessions", "check_metrics.py", "compare_store_readers.py", "validate_json.py"]),
    tests(
      "MemoryTests", [subprocess, system],
      exclude: ["dedupe_shapes.py", "input_shapes.py", "peak_memory.py", "phone_memory.py"]),
    tests(
      "CallDeltaTests",
      [
        "CallDeltaReader", "CallDeltaWriter", "CallStoreFormat", "CallStoreReader", "CallStoreWriter",
        "PipeStage", "StoreSupport", "SystemIO", "TestSupport", system,
      ]),
    tests("CallStoreTests", ["CallStoreFormat", "CallStoreReader", "CallStoreWriter", "TestSupport"]),
  ]
)

// Apple's frameworks, simulated, and what links them with the phone. On Apple platforms there are the real ones, and a
// module of the same name would stand in their way. They link Foundation, as Apple's do; `cdpipe` has none of them.
#if os(Linux)
  // Another package tests its extensions' code with them. An app for iOS takes none of these, nor would they build for iOS 13.
  package.products += [
    .library(name: "SimulatedPhone", targets: ["SimulatedPhone"]),
    .library(name: "DirectorySimulation", targets: ["DirectorySimulation"]),
    .library(name: "AppExtensions", targets: ["AppExtensions"]),
    .library(name: "CallKit", targets: ["CallKit"]),
    .library(name: "IdentityLookup", targets: ["IdentityLookup"]),
    .library(name: "FrameworkServices", targets: ["FrameworkServices"]),
  ]
  package.targets += [
    room("AppExtensions", "Simulator/AppExtensions"),
    room("CallKit", "Simulator/CallKit", ["AppExtensions"]),
    room("IdentityLookup", "Simulator/IdentityLookup", ["AppExtensions"]),
    room(
      "FrameworkServices", "Simulator/FrameworkServices",
      ["AppExtensions", "CallKit", "IdentityLookup", "SimulatedPhone"]),
    // In an app's settings, not the house's: what Xcode makes must compile as it stands.
    .target(
      name: "TemplateHandler", dependencies: ["CallKit"], path: "Tests/TemplateHandler",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "extension-program", dependencies: ["CallKit", "FrameworkServices"],
      path: "Tests/ExtensionProgram",
      swiftSettings: house),
    tests(
      "CallKitTests",
      [
        "CallDirectory", "CallDirectoryKit", "CallKit", "FrameworkServices", "SimulatedPhone",
        "StoreSupport", "TemplateHandler", "TestSupport", "extension-program",
      ]),
    tests("IdentityLookupTests", ["FrameworkServices", "IdentityLookup", "SimulatedPhone"]),
    // The sample apps' code, in an app's settings too.
    sampleApp("SampleShared", ["AppExtensions", "CallDirectory", "CallDirectoryKit", "CallKit"]),
    sampleApp("VoIPCallerName", ["CallDirectory", "CallKit", "NumberPlan"]),
    sampleApp("MessageFilter", ["CallStoreReader", "IdentityLookup", "MessageRules", "SampleShared"]),
    sampleApp("Block070", ["CallDirectory", "CallDirectoryKit", "CallKit", "SampleShared"]),
    .executableTarget(
      name: "block070-program",
      dependencies: [
        "CallDirectory", "CallDirectoryKit", "CallKit", "FrameworkServices", "SampleShared", "SimulatedPhone",
        "SystemIO",
      ],
      path: "Tests/Block070Program", swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    sampleApp("CodeBlocker", ["CallKit", "NumberPlan", "SampleShared"]),
    // The module that the SDKs of Apple's platforms have.
    .systemLibrary(name: "zlib", path: "Tests/ZLib"),
    sampleApp(
      "CallerID",
      ["CallDirectory", "CallDirectoryKit", "CallKit", "CallStoreReader", "SampleShared", "zlib", crypto]),
    tests(
      "SampleAppTests",
      [
        "Block070", "CallDirectory", "CallDirectoryKit", "CallerID", "CallKit", "CodeBlocker",
        "FrameworkServices", "IdentityLookup", "MessageFilter", "SampleShared", "SimulatedPhone",
        "TestSupport", "VoIPCallerName",
      ]),
  ]
#endif
