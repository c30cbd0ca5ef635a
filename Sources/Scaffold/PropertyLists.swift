// Property lists: Info.plists and entitlements, according to Apple's documentation for each kind of extension.

/// A value of a property list.
indirect enum PropertyValue: Equatable, Sendable {
  case text(String)
  case truth(Bool)
  case list([PropertyValue])
  case keys([(String, PropertyValue)])

  static func == (one: PropertyValue, other: PropertyValue) -> Bool { one.xml == other.xml }

  /// The complete property list as XML.
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
}

extension ProjectPlan {
  /// The app's Info.plist, with the kind's own keys. The sources read `AppGroup`.
  func appInfo(_ own: [(String, PropertyValue)] = []) -> PropertyValue {
    .keys(
      PropertyValue.bundleKeys + [
        ("LSRequiresIPhoneOS", .truth(true)),
        ("UILaunchScreen", .keys([])),
        ("AppGroup", .text(appGroup)),
      ] + own)
  }

  /// The entitlements of the app and all extensions.
  var entitlements: PropertyValue {
    .keys([("com.apple.security.application-groups", .list([.text(appGroup)]))])
  }
}

extension BlockerPlan {
  /// The Info.plist of all extensions, which differ only in build settings.
  var directoryInfo: PropertyValue {
    .keys(
      PropertyValue.bundleKeys + [
        ("CFBundleDisplayName", .text("$(DIRECTORY_TITLE)")),
        ("AppGroup", .text(appGroup)),
        (
          "NSExtension",
          .keys([
            ("NSExtensionPointIdentifier", .text("com.apple.callkit.call-directory")),
            ("NSExtensionPrincipalClass", .text("$(PRODUCT_MODULE_NAME).CallDirectoryHandler")),
          ])
        ),
      ])
  }
}

extension LiveLookupPlan {
  /// The app's Info.plist: with the extension that the app controls.
  var lookupAppInfo: PropertyValue {
    appInfo([("LookupExtension", .text(extensionIdentifier))])
  }

  /// The extension's Info.plist. iOS reads the servers from it from 27.3, the extension for earlier versions.
  var lookupInfo: PropertyValue {
    .keys(
      PropertyValue.bundleKeys + [
        ("CFBundleDisplayName", .text(name)),
        ("AppGroup", .text(appGroup)),
        ("EXAppExtensionAttributes", .keys([("EXExtensionPointIdentifier", .text("com.apple.live-lookup"))])),
        (
          "NSPIRConfiguration",
          .keys([("PIRServerURL", .text(serverURL)), ("PrivacyPassIssuerURL", .text(issuerURL))])
        ),
      ])
  }
}
