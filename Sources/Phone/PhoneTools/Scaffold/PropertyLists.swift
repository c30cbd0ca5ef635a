// Property lists: Info.plists, entitlements and the privacy manifest, from templates according to Apple's documentation
// for each kind of extension.

extension ProjectPlan {
  /// The languages of the string catalogs, the development language first.
  static let languages = ["en", "de", "ja", "zh-Hans"]

  /// A property list from a template: texts are escaped, and the texts of a list become its elements.
  private static func propertyList(
    _ path: String, template: String? = nil, _ values: [String: String?], lists: [String: [String]] = [:]
  ) -> ScaffoldFile {
    var values = values.mapValues { $0.map(escaped) }
    for (name, texts) in lists {
      let elements = texts.map { "<string>\(escaped($0))</string>" }.joined(separator: "\n")
      values[name] = texts.isEmpty ? .some(nil) : elements
    }
    let name = template ?? String(path.split(separator: "/").last ?? "")
    return ScaffoldFile(path, Template(name, values).text)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  static let appInfoPath = "Support/App-Info.plist"

  /// The app's Info.plist. The sources read the keys from `AppGroup` on.
  var appInfo: ScaffoldFile {
    let hasList = kind.parts.contains(.callerID)
    let hasRules = kind.parts.contains(.messageFilter)
    let rulesURL = hasRules ? options.rulesURL : nil
    return Self.propertyList(
      Self.appInfoPath,
      [
        "appGroup": hasAppGroup ? appGroup : nil, "listURL": hasList ? options.listURL ?? "" : nil,
        "isCompressed": Template.flag(hasList && options.listEncoding == .gzip), "rulesURL": rulesURL,
        "lookupExtension": lookupIdentifier, "calls": Template.flag(kind == .voIP),
      ],
      // An empty list of keys would be an error of the app: without the key, it accepts unsigned lists.
      lists: [
        "languages": Self.languages, "listKeys": hasList ? options.listKeys : [],
        "rulesKeys": hasRules ? options.rulesKeys : [],
        "tasks": taskNames.map { "\(bundleIdentifier).\($0)" }, "modes": backgroundModes,
      ])
  }

  private var backgroundModes: [String] {
    if kind == .voIP { return ["audio", "voip"] }
    return (taskNames.contains("update") ? ["fetch"] : [])
      + (taskNames.contains("first") ? ["processing"] : [])
  }

  /// The last parts of the identifiers of the background tasks, as the sources register them.
  private var taskNames: [String] {
    let hasList = kind.parts.contains(.callerID)
    let hasRules = kind.parts.contains(.messageFilter) && options.rulesURL != nil
    return (hasList || hasRules ? ["update"] : []) + (hasList ? ["first"] : [])
      + (kind.parts.contains(where: \.isDirectory) ? ["load"] : [])
  }

  func info(_ part: ProjectPart) -> ScaffoldFile? {
    part.target.map { target in
      Self.propertyList(
        target.infoPlist, part.info.merging(["appGroup": appGroup]) { $1 }, lists: part.infoLists)
    }
  }

  /// Whether the app shares files with extensions.
  var hasAppGroup: Bool { kind != .voIP }

  /// The path of the entitlements of a target.
  func entitlementsFile(_ domains: [String]) -> String {
    if !hasAppGroup { return "Support/App.entitlements" }
    return domains.isEmpty ? "Support/AppGroup.entitlements" : "Support/AppGroupAndDomains.entitlements"
  }

  /// The entitlements of the app and all extensions.
  func entitlements(_ parts: [ProjectPart]) -> [ScaffoldFile] {
    let all = parts.flatMap(\.domains)
    let sets = all.isEmpty || parts.allSatisfy({ !$0.domains.isEmpty }) ? [all] : [all, []]
    return sets.map { domains in
      Self.propertyList(
        entitlementsFile(domains), template: "AppGroup.entitlements",
        ["appGroup": hasAppGroup ? appGroup : nil, "pushes": Template.flag(kind == .voIP)],
        lists: ["domains": domains])
    }
  }

  /// The privacy manifest: which APIs with a required reason the sources and the package's libraries use.
  static func privacy(of sources: [ScaffoldFile]) -> ScaffoldFile {
    func uses(_ text: String) -> Bool { sources.contains { $0.text.contains(text) } }
    // The libraries ask for the sizes of files in the app group's folder and in the bundle.
    let usesLibraries = ["CallStoreReader", "CallDirectory", "MessageRules"].contains {
      uses("import \($0)\n")
    }
    let fileTimestamp = [usesLibraries ? "C617.1" : nil, uses(".modificationDate") ? "DDA9.1" : nil]
    let userDefaults = [
      uses("UserDefaults.standard") ? "CA92.1" : nil, uses("UserDefaults(suiteName") ? "1C8F.1" : nil,
    ]
    return propertyList(
      "\(shared)/PrivacyInfo.xcprivacy", [:],
      lists: [
        "fileTimestamp": fileTimestamp.compactMap { $0 }, "userDefaults": userDefaults.compactMap { $0 },
      ])
  }
}
