// A blocker's README, with the next steps.

extension BlockerPlan {
  /// The number of extensions that the 98,552,781 numbers of the large example need: one can load at most 1,999,999.
  private static let largeExampleExtensions = 50

  /// The pattern of the example in the README: at most as many numbers as the extensions can load.
  private var examplePattern: String {
    extensions < Self.largeExampleExtensions ? "'+82 70 1234 XXXX'" : "'+82 70 XXXX XXXX' --exclude '*000*'"
  }

  /// What the program reports if the package is elsewhere.
  private var packageNote: String {
    switch manager {
    case .xcode: " Otherwise Xcode reports `Missing package product`."
    case .xcodegen where !project.packageIsRemote:
      " Otherwise XcodeGen reports `Invalid local package \"cdpipe\"`."
    case .tuist, .xcodegen: ""
    }
  }

  var readmeText: String {
    """
    # \(name)

    An app for iOS with \(extensions) Call Directory \(extensions == 1 ? "extension" : "extensions"), made by `cdpipe scaffold`. \
    All extensions share one source file; each finds its shard by the number in its bundle identifier.

    | | |
    |---|---|
    \(projectRow)
    | `App/` | the app: a switch, and code that loads the extensions one after another |
    | `Extension/` | the source that all extensions share |
    | `Shared/` | code for both: the app group, and which shard belongs to which extension |
    | `Stores/` | the shards |
    | `Support/` | Info.plists and the entitlements |

    ## Next steps

    1. Put the stores into `Stores/`, if they aren't there yet: at most \(extensions) \(extensions == 1 ? "shard" : "shards"), written by `cdpipe`, for example:

           cdpipe generate \(examplePattern) \\
             | cdpipe emit --format store --block '*' --shards \(extensions) -o Stores

    2. Check that the package is at the path or URL in the project: `\(package)`.\(packageNote)
    3. \(openingStep)
    4. Set your team (\(teamSetting)), and let Xcode register the identifiers `\(bundleIdentifier)`, \
    `\(identifier(ofExtension: 1))`\(extensions > 1 ? " to `\(identifier(ofExtension: extensions))`" : ""), and the app group \
    `\(appGroup)`. \(identifiersNote(extensions: extensions))
    5. Run the app on a device, and enable the extensions in Settings, Apps, Phone, Call Blocking & Identification. The simulator \
    of Xcode can't receive calls.
    6. \(iconNote)

    An extension can load fewer than 2,000,000 numbers. If there are more shards than extensions, add extensions: run \
    `cdpipe scaffold` with a larger `--extensions` and `--force`, and set your team again. Existing identifiers don't change.

    """
  }
}
