// swift-tools-version: 6.2
// Fuzzes parts of cdpipe with libFuzzer. run.sh builds and runs it.
//
// A separate package, because coverage and sanitizers need flags that a package others depend on must not have. It
// compiles cdpipe's sources again (Sources/cdpipe is a link to them), so that only the code under test reports coverage
// to libFuzzer; its dependencies keep their speed.
//
// A further target: a folder in Sources with a main.swift that calls `fuzz`, a folder in Seeds, and one line under
// "Fuzz targets".

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableExperimentalFeature("Lifetimes"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// Reports branches and comparisons to libFuzzer.
let coverage: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]

/// libFuzzer without its main function. run.sh finds it in the toolchain.
let runtime = Context.environment["FUZZER_RUNTIME"] ?? "libclang_rt.fuzzer_no_main.a"

/// The whole archive, because it comes before the objects that need it.
let linking = ["--whole-archive", runtime, "--no-whole-archive"].flatMap { ["-Xlinker", $0] }

let containers = Target.Dependency.product(name: "BasicContainers", package: "swift-collections")
let libcrypto = Target.Dependency.target(name: "CLibCrypto", condition: .when(platforms: [.linux]))
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// A target of cdpipe that the targets under test depend on.
func module(
  _ name: String, _ path: String, _ dependencies: [Target.Dependency] = [], sources: [String]? = nil
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/cdpipe/\(path)", sources: sources,
    swiftSettings: settings)
}

/// A target of cdpipe that is under test.
func fuzzed(
  _ name: String, _ path: String, _ dependencies: [Target.Dependency] = [], sources: [String]? = nil
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/cdpipe/\(path)", sources: sources,
    swiftSettings: settings + coverage)
}

/// A fuzzing program.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: ["FuzzDriver"] + dependencies, swiftSettings: settings,
    linkerSettings: [.unsafeFlags(linking), .linkedLibrary("stdc++")])
}

let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    // C
    .target(name: "CIntrinsics", path: "Sources/cdpipe/C/CIntrinsics"),
    .target(
      name: "CLibraryLoader", path: "Sources/cdpipe/C/CLibraryLoader",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "CLibCrypto", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/C/CLibCrypto"),
    .target(name: "CLibraries", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/C/CLibraries"),
    .target(
      name: "CLibYAML", path: "Sources/cdpipe/C/CLibYAML", linkerSettings: [.linkedLibrary("yaml")]),
    .target(name: "CLibZ", path: "Sources/cdpipe/C/CLibZ", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CNumberPlanTables", path: "Sources/cdpipe/C/CNumberPlanTables"),

    // What is under test, and what that needs
    module("SystemIO", "SystemIO", ["CIntrinsics", containers, system]),
    module("Hashing", "CallStore/Hashing", ["CIntrinsics", libcrypto]),
    fuzzed("Records", "Records", ["CLibYAML", "Hashing", "SystemIO", containers, system]),
    fuzzed("NumberPlan", "NumberPlan", ["CNumberPlanTables"]),
    fuzzed("CallStoreFormat", "CallStore/CallStoreFormat"),
    fuzzed("CallStoreReader", "CallStore/CallStoreReader", ["CIntrinsics", "CallStoreFormat", "Hashing"]),
    module(
      "CallDeltaReader", "CallStore/CallDeltaReader", ["CallStoreFormat", "CallStoreReader", "Hashing"]),
    module("CallManifest", "CallStore/CallManifest", ["CallStoreFormat", "Hashing"]),
    module(
      "StoreWriting", "StoreWriting",
      [
        "CallDeltaReader", "CallManifest", "CallStoreFormat", "CallStoreReader", "Hashing", "Records",
        "SystemIO",
        containers, system,
      ]),
    fuzzed(
      "InputStages", "Stages",
      [
        "CIntrinsics", "CLibZ", "CLibraries", "Hashing", "NumberPlan", "Records", "SystemIO", containers,
        system,
      ],
      sources: ["1-Download", "2-Unzip", "3-Parse", "ZipArchive"]),

    // What targets share
    .target(name: "CFuzzer"),
    .target(name: "FuzzDriver", dependencies: ["CFuzzer"], swiftSettings: settings),
    .target(
      name: "FuzzParsers", dependencies: ["FuzzDriver", "InputStages", "Records", "SystemIO"],
      swiftSettings: settings),

    // Fuzz targets
    fuzzer("FuzzNumberPlan", ["NumberPlan"]),
    fuzzer("FuzzJSON", ["FuzzParsers"]),
    fuzzer("FuzzCSV", ["FuzzParsers"]),
    fuzzer("FuzzPropertyList", ["FuzzParsers"]),
    fuzzer("FuzzPhoneBook", ["FuzzParsers"]),
    fuzzer("FuzzVCard", ["FuzzParsers"]),
    fuzzer("FuzzDataSlice", ["FuzzParsers"]),
    fuzzer("FuzzBinaryPropertyList", ["FuzzParsers"]),
    fuzzer("FuzzWorkbook", ["FuzzParsers"]),
    fuzzer("FuzzYAML", ["FuzzParsers"]),
    fuzzer("FuzzUnzip", ["InputStages", "Records", "SystemIO"]),
    fuzzer("FuzzPackedForm", ["Hashing", "Records", "SystemIO", containers]),
    fuzzer("FuzzStore", ["CallStoreFormat", "CallStoreReader", "StoreWriting"]),
  ]
)
