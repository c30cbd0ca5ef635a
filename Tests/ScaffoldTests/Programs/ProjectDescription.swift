// A stand-in for Tuist's module ProjectDescription: the few types that Project.swift of a scaffold uses, in the form of
// the newest Tuist, where the earlier names are deprecated. A project prints what it contains: the lines that
// DescriptionTests.swift explains.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public typealias SettingsDictionary = [String: SettingValue]

/// What a literal of a text stands for in several types.
public protocol TextLiteral: ExpressibleByStringInterpolation {
  init(text: String)
}
extension TextLiteral {
  public init(stringLiteral text: String) { self.init(text: text) }
}

public struct SettingValue: TextLiteral {
  let text: String
  public init(text: String) { self.text = text }
}
public struct Path: TextLiteral {
  let text: String
  public init(text: String) { self.text = text }
}
public struct Version: TextLiteral {
  let text: String
  public init(text: String) { self.text = text }
}
public struct TargetReference: TextLiteral {
  let text: String
  public init(text: String) { self.text = text }
}

public struct Globs: ExpressibleByArrayLiteral {
  let patterns: [String]
  public init(arrayLiteral patterns: String...) { self.patterns = patterns }
}

public struct File {
  let path: String
  public static func file(path: Path) -> File { File(path: path.text) }
}

public enum Destination { case iPhone, iPad }
public enum Product: String { case app, appExtension, extensionKitExtension, unitTests }

public struct DeploymentTargets {
  let version: String
  public static func iOS(_ version: String) -> DeploymentTargets { DeploymentTargets(version: version) }
}

public struct Settings {
  let base: SettingsDictionary
  let configurations: [Configuration]
  public static func settings(base: SettingsDictionary, configurations: [Configuration] = []) -> Settings {
    Settings(base: base, configurations: configurations)
  }
  var text: String {
    base.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: " ")
  }
}

public enum ConfigurationName { case debug, release }

public struct Configuration {
  let name: ConfigurationName
  let file: String?
  public static func debug(name: ConfigurationName, xcconfig: Path? = nil) -> Configuration {
    Configuration(name: name, file: xcconfig?.text)
  }
  public static func release(name: ConfigurationName, xcconfig: Path? = nil) -> Configuration {
    Configuration(name: name, file: xcconfig?.text)
  }
}

public enum TargetDependency {
  case target(name: String)
  case package(product: String)
}

public struct Package {
  @available(*, deprecated, message: "use .package(path:)")
  public static func local(path: Path) -> Package { Package() }
  @available(*, deprecated, message: "use .package(url:from:)")
  public static func remote(url: String, requirement: Requirement) -> Package { Package() }
  public enum Requirement { case upToNextMajor(from: Version) }

  public struct Dependency {
    let text: String
    public static func package(path: Path) -> Dependency { Dependency(text: "path \(path.text)") }
    public static func package(url: String, from version: Version) -> Dependency {
      Dependency(text: "url \(url) from \(version.text)")
    }
  }
}

public struct BuildAction {
  let targets: [String]
  public static func buildAction(targets: [TargetReference]) -> BuildAction {
    BuildAction(targets: targets.map(\.text))
  }
}
public struct RunAction {
  let executable: String?
  public static func runAction(executable: TargetReference? = nil) -> RunAction {
    RunAction(executable: executable?.text)
  }
}
public struct TestableTarget: TextLiteral {
  let text: String
  public init(text: String) { self.text = text }
}
public struct TestAction {
  let targets: [String]
  public static func targets(_ targets: [TestableTarget]) -> TestAction {
    TestAction(targets: targets.map(\.text))
  }
}
public struct Scheme {
  let name: String
  public static func scheme(
    name: String, buildAction: BuildAction? = nil, testAction: TestAction? = nil, runAction: RunAction? = nil
  ) -> Scheme {
    precondition(buildAction?.targets == [name] && runAction?.executable == name)
    precondition(testAction?.targets == [name + "Tests"])
    return Scheme(name: name)
  }
}

public struct Target {
  public let name: String
  let product: Product
  let dependencies: [TargetDependency]
  let row: ([Target]) -> String

  public static func target(
    name: String, destinations: Set<Destination>, product: Product, bundleId: String,
    deploymentTargets: DeploymentTargets? = nil, infoPlist: File? = nil, sources: Globs? = nil,
    resources: Globs? = nil, entitlements: File? = nil, dependencies: [TargetDependency] = [],
    settings: Settings? = nil
  ) -> Target {
    let family = destinations.contains(.iPad) ? "1,2" : "1"
    let folders = (sources?.patterns ?? []).map { pattern in
      precondition(pattern.hasSuffix("/**"))
      return String(pattern.dropLast(3))
    }
    // Catalogs, which the other forms find in the folders of sources; and all others.
    let catalogs = (resources?.patterns ?? []).filter { $0.contains("/**/*.") }
    let own = (resources?.patterns ?? []).filter { !$0.contains("/**/*.") }
    let linked = dependencies.compactMap { if case .package(let product) = $0 { product } else { nil } }
    let names = dependencies.compactMap { if case .target(let name) = $0 { name } else { nil } }
    return Target(name: name, product: product, dependencies: dependencies) { targets in
      // Tuist embeds what an app depends on, by the type of the product; an app that tests depend on is their host.
      let places: [Product: String] = [
        .app: "Host/", .appExtension: "PlugIns/", .extensionKitExtension: "Extensions/",
      ]
      let embedded = names.map { name in places[targets.first { $0.name == name }!.product]! + name }
      return [
        name, product.rawValue, bundleId, deploymentTargets?.version ?? "", family, infoPlist?.path ?? "",
        entitlements?.path ?? "", folders.joined(separator: " "), own.joined(separator: " "),
        linked.joined(separator: " "), embedded.joined(separator: " "), settings?.text ?? "",
        catalogs.joined(separator: " "),
      ].joined(separator: "|")
    }
  }
}

public struct Project {
  public struct Options {
    public enum AutomaticSchemesOptions { case enabled, disabled }
    let schemes: AutomaticSchemesOptions
    let regions: [String]
    let region: String
    public static func options(
      automaticSchemesOptions: AutomaticSchemesOptions = .enabled, defaultKnownRegions: [String]? = nil,
      developmentRegion: String? = nil
    ) -> Options {
      Options(
        schemes: automaticSchemesOptions, regions: defaultKnownRegions ?? ["Base", "en"],
        region: developmentRegion ?? "en")
    }
  }

  public init(
    name: String, options: Options = .options(), packages: [Package.Dependency] = [],
    settings: Settings? = nil,
    targets: [Target] = [], schemes: [Scheme] = []
  ) {
    let package = packages.map(\.text).joined(separator: " ")
    let names = schemes.map(\.name) + (options.schemes == .enabled ? ["one for each target"] : [])
    let fields = [
      name, package.isEmpty ? "none" : package, names.joined(separator: " "), settings?.text ?? "",
      options.regions.sorted().joined(separator: " "), options.region,
      Set((settings?.configurations ?? []).map { $0.file ?? "" }).sorted().joined(separator: " "),
    ]
    precondition(settings?.configurations.map(\.name) == [.debug, .release])
    print(fields.joined(separator: "|"))
    for target in targets { print(target.row(targets)) }
  }

  @available(*, deprecated, message: "use Package.Dependency")
  @_disfavoredOverload
  public init(
    name: String, options: Options = .options(), packages: [Package], settings: Settings? = nil,
    targets: [Target] = [], schemes: [Scheme] = []
  ) {
    self.init(name: name, options: options, settings: settings, targets: targets, schemes: schemes)
  }
}

public struct Tuist {
  public struct TuistProject { public static func tuist() -> TuistProject { TuistProject() } }
  public init(project: TuistProject) {}
}
