// For the app: keeps the folders of its extensions up to date with a published list.

public import CallDirectory
// An app has its publisher's key, and handles the errors of signatures: one import is enough.
@_exported public import CallManifest
public import Foundation

/// Downloads a published list into the folders of an app's extensions, and only what has changed of it.
///
///     let updater = DirectoryUpdater(
///       server: URL(string: "https://lists.example.com/lists/")!, folder: container,
///       trust: .signed(
///         by: [ManifestKey("ed25519:8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f")!]))
///     let update = try await updater.update()
///     show(update.changed, update.bytesDownloaded)
///
/// `update` may be cancelled or killed at any time. Each extension finds either its previous files or its new ones,
/// and the next update continues where this one ended, also in the middle of a file.
public struct DirectoryUpdater: Sendable {
  /// The maximum size of a file that a manifest names, in bytes. 1,999,999 records with distinct labels need less.
  public static let fileBytesMax: UInt64 = 256 << 20

  /// The URL of the folder on the server that has `manifest.json`, `manifest.json.sig` and the files that the manifest
  /// names.
  public let server: URL
  /// The folder of the app group that has a folder for each extension.
  public let folder: URL
  /// Which manifests are accepted.
  public let trust: UpdateTrust
  /// The numbers of the app's extensions; nil for an app that accepts any number of shards.
  public let extensions: Set<Int>?
  /// How the server offers the files that the manifest names.
  public let encoding: UpdateEncoding
  /// The clock that expiry is checked with.
  package var clock: @Sendable () -> Date = { Date() }
  /// Whether files are forced to disk before they are put into place. Tests do without.
  package var isDurable = true
  /// Called before a file of an extension's folder is put into place or removed, with its path. Tests end updates here.
  package var willChange: @Sendable (String) throws -> Void = { _ in }

  let transport: any UpdateTransport

  /// Creates an updater. Nothing is read or written.
  ///
  /// - Parameters:
  ///   - server: the URL of the folder on the server.
  ///   - folder: a folder that only this updater and the app's extensions use.
  ///   - trust: which manifests are accepted.
  ///   - extensions: the numbers of the app's extensions. A manifest with a shard for another one is refused before
  ///     anything changes: the app needs more extensions.
  ///   - encoding: how the server offers stores and deltas.
  ///   - transport: how files are requested.
  public init(
    server: URL, folder: URL, trust: UpdateTrust, extensions: Set<Int>? = nil,
    encoding: UpdateEncoding = .plain, transport: any UpdateTransport = URLSessionTransport()
  ) {
    self.server = server
    self.folder = folder
    self.trust = trust
    self.extensions = extensions
    self.encoding = encoding
    self.transport = transport
  }

  /// Downloads what is new, checks it, and puts it into place.
  ///
  /// Files are downloaded to a folder of their own, and put into place by renaming them, shard after shard. If deltas
  /// lead from the files of an extension to its new shard, they are added to those files, and the store stays. A new
  /// store is downloaded if there are no such deltas, or if together with those of earlier updates they are more than 30
  /// or larger than a quarter of the store. The serial number of the manifest is stored at the end. If the server
  /// switches to another version in the meantime, the update starts again, once.
  ///
  /// - Returns: what has changed. Reload the extensions of ``DirectoryUpdate/changed`` and ``DirectoryUpdate/removed``.
  /// - Throws: ``DirectoryUpdateError``, `CancellationError`, or the transport's error, such as `URLError`. Each
  ///   extension has its former files or its new ones. Shards that were complete before the error stay, and the next
  ///   update does not report them: `ExtensionFiles.progress()` of ``files(of:)`` shows what is left to load.
  /// - Complexity: O(bytes of changed files). Memory: under 1 MiB, and what the manifest needs.
  public func update() async throws -> DirectoryUpdate {
    guard UpdatesInProgress.begin(folder.path) else { throw DirectoryUpdateError.inProgress }
    defer { UpdatesInProgress.end(folder.path) }
    var run = UpdateRun(self)
    do {
      return try await run.attempt()
    } catch let error as DirectoryUpdateError where error.mayBeSwitchOfVersions {
      return try await run.attempt()
    }
  }

  /// The files of an extension, for loading them; nil if it has none: before the first update, or because the list
  /// has fewer shards than the app has extensions.
  public func files(of shard: Int) -> ExtensionFiles? { Self.files(of: shard, in: folder) }

  /// The files of an extension, for the extension itself; nil if it has none.
  ///
  /// - Parameters:
  ///   - shard: the number of the extension.
  ///   - folder: the folder of the updater.
  public static func files(of shard: Int, in folder: URL) -> ExtensionFiles? {
    var files = ExtensionFiles(folder: Self.folder(of: shard, in: folder).path)
    files.ownList = Self.ownList(in: folder)
    return UpdateFile.exists(files.store) ? files : nil
  }

  /// The path of the user's own list, which ``files(of:)`` names. The app writes it, if it has one; updates leave it.
  ///
  /// - Parameter folder: the folder of the updater.
  public static func ownList(in folder: URL) -> String {
    folder.appendingPathComponent(OwnList.fileName).path
  }

  /// The files of the extension that blocks the numbers of the user's own list, and nothing else.
  ///
  /// - Parameter folder: the folder of the updater.
  public static func filesOfOwnList(in folder: URL) -> ExtensionFiles {
    ExtensionFiles(
      blocking: ownList(in: folder), record: folder.appendingPathComponent("own-list.cdrecord").path)
  }

  /// The folder of an extension, such as `0007`.
  ///
  /// - Parameters:
  ///   - shard: the number of the extension.
  ///   - folder: the folder of the updater.
  public static func folder(of shard: Int, in folder: URL) -> URL {
    let digits = String(shard)
    let name = String(repeating: "0", count: max(0, shardDigitsMin - digits.count)) + digits
    return folder.appendingPathComponent(name, isDirectory: true)
  }

  /// The number of the extension that a folder belongs to; nil for any other name.
  static func shard(ofFolder name: String) -> Int? {
    guard name.utf8.count >= shardDigitsMin, let shard = Int(name), shard > 0,
      folder(of: shard, in: URL(fileURLWithPath: "/")).lastPathComponent == name
    else { return nil }
    return shard
  }

  private static let shardDigitsMin = 4
}

/// Which manifests an app accepts.
public enum UpdateTrust: Sendable {
  /// Manifests that one of these keys signed, unaltered, not older than the last accepted one, and not expired. While
  /// a publisher replaces its key, an app has two. `serialMin` is the serial number of the list in the app's bundle.
  case signed(by: [ManifestKey], serialMin: Int64? = nil)
  /// Any manifest. Anyone who can write to the server, or is between it and the phone, decides whose calls are blocked.
  case unsigned
}

/// How a server offers the files that a manifest names. Manifests and signatures are never compressed.
public enum UpdateEncoding: Sendable {
  /// Under their names.
  case plain
  /// Compressed with gzip, as `NAME.gz`.
  case gzip
}

/// What an update changed.
public struct DirectoryUpdate: Equatable, Sendable {
  /// The numbers of all shards of the list, ascending. Their extensions have something to load.
  public var shards: [Int] = []
  /// The numbers of the shards that have new deltas or a new store, ascending.
  public var changed: [Int] = []
  /// The numbers of the extensions whose shards the list no longer has, ascending. They have no files any more;
  /// reloading them removes their entries.
  public var removed: [Int] = []
  /// The count of bytes that were received, with those of the manifest and the signature, which count unpacked.
  public var bytesDownloaded: UInt64 = 0
  /// The serial number of the list's signature; nil without signature.
  public var serial: Int64?
  /// When the list expires unless its signature is renewed; nil without signature.
  public var expires: Date?

  /// Creates a result: of an update that changed nothing, unless its properties are set.
  public init(shards: [Int] = []) { self.shards = shards }

  /// Whether nothing has changed.
  public var isUpToDate: Bool { changed.isEmpty && removed.isEmpty }
}

/// The folders that this process is updating. A lock file would be no alternative: iOS ends an app that is suspended
/// while it holds a lock in an app group's folder.
private final class UpdatesInProgress: @unchecked Sendable {
  private static let shared = UpdatesInProgress()
  private let lock = NSLock()
  private var folders: Set<String> = []

  static func begin(_ folder: String) -> Bool {
    shared.lock.lock()
    defer { shared.lock.unlock() }
    return shared.folders.insert(folder).inserted
  }

  static func end(_ folder: String) {
    shared.lock.lock()
    defer { shared.lock.unlock() }
    shared.folders.remove(folder)
  }
}

/// Why an update ended early. The app keeps the list that it has, and tries again later.
public enum DirectoryUpdateError: Error, Equatable, Sendable {
  /// The manifest is not signed, altered, older than the last one, expired, or signed by another key. Nothing changed.
  case untrusted(ManifestSignatureError)
  /// The file is not a manifest, or has an invalid value. Nothing changed.
  case manifest(ManifestError)
  /// The list has a shard for an extension that the app does not have. Nothing changed.
  case missingExtension(Int)
  /// The server responded with a status that is not a success.
  case refused(name: String, status: Int)
  /// The server redirected a request to an address without TLS.
  case insecureRedirect(name: String)
  /// A file is larger than its size in the manifest, or than the limit for all files.
  case tooLarge(name: String)
  /// A file can't be unpacked, or does not match its hash in the manifest.
  case damaged(name: String)
  /// A file can't be read or written; the code is the `errno`.
  case disk(code: Int32, path: String)
  /// An update of the same folder is in progress.
  case inProgress

  /// Whether a switch of versions on the server explains the error: a manifest and a signature that do not belong
  /// together, or a file of a version that is not there any more.
  var mayBeSwitchOfVersions: Bool {
    switch self {
    case .untrusted(.altered): true
    case .refused(let name, let status):
      (status == Self.notFound || status == Self.gone) && name != Manifest.fileName
        && name != ManifestSignature.fileName
    default: false
    }
  }

  static let notFound = 404
  static let gone = 410
}
