// The part that asks a server for each caller: a Live Caller ID Lookup extension.

extension ProjectPlan {
  /// The bundle identifier of the lookup extension: the prefix of the names under which iOS asks the server, and so the
  /// one that the server's data are made for. Nil if the app has no such extension.
  package var lookupIdentifier: String? {
    kind.parts.contains(.liveLookup)
      ? options.lookupIdentifier ?? bundleIdentifier + Self.lookupSuffix : nil
  }

  var liveLookup: ProjectPart {
    let identifier = lookupIdentifier ?? ""
    let server = options.serverURL ?? ""
    let issuer = options.issuerURL ?? server
    return ProjectPart(
      name: "Lookup", sources: ScaffoldSources.liveLookup,
      version: 18,  // the first with Live Caller ID Lookup
      target: XcodeTarget(
        name: "\(name)Lookup", product: .extensionKitExtension, bundleIdentifier: identifier,
        infoPlist: "Support/Lookup-Info.plist"),
      targetName: "Live Caller ID Lookup extension", title: name,
      infoPlist: [
        ("EXAppExtensionAttributes", .keys([("EXExtensionPointIdentifier", "com.apple.live-lookup")])),
        // iOS reads the servers here from 27.3 on; for earlier versions, the extension does.
        (
          "NSPIRConfiguration",
          .keys([("PIRServerURL", .text(server)), ("PrivacyPassIssuerURL", .text(issuer))])
        ),
      ], appKeys: [("LookupExtension", .text(identifier))],
      readme: lookupReadme(identifier, server: server, issuer: issuer))
  }

  private func lookupReadme(_ identifier: String, server: String, issuer: String) -> PartReadme {
    PartReadme(
      summary: """
        An app for iOS 18 or later with a Live Caller ID Lookup extension, made by `cdpipe scaffold --kind live-lookup`. The \
        list stays on your server. When a call comes in, iOS asks the server for the number by private information \
        retrieval: the server does not learn who called, and the app does not run.

        The project follows Apple's documentation of November 2026. Nobody has built it with Xcode or tried it on an iPhone \
        yet.
        """,
      folders: [
        (
          "App",
          "the app: a screen with the extension's status, Settings, the user's token, refresh and reset"
        ),
        ("Extension", "the extension, which passes the servers and the token to iOS"),
        ("Shared", "code for both: the app group, and the token in it"),
      ],
      notes: """
        The extension's bundle identifier is `\(identifier)`. iOS asks the server for `\(identifier).identity` and \
        `\(identifier).block`.
        """,
      heading: "From the list to a call",
      before: [
        """
        Write the server's data. The numbers and names of a list become rows of Apple's keyword database:

               cdpipe emit --format pir --bundle-id \(identifier) --test-identity -o lookup list.tsv

           `--test-identity` adds +14085551212, "Johnny Appleseed", which Apple's check and your own tests look up.
        """,
        """
        Process them with Apple's `PIRProcessDatabase` (the script `process.sh` in that directory runs it), and serve \
        them with Apple's `PIRService` or a service of yours that speaks the same protocol. Its users and \
        their tokens are in `users.json` beside the results. Several shards need iOS 18.2 or newer.
        """,
      ],
      after: [
        """
        Run the app on a device. An app that Xcode installs asks the server directly, not through Apple's relay, and its \
        URLs may have a path, a port, or `http`: change them in `Support/Lookup-Info.plist` to test with a server in your \
        network.
        """,
        """
        Enable the extension in Settings, Apps, Phone, Call Blocking & Identification. The button Settings opens that page.
        """,
        """
        Set the user's token in the app: one of the tokens in the service's configuration, in Base64. An app for others \
        calls `LookupControl.use(token:)` after its users log in.
        """,
        "Call from a number in the list.",
      ],
      rest: Self.lookupDistribution(identifier, server: server, issuer: issuer))
  }

  private static func lookupDistribution(_ identifier: String, server: String, issuer: String) -> String {
    """
    ## Before the app is distributed

    An app from TestFlight or the App Store asks through Apple's Oblivious HTTP relay, which must know your server:

    - Both URLs are https and a host, without a path, a port or a slash at the end: `\(server)`\
    \(issuer == server ? "" : ", `\(issuer)`"). iOS 27.3 reads them only from `NSPIRConfiguration` in \
    `Support/Lookup-Info.plist`; earlier versions ask the extension, which reads them there.
    - An Oblivious HTTP gateway with HTTP/2 runs in front of the server (RFC 9458).
    - The test identity is in the data: +14085551212, "Johnny Appleseed".
    - A DNS TXT record of `\(server.dropFirst("https://".count))` contains `apple-live-caller-id-lookup=\(identifier)`.
    - Register on the page Identity & Trust of the CloudKit console, \
    https://icloud.developer.apple.com/dashboard/identity: the extension's bundle identifier, the service's and the \
    issuer's URL, the gateway's URL and configuration, a token for Apple's check, sizes of requests and responses, and \
    estimates of the traffic by continent. The service must run then.

    ## Updates

    - A new list needs nothing on the phones, as long as the parameters stay the same. Names that iOS has cached stay \
    until they expire (`--cache-minutes`).
    - After a change of the number of shards or of other parameters, phones fetch them by themselves; Refresh in the app \
    does it at once. iOS 27.3 requires a power of two, at most 65,536 shards.
    - After a change of the token, the app makes iOS ask the extension again. Reset also empties iOS's cache.

    ## Blocking

    Developers report that numbers to block are identified but ring \
    (https://github.com/apple/pir-service-example/issues/165). To block calls, use Call Directory extensions: \
    `cdpipe scaffold --kind blocker`.
    """
  }
}
