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
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// A target of cdpipe that the targets under test depend on.
func module(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/cdpipe/\(path)", swiftSettings: settings)
}

/// A target of cdpipe that is under test.
func fuzzed(_ name: String, _ path: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/cdpipe/\(path)", swiftSettings: settings + coverage
  )
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
    // Core
    module("CallRecord", "Core/CallRecord", [containers]),
    module("Checksum", "Core/Checksum", ["CCRC32C"]),
    module("ContentHash", "Core/ContentHash", ["CLibCrypto", "CSHA256"]),
    module("DataSlice", "Core/DataSlice"),
    .target(name: "CCRC32C", path: "Sources/cdpipe/CShims/CCRC32C"),
    .target(name: "CFileCalls", path: "Sources/cdpipe/CShims/CFileCalls"),
    .target(name: "CLibCrypto", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/CShims/CLibCrypto"),
    .target(name: "CSHA256", path: "Sources/cdpipe/CShims/CSHA256"),
    .target(name: "CMalloc", path: "Sources/cdpipe/CShims/CMalloc"),
    .target(
      name: "CLibraryLoader", path: "Sources/cdpipe/CShims/CLibraryLoader",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    module("SystemIO", "Core/SystemIO", ["CFileCalls", "CMalloc", containers, system]),
    fuzzed("PipeStage", "Core/PipeStage", ["CallRecord", "Checksum", "SystemIO", containers, system]),

    // What is under test
    .target(name: "CNumberPlanTables", path: "Sources/cdpipe/NumberPlan/CNumberPlanTables"),
    fuzzed("NumberPlan", "NumberPlan/NumberPlan", ["CNumberPlanTables"]),
    .target(name: "CLibExpat", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/CShims/CLibExpat"),
    .target(name: "CLibSQLite", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/CShims/CLibSQLite"),
    .target(
      name: "CLibZ", path: "Sources/cdpipe/CShims/CLibZ", linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "CLibZip", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/CShims/CLibZip"),
    fuzzed("ZipArchive", "Core/ZipArchive", ["CLibZ", "CLibZip", "SystemIO", system]),
    fuzzed("DelimitedText", "Core/DelimitedText", ["CallRecord"]),
    .target(
      name: "CLibUchardet", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/CShims/CLibUchardet"),
    fuzzed(
      "ParseStage", "Stages/3-Parse",
      ["CallRecord", "Checksum", "CLibUchardet", "DelimitedText", "PipeStage", "SystemIO", containers]),
    fuzzed(
      "ApplicationFormats", "Stages/3-Parse-Applications",
      [
        "CallRecord", "CLibExpat", "CLibSQLite", "DataSlice", "ParseStage", "PipeStage", "SystemIO",
        "ZipArchive",
        system,
      ]),

    fuzzed("CallStoreFormat", "Store/CallStoreFormat", []),
    .target(name: "CAtomicBits", path: "Sources/cdpipe/Store/CAtomicBits"),
    fuzzed("CallStoreReader", "Store/CallStoreReader", ["CAtomicBits", "CallStoreFormat", "Checksum"]),
    module(
      "CallStoreWriter", "Store/CallStoreWriter",
      ["CallRecord", "CallStoreFormat", "CallStoreReader", "Checksum", "ContentHash", containers]),

    // What targets share
    .target(name: "CFuzzer"),
    .target(name: "FuzzDriver", dependencies: ["CFuzzer"], swiftSettings: settings),
    .target(
      name: "FuzzParsers",
      dependencies: [
        "ApplicationFormats", "CallRecord", "FuzzDriver", "ParseStage", "PipeStage", "SystemIO",
      ],
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
    fuzzer("FuzzPackedForm", ["CallRecord", "Checksum", "PipeStage", "SystemIO", containers]),
    fuzzer("FuzzStore", ["CallStoreFormat", "CallStoreReader", "CallStoreWriter"]),
  ]
)
