// Which target may depend on which: the rules of docs/design/architecture.md, applied to the package description.
//
// The build checks that a file imports only what its target names as a dependency.

import Foundation
import Testing

/// A folder under Sources/, and the folders that its targets may depend on apart from their own.
struct FolderRule: Sendable, CustomStringConvertible {
  let folder: String
  let mayUse: [String]
  var description: String { folder }

  static let table = [
    FolderRule(folder: "C", mayUse: []),
    FolderRule(folder: "SystemIO", mayUse: ["C"]),
    FolderRule(folder: "CallStore", mayUse: ["C"]),
    FolderRule(folder: "Records", mayUse: ["C", "CallStore", "SystemIO"]),
    FolderRule(folder: "NumberPlan", mayUse: ["C"]),
    FolderRule(folder: "StoreWriting", mayUse: ["CallStore", "Records", "SystemIO"]),
    FolderRule(
      folder: "Stages", mayUse: ["C", "CallStore", "NumberPlan", "Records", "StoreWriting", "SystemIO"]),
    FolderRule(
      folder: "Runner", mayUse: ["CallStore", "NumberPlan", "Records", "Stages", "StoreWriting", "SystemIO"]),
    FolderRule(folder: "Messages", mayUse: ["C", "CallStore", "NumberPlan", "Records", "SystemIO"]),
    FolderRule(folder: "Phone", mayUse: ["C", "CallStore", "Records", "StoreWriting", "SystemIO"]),
    FolderRule(
      folder: "cdpipe",
      mayUse: [
        "CallStore", "Messages", "NumberPlan", "Phone", "Records", "Runner", "Stages", "StoreWriting",
        "SystemIO",
      ]),
    FolderRule(folder: "Tools", mayUse: ["Messages", "NumberPlan", "Records", "Stages", "SystemIO"]),
  ]
}

@Suite("Dependencies")
struct DependencyTests {
  /// The modules of libc.
  private static let libc: Set<String> = ["Glibc", "Darwin"]
  /// Targets that replace Apple's frameworks, which link Foundation.
  private static let frameworks: Set<String> = [
    "AppExtensions", "BackgroundTasks", "CallKit", "FrameworkServices", "IdentityLookup", "PushKit",
  ]

  /// Opens a store by its URL, a type of Foundation.
  private static let storeURL = "Sources/CallStore/CallStoreReader/CallStore+URL.swift"
  /// Files that import FoundationEssentials, which Apple platforms don't have: there, they import Foundation.
  private static let foundationOnApple = [storeURL, "Sources/CallStore/CallManifest/ManifestJSON.swift"]

  private static func sources() throws -> [PackageTarget] {
    try PackageDescription.targets.get().filter { $0.isIn("Sources") }
  }

  private static func folder(_ target: PackageTarget) -> String {
    String(target.path.split(separator: "/").dropFirst().first ?? "")
  }

  @Test("a folder's targets depend on the folders before it", arguments: FolderRule.table)
  func folders(rule: FolderRule) throws {
    let all = try Self.sources()
    let targets = all.filter { Self.folder($0) == rule.folder }
    #expect(!targets.isEmpty, "no target in Sources/\(rule.folder)")
    for target in targets {
      for name in target.targets {
        let used = Self.folder(try PackageDescription.target(name))
        #expect(used == rule.folder || rule.mayUse.contains(used), "\(target) depends on \(name) in \(used)")
      }
    }
  }

  @Test("every target under Sources is in a folder of the table, and every Swift file in a target")
  func everyFile() throws {
    let targets = try Self.sources()
    for target in targets {
      #expect(FolderRule.table.contains { $0.folder == Self.folder(target) }, "\(target.path)")
    }
    for file in Repository.files(in: "Sources", endings: [".swift"]) {
      #expect(targets.contains { file.hasPrefix($0.path + "/") }, "\(file) is in no target")
    }
  }

  @Test(
    "the descriptions of the other packages can be read",
    arguments: ["Benchmarks/micro", "Benchmarks/store", "Fuzzing", "Report", "Server"])
  func otherPackages(package: String) throws {
    #expect(try !PackageDescription.load(package).isEmpty)
  }

  /// They compile the sources of modules instead of using the package, so they list the dependencies again.
  @Test(
    "packages that compile modules of this one list the same dependencies",
    arguments: ["Benchmarks/micro", "Fuzzing"])
  func repeated(package: String) throws {
    let repeated = try PackageDescription.load(package).filter { $0.path.hasPrefix("Sources/cdpipe/") }
    #expect(repeated.count > 10)
    for target in repeated {
      let original = try PackageDescription.target(target.name)
      #expect(target.path == "Sources/cdpipe/" + original.path.dropFirst("Sources/".count))
      #expect(target.targets.sorted() == original.targets.sorted(), "\(package): \(target)")
      #expect(target.products.sorted() == original.products.sorted(), "\(package): \(target)")
    }
  }

  /// The stages are folders of two modules, so the compiler does not hold this.
  @Test("no stage uses another stage")
  func stages() throws {
    let files = Repository.files(in: "Sources/Stages", endings: [".swift"])
    /// The stage's folder, such as `3-Parse`; nil for what stages share.
    func stage(_ file: String) -> Substring? {
      let folder = file.split(separator: "/")[2]
      return folder.first?.isNumber == true ? folder : nil
    }
    #expect(Set(files.compactMap(stage)).count > 5)
    var owners: [Substring: Set<Substring>] = [:]
    for file in files {
      guard let stage = stage(file) else { continue }
      for type in try SwiftSource(file).types { owners[Substring(type), default: []].insert(stage) }
    }
    for file in files {
      guard let stage = stage(file) else { continue }
      for name in try SwiftSource(file).identifiers {
        if let owner = owners[name], !owner.contains(stage) {
          Issue.record("\(file) uses \(name) of \(owner.sorted().joined(separator: ", "))")
        }
      }
    }
  }

  @Test(
    "the readers for phones import only the store format, checksums and libc",
    arguments: [
      ("CallStoreReader", ["CIntrinsics", "CallStoreFormat", "Hashing"]),
      ("CallDeltaReader", ["CallStoreFormat", "CallStoreReader", "Hashing"]),
    ])
  func readers(name: String, targets: [String]) throws {
    let reader = try PackageDescription.target(name)
    #expect(reader.targets.sorted() == targets && reader.products.isEmpty)
    for file in reader.files where file != Self.storeURL {
      for module in try SwiftSource(file).imports {
        #expect(targets.contains(module) || Self.libc.contains(module), "\(file) imports \(module)")
      }
    }
  }

  @Test("only the command line depends on ArgumentParser, and only Hashing on libcrypto")
  func products() throws {
    for target in try Self.sources() {
      if target.name != "cdpipe" {
        #expect(!target.products.contains("ArgumentParser"), "\(target)")
      }
      if target.name != "Hashing" { #expect(!target.targets.contains("CLibCrypto"), "\(target)") }
    }
  }

  @Test("only tools, the simulated frameworks and what an app uses beside CallKit import Foundation")
  func foundation() throws {
    for target in try Self.sources()
    where !target.isIn("Sources/Tools") && !Self.frameworks.contains(target.name)
      && target.name != "CallDirectoryKit"
    {
      for file in target.files where !Self.foundationOnApple.contains(file) {
        let modules = try SwiftSource(file).imports
        #expect(!modules.contains("Foundation") && !modules.contains("FoundationXML"), "\(file)")
      }
    }
  }

  @Test("a target imports every dependency that it names")
  func unused() throws {
    for target in try Self.sources() {
      let imports = Set(try target.files.flatMap { try SwiftSource($0).imports })
      guard !target.files.isEmpty else { continue }
      for name in target.targets + target.products {
        #expect(imports.contains(name), "\(target) names \(name) and imports it nowhere")
      }
    }
  }
}
