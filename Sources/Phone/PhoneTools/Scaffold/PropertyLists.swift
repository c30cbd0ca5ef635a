// Property lists: Info.plists and entitlements, according to Apple's documentation for each kind of extension.

indirect enum PropertyValue: Equatable, Sendable {
  case text(String)
  case truth(Bool)
  case list([PropertyValue])
  case keys([(String, PropertyValue)])

  static func == (one: PropertyValue, other: PropertyValue) -> Bool { one.xml == other.xml }

  var xml: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    \(element(""))
    </plist>

    """
  }

  private func element(_ indent: String) -> String {
    switch self {
    case .text(let text): return "\(indent)<string>\(Self.escaped(text))</string>"
    case .truth(let isTrue): return "\(indent)<\(isTrue)/>"
    case .list(let values):
      let inner = values.map { $0.element(indent + "\t") }
      return ([indent + "<array>"] + inner + [indent + "</array>"]).joined(separator: "\n")
    case .keys(let entries):
      if entries.isEmpty { return indent + "<dict/>" }
      let inner = entries.flatMap { key, value in
        ["\(indent)\t<key>\(Self.escaped(key))</key>", value.element(indent + "\t")]
      }
      return ([indent + "<dict>"] + inner + [indent + "</dict>"]).joined(separator: "\n")
    }
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
    return result
  }
}

extension PropertyValue: ExpressibleByStringInterpolation {
  init(stringLiteral text: String) { self = .text(text) }
}

extension PropertyValue {
  /// The keys of every bundle; Xcode replaces the variables.
  static let bundleKeys: [(String, PropertyValue)] = [
    ("CFBundleDevelopmentRegion", .text("$(DEVELOPMENT_LANGUAGE)")),
    ("CFBundleExecutable", .text("$(EXECUTABLE_NAME)")),
    ("CFBundleIdentifier", .text("$(PRODUCT_BUNDLE_IDENTIFIER)")),
    ("CFBundleInfoDictionaryVersion", .text("6.0")),
    ("CFBundleName", .text("$(PRODUCT_NAME)")),
    ("CFBundlePackageType", .text("$(PRODUCT_BUNDLE_PACKAGE_TYPE)")),
    ("CFBundleShortVersionString", .text("$(MARKETING_VERSION)")),
    ("CFBundleVersion", .text("$(CURRENT_PROJECT_VERSION)")),
  ]

  /// The key of an extension that has a principal class.
  static func extensionPoint(
    _ identifier: String, class name: String, _ attributes: (String, PropertyValue)? = nil
  ) -> (String, PropertyValue) {
    let keys: [(String, PropertyValue)] = [
      ("NSExtensionPointIdentifier", .text(identifier)),
      ("NSExtensionPrincipalClass", .text("$(PRODUCT_MODULE_NAME).\(name)")),
    ]
    return ("NSExtension", .keys((attributes.map { [$0] } ?? []) + keys))
  }
}

extension ProjectPlan {
  /// The languages of the string catalogs, the development language first.
  static let languages = ["en", "de", "ja", "zh-Hans"]

  /// The app's Info.plist. The sources read `AppGroup`.
  func appInfo(_ parts: [ProjectPart]) -> PropertyValue {
    .keys(
      PropertyValue.bundleKeys + [
        ("CFBundleLocalizations", .list(Self.languages.map { .text($0) })),
        ("LSRequiresIPhoneOS", .truth(true)),
        ("UILaunchScreen", .keys([])),
        ("AppGroup", .text(appGroup)),
      ] + Self.merged(parts.flatMap(\.appKeys)))
  }

  /// Keys, each once: lists of the same key become one list.
  private static func merged(_ keys: [(String, PropertyValue)]) -> [(String, PropertyValue)] {
    var merged: [(String, PropertyValue)] = []
    for (key, value) in keys {
      if let place = merged.firstIndex(where: { $0.0 == key }), case .list(let values) = value,
        case .list(let former) = merged[place].1
      {
        merged[place].1 = .list(former + values.filter { !former.contains($0) })
      } else {
        merged.append((key, value))
      }
    }
    return merged
  }

  func info(_ part: ProjectPart) -> PropertyValue {
    .keys(
      PropertyValue.bundleKeys + [("CFBundleDisplayName", .text(part.title)), ("AppGroup", .text(appGroup))]
        + part.infoPlist)
  }

  /// The path of the entitlements of a target.
  func entitlementsFile(_ domains: [String]) -> String {
    domains.isEmpty ? "Support/AppGroup.entitlements" : "Support/AppGroupAndDomains.entitlements"
  }

  /// The entitlements of the app and all extensions.
  func entitlements(_ parts: [ProjectPart]) -> [ScaffoldFile] {
    let all = parts.flatMap(\.domains)
    let sets = all.isEmpty || parts.allSatisfy({ !$0.domains.isEmpty }) ? [all] : [all, []]
    return sets.map { domains in
      let group: (String, PropertyValue) = (
        "com.apple.security.application-groups", .list([.text(appGroup)])
      )
      let association: (String, PropertyValue) = (
        "com.apple.developer.associated-domains", .list(domains.map { .text($0) })
      )
      return ScaffoldFile(
        entitlementsFile(domains), PropertyValue.keys(domains.isEmpty ? [group] : [association, group]).xml)
    }
  }

  /// The privacy manifest: which APIs with a required reason the sources and the package's libraries use.
  static func privacy(of sources: [ScaffoldFile]) -> PropertyValue {
    func uses(_ text: String) -> Bool { sources.contains { $0.text.contains(text) } }
    // The libraries ask for the sizes of files in the app group's folder and in the bundle.
    let usesLibraries = ["CallStoreReader", "CallDirectory", "MessageRules"].contains {
      uses("import \($0)\n")
    }
    let reasons = [
      ("FileTimestamp", usesLibraries ? "C617.1" : nil),
      ("FileTimestamp", uses(".modificationDate") ? "DDA9.1" : nil),
      ("UserDefaults", uses("UserDefaults.standard") ? "CA92.1" : nil),
      ("UserDefaults", uses("UserDefaults(suiteName") ? "1C8F.1" : nil),
    ]
    let types = ["FileTimestamp", "UserDefaults"].compactMap { type -> PropertyValue? in
      let own = reasons.filter { $0.0 == type }.compactMap(\.1)
      if own.isEmpty { return nil }
      return .keys([
        ("NSPrivacyAccessedAPIType", .text("NSPrivacyAccessedAPICategory\(type)")),
        ("NSPrivacyAccessedAPITypeReasons", .list(own.map { .text($0) })),
      ])
    }
    return .keys([
      ("NSPrivacyTracking", .truth(false)), ("NSPrivacyTrackingDomains", .list([])),
      ("NSPrivacyCollectedDataTypes", .list([])), ("NSPrivacyAccessedAPITypes", .list(types)),
    ])
  }
}
