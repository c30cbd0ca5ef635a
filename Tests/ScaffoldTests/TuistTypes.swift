// A stand-in for Tuist's module ProjectDescription, with which a test runs Project.swift of a lookup app.
//
// Not for the blocker's description, which uses packages.

/// The types that Project.swift uses, each of which keeps what it is created with, and a program that prints the
/// targets. A target is a line: name, product, bundle identifier, iOS version, Info.plist, entitlements, sources,
/// dependencies, and whether only the API for extensions is allowed.
let tuistTypes = #"""
  typealias SettingsDictionary = [String: String]

  struct Project {
    let name: String
    let settings: Settings
    let targets: [Target]
  }

  struct Settings {
    let base: SettingsDictionary
    static func settings(base: SettingsDictionary) -> Settings { Settings(base: base) }
  }

  enum Destination { case iPhone }

  enum Product: String { case app, appExtension, extensionKitExtension }

  struct DeploymentTargets {
    let version: String
    static func iOS(_ version: String) -> DeploymentTargets { DeploymentTargets(version: version) }
  }

  struct ProjectFile {
    let path: String
    static func file(path: String) -> ProjectFile { ProjectFile(path: path) }
  }

  struct TargetDependency {
    let target: String
    static func target(name: String) -> TargetDependency { TargetDependency(target: name) }
  }

  struct Target {
    let row: [String]

    static func target(
      name: String, destinations: [Destination], product: Product, bundleId: String,
      deploymentTargets: DeploymentTargets, infoPlist: ProjectFile, sources: [String], entitlements: ProjectFile,
      dependencies: [TargetDependency] = [], settings: Settings = Settings(base: [:])
    ) -> Target {
      precondition(destinations.count == 1)
      return Target(row: [
        name, product.rawValue, bundleId, deploymentTargets.version, infoPlist.path, entitlements.path,
        sources.joined(separator: " "), dependencies.map(\.target).joined(separator: " "),
        settings.base["APPLICATION_EXTENSION_API_ONLY"] ?? "NO",
      ])
    }
  }

  for target in project.targets { print(target.row.joined(separator: "|")) }
  """#
