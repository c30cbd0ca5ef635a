// The part that filters messages: a message filter extension with rules, and a server for what no rule matches.

extension ProjectPlan {
  /// The folder with compiled rules.
  package static let rulesFolder = "Rules"
  /// The name of the compiled rules in that folder.
  package static let rulesName = "rules.cdrules"

  /// The message filter's bundle identifier.
  private var filterIdentifier: String { bundleIdentifier + Self.filterSuffix }

  /// The domain of the server that filters.
  private var filterDomain: String? {
    options.filterURL.map { "messagefilter:\($0.dropFirst("https://".count).prefix { !"/?".contains($0) })" }
  }

  var messageFilter: ProjectPart {
    let attributes = options.filterURL.map { url in
      ("NSExtensionAttributes", PropertyValue.keys([("ILMessageFilterExtensionNetworkURL", .text(url))]))
    }
    return ProjectPart(
      name: "Filter", sources: ScaffoldSources.messageFilter,
      version: 18,  // the first with Mutex of Synchronization
      target: XcodeTarget(
        name: "\(name)Filter", product: .appExtension, bundleIdentifier: filterIdentifier,
        infoPlist: "Support/Filter-Info.plist", resources: [(Self.rulesFolder, "*.cd*")]),
      targetName: "message filter", title: name,
      infoPlist: [
        PropertyValue.extensionPoint(
          "com.apple.identitylookup.message-filter", class: "MessageFilterExtension", attributes)
      ],
      hasNightlyUpdate: true,
      appKeys: options.rulesURL.map { [("RulesURL", .text($0))] + nightlyKeys } ?? [],
      // The app shows which rules are in use.
      appResources: [(Self.rulesFolder, "*.cd*")], domains: filterDomain.map { [$0] } ?? [],
      files: [ScaffoldFile("\(Self.rulesFolder)/README.md", rulesText)], readme: filterReadme)
  }

  private var rulesText: String {
    """
    # Rules

    `\(Self.rulesName)` is a resource of the app and of its message filter, with the stores that the rules name. It is \
    written by

        cdpipe rules compile rules.yaml -o \(Self.rulesFolder)/\(Self.rulesName)
    \(manager.command.map { "\nAfter you have added or removed files, run `\($0)` again.\n" } ?? "")
    """
  }

  private var filterReadme: PartReadme {
    var before: [String] = []
    if !options.hasRules {
      before.append(
        """
        Put rules into `Rules/`, if messages are to be filtered before the first download, or without a connection:

               cdpipe rules compile rules.yaml -o Rules/rules.cdrules

        """)
    }
    if let url = options.rulesURL {
      before.append(
        """
        Put the output of `cdpipe rules compile` at `\(url)`. The app downloads it; stores that the rules name must be in \
        `Rules/`.
        """)
    }
    if let url = options.filterURL, let domain = filterDomain?.dropFirst("messagefilter:".count) {
      before.append(
        """
        Run a server at `\(url)` that answers in the form of `cdpipe classify`, such as `cdpipe-server`. iOS asks it about \
        messages that no rule matches, once the app is associated with its domain: \
        `https://\(domain)/.well-known/apple-app-site-association` contains, with your team's ID,

               {"messagefilter":{"apps":["TEAMID.\(filterIdentifier)","TEAMID.\(bundleIdentifier)"]}}

           If the server keeps messages, describe that under `NSPrivacyCollectedDataTypes` in \
        `Shared/PrivacyInfo.xcprivacy`.
        """)
    }
    return PartReadme(
      summary: """
        An app for iOS 18 or later with a message filter, made by `cdpipe scaffold --kind message-filter`. iOS asks the filter \
        about messages from senders who are not in the contacts. It applies its rules\
        \(options.filterURL == nil ? "." : ", and defers the others to your server.")
        """,
      folders: [
        ("App", "the app: its screen, and updates of the rules"),
        ("Extension", "the filter"),
        ("Shared", "code for both: the app group, and the rules in it"),
        ("Rules", "the compiled rules that come with the app"),
      ],
      heading: "From the rules to a message", before: before,
      after: [
        """
        Run the app on a device, and choose it in Settings, Apps, Messages: under Text Message Filter, on iOS 18 under Unknown & Spam. The \
        simulator of Xcode receives no messages.
        """,
        "Send the device a message from a number that is not in its contacts.",
      ],
      rest: """
        The filter sees only SMS and MMS from unknown senders, and has no network of its own. If its rules are missing or \
        damaged, or the server does not answer, messages are shown.
        """)
  }
}
