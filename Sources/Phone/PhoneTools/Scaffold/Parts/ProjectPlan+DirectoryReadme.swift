// The README of the parts with Call Directory extensions.

extension ProjectPlan {
  /// The number of extensions that the 98,552,781 numbers of the large example need: one can load at most 1,999,999.
  private static let largeExampleExtensions = 50

  /// The number of extensions, in words.
  private var counted: String {
    "\(options.extensions) Call Directory \(options.extensions == 1 ? "extension" : "extensions")"
  }
  /// The maximum number of shards, in words.
  private var shards: String { "\(options.extensions) \(options.extensions == 1 ? "shard" : "shards")" }

  private static let runningStep = """
    Run the app on a device, and enable the extensions in Settings, Apps, Phone, Call Blocking & Identification. The \
    simulator of Xcode can't receive calls.
    """
  private static let growing = """
    An extension can load fewer than 2,000,000 numbers. If there are more shards than extensions, add extensions: run \
    `cdpipe scaffold` with a larger `--extensions` and `--force`, and set your team again. Existing identifiers don't change.
    """

  var blockerReadme: PartReadme {
    // At most as many numbers as the extensions can load.
    let pattern =
      options.extensions < Self.largeExampleExtensions
      ? "'+82 70 1234 XXXX'" : "'+82 70 XXXX XXXX' --exclude '*000*'"
    return PartReadme(
      summary: """
        An app for iOS with \(counted), made by `cdpipe scaffold`. All extensions share one source file; each finds its shard \
        by the number in its bundle identifier.
        """,
      folders: [
        ("App", "the app: a switch, the state of the extensions, and a lookup"),
        ("Extension", "the source that all extensions share"),
        ("Shared", "code for both: the app group, and which shard belongs to which extension"),
        ("Stores", "the shards"),
      ],
      heading: "Next steps",
      before: [
        """
        Put the stores into `Stores/`, if they aren't there yet: at most \(shards), written by `cdpipe`, for example:

               cdpipe generate \(pattern) \\
                 | cdpipe emit --format store --block '*' --shards \(options.extensions) -o Stores

        """
      ], after: [Self.runningStep], rest: Self.growing)
  }

  var callerReadme: PartReadme {
    let trust =
      options.listKeys.isEmpty
      ? """
      The app accepts unsigned lists: anyone who can change the files on the server decides whose calls are named and \
      blocked. To change that, make a key with `cdpipe keys generate`, and run `cdpipe scaffold` with `--list-key` and \
      `--force`.
      """
      : """
      The app accepts only lists that are signed with the private key of a public key under `ListKey` in \
      `Support/App-Info.plist`: `publish: { sign: KEYFILE }`. Keep a copy of the private key in a safe place.
      """
    let compression =
      options.listEncoding == .gzip
      ? " Compress all files except the manifest and its signature, beside the originals: `gzip -k`." : ""
    return PartReadme(
      summary: """
        An app for iOS with \(counted), made by `cdpipe scaffold --kind caller-id`. It downloads a list of callers every \
        night, checks it, and reloads the extensions whose shards have changed. All extensions share one source file; each \
        finds its shard by the number in its bundle identifier.
        """,
      folders: [
        ("App", "the app: its screen, the nightly update, and loading the extensions one after another"),
        ("Extension", "the source that all extensions share"),
        ("Shared", "code for both: the app group, and which files belong to which extension"),
        ("Stores", "the bootstrap store"),
      ],
      heading: "From the list to a call",
      before: [
        """
        Publish the list so that its `manifest.json` is at `\(options.listURL ?? "")`. A pipeline file for `cdpipe run`, \
        with your list and its country:

               sources: [{ path: list.csv, region: US }]
               emit: { format: store, shards: \(options.extensions), bootstrap: 10000 }
               publish: { directory: public\(options.listKeys.isEmpty ? "" : ", sign: KEYFILE") }

           `public/current` has the files of the newest version.\(compression)
        """, trust,
      ],
      after: [
        Self.runningStep,
        """
        Wait for a night, or start the update in Xcode's debugger: pause the app, and enter \
        `e -l objc -- (void)[[BGTaskScheduler sharedScheduler] _simulateLaunchForTaskWithIdentifier:\
        @"\(bundleIdentifier).update"]`.
        """,
      ],
      rest: """
        iOS decides when an app updates in the background: about once a day if its owner uses it. The app also updates \
        when it is opened and its list is older than a day.

        The list may have at most \(shards). \(Self.growing)
        """)
  }
}
