// The project's own README: what to do next.

extension ScaffoldPlan {
  /// The number of extensions that the 98,552,781 numbers of the large example need: one holds at most 1,999,999.
  private static let largeExampleExtensions = 50

  /// What the example in the README makes numbers of: no more of them than the extensions take.
  private var examplePattern: String {
    extensions < Self.largeExampleExtensions ? "'+82 70 1234 XXXX'" : "'+82 70 XXXX XXXX' --exclude '*000*'"
  }

  var readmeText: String {
    """
    # \(name)

    An app for iOS with \(extensions) Call Directory \(extensions == 1 ? "extension" : "extensions"), made by `cdpipe scaffold`. \
    All extensions have one source; each knows by its bundle identifier which shard is its own.

    | | |
    |---|---|
    | \(manager == .tuist ? "`Project.swift`, `Tuist.swift`" : "`project.yml`") | the description that the Xcode project is made of |
    | `App/` | the app: the switch, and loading one extension after another |
    | `Extension/` | the extensions' one source |
    | `Shared/` | what both know: the app group, and which shard is whose |
    | `Stores/` | the shards |
    | `Support/` | Info.plists and the entitlements |

    ## Next steps

    1. Put the stores in place, if they aren't yet: at most \(extensions) shards, written by `cdpipe`, such as

           cdpipe generate \(examplePattern) \\
             | cdpipe emit --format store --block '*' --shards \(extensions) -o Stores

    2. See to it that the package is where the description says: `\(package)`.
    3. `\(manager.command)`, and open \(name).\(manager == .tuist ? "xcworkspace" : "xcodeproj") in Xcode.
    4. Set your team (`DEVELOPMENT_TEAM`), and let Xcode register the identifiers: `\(bundleIdentifier)`, \
    `\(identifier(ofExtension: 1))`\(extensions > 1 ? " to `\(identifier(ofExtension: extensions))`" : ""), and the app group \
    `\(appGroup)`.
    5. Run it on a device, and switch the extensions on in Settings, Apps, Phone, Call Blocking & Identification. The simulator \
    of Xcode takes no calls.

    An extension takes fewer than 2,000,000 numbers. With more shards than extensions the app needs more extensions: run \
    `cdpipe scaffold` with a larger `--extensions` and `--force`; identifiers keep their meaning.

    """
  }
}
