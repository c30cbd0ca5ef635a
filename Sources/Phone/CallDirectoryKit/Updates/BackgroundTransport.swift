// Large files by a session of iOS that goes on while the app is suspended or ended. Not for small files, which an app waits
// for (URLSessionTransport).

import CallManifest
public import Foundation
import Hashing

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Requests stores in the background, and everything else with another transport.
///
///     let transport = BackgroundTransport(identifier: "com.example.app.stores")
///
/// iOS transfers a store in a process of its own, also while the app is suspended. If the app is ended, or the update is
/// cancelled, the transfer goes on, and the next update that asks for the same store finds it complete. An app has one
/// transport for an identifier, and creates it when it is launched.
public final class BackgroundTransport: UpdateTransport {
  private let session: URLSession
  private let downloads: BackgroundDownloads
  private let small: any UpdateTransport

  // On Linux, sessions end with the process.
  #if !canImport(FoundationNetworking)
    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of the session, which only this app uses.
    ///   - small: requests manifests, signatures and deltas.
    public convenience init(identifier: String, small: any UpdateTransport = URLSessionTransport()) {
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      configuration.httpShouldSetCookies = false
      // The user waits, or a task of iOS does, whose time is short.
      configuration.isDiscretionary = false
      let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      self.init(
        configuration: configuration,
        folder: (caches ?? FileManager.default.temporaryDirectory)
          .appendingPathComponent(identifier, isDirectory: true), small: small)
    }
  #endif

  /// Creates a transport with a session of another configuration.
  ///
  /// - Parameters:
  ///   - configuration: the session's; one that is not for the background ends with the app.
  ///   - folder: a folder for files that are complete and were not asked for yet. Only this transport uses it, and anyone
  ///     may remove it.
  ///   - small: requests manifests, signatures and deltas.
  public init(
    configuration: URLSessionConfiguration, folder: URL, small: any UpdateTransport = URLSessionTransport()
  ) {
    downloads = BackgroundDownloads(folder)
    session = URLSession(configuration: configuration, delegate: downloads, delegateQueue: nil)
    self.small = small
  }

  // A session keeps its delegate until then. Transfers go on.
  deinit { session.finishTasksAndInvalidate() }

  /// Sends a GET request; see ``UpdateTransport/get(_:headers:body:)``. Stores arrive complete, and are passed on then.
  public func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
    guard url.lastPathComponent.contains(Self.storeSuffix) else {
      return try await small.get(url, headers: headers, body: body)
    }
    try Task.checkCancellation()
    var request = URLRequest(url: url)
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (key, sent) = (BackgroundDownloads.key(request), request)
    if try downloads.passOn(key, to: body) { return }
    try await downloads.wait(for: key) {
      session.getAllTasks { [session] tasks in
        let isRunning = tasks.contains { $0.originalRequest.map(BackgroundDownloads.key) == key }
        if !isRunning { session.downloadTask(with: sent).resume() }
      }
    }
    guard try downloads.passOn(key, to: body) else { throw URLError(.cannotOpenFile) }
  }

  /// A store may have `.gz` after it.
  private static let storeSuffix = ".cdstore"
}

/// The delegate of the session. A file that is complete stays in a folder, with the response's status and headers beside
/// it, until somebody asks for it.
private final class BackgroundDownloads: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
  private struct Response: Codable {
    let status: Int
    let headers: [String: String]
  }

  private let folder: URL
  private let lock = NSLock()
  private var waiting: [String: [UUID: CheckedContinuation<Void, any Error>]] = [:]

  init(_ folder: URL) { self.folder = folder }

  /// Identifies a request: by its URL, and the part of the file that it asks for.
  static func key(_ request: URLRequest) -> String {
    let range = ["Range", "If-Range"].map { request.value(forHTTPHeaderField: $0) ?? "" }
    var hasher = SHA256Hasher()
    hasher.update(Array(([request.url?.absoluteString ?? ""] + range).joined(separator: "\n").utf8).span)
    return hasher.digest.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
  }

  private func file(_ key: String) -> URL { folder.appendingPathComponent(key) }
  private func responseFile(_ key: String) -> URL { folder.appendingPathComponent(key + ".json") }

  /// Passes on a file that is complete, and removes it. Returns whether there was one.
  func passOn(_ key: String, to body: any UpdateBody) throws -> Bool {
    guard let data = try? Data(contentsOf: responseFile(key)),
      let response = try? JSONDecoder().decode(Response.self, from: data),
      let file = try? UpdateFile(file(key).path, .reading)
    else { return false }
    // What its recipient refuses would be refused again.
    defer { remove(key) }
    try body.begin(ServerResponse(status: response.status, headers: response.headers))
    var buffer = [UInt8](repeating: 0, count: UpdateFile.pieceBytes)
    while true {
      let count = try file.read(into: &buffer)
      if count == 0 { return true }
      try body.append(Data(buffer[..<count]))
    }
  }

  private func remove(_ key: String) {
    UpdateFile.remove(file(key).path)
    UpdateFile.remove(responseFile(key).path)
  }

  /// Waits until a transfer has ended. `start` is called once the end will be noticed. If the task is cancelled, the
  /// transfer goes on.
  func wait(for key: String, _ start: () -> Void) async throws {
    let id = UUID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        lock.lock()
        waiting[key, default: [:]][id] = continuation
        lock.unlock()
        start()
        if Task.isCancelled { end(key, .failure(CancellationError()), of: id) }
      }
    } onCancel: {
      end(key, .failure(CancellationError()), of: id)
    }
  }

  /// Ends the wait of one, or of all who wait for a file.
  private func end(_ key: String, _ result: Result<Void, any Error>, of id: UUID? = nil) {
    lock.lock()
    let ended: [CheckedContinuation<Void, any Error>]
    if let id {
      ended = [waiting[key]?.removeValue(forKey: id)].compactMap { $0 }
    } else {
      ended = waiting.removeValue(forKey: key).map { Array($0.values) } ?? []
    }
    lock.unlock()
    for continuation in ended { continuation.resume(with: result) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    guard let request = downloadTask.originalRequest, let http = downloadTask.response as? HTTPURLResponse,
      Self.isProtected(downloadTask)
    else { return }
    let key = Self.key(request)
    var headers: [String: String] = [:]
    for (name, value) in http.allHeaderFields { headers["\(name)"] = "\(value)" }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      remove(key)
      // The file is removed when this method returns.
      try FileManager.default.moveItem(at: location, to: file(key))
      try JSONEncoder().encode(Response(status: http.statusCode, headers: headers))
        .write(to: responseFile(key), options: .atomic)
    } catch {
      end(key, .failure(error))
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let request = task.originalRequest else { return }
    var error = error
    if !Self.isProtected(task) {
      error = DirectoryUpdateError.insecureRedirect(name: request.url?.lastPathComponent ?? "")
    }
    end(Self.key(request), error.map { .failure($0) } ?? .success(()))
  }

  /// Whether a task kept the protection of TLS: in the background, redirects are followed without asking.
  private static func isProtected(_ task: URLSessionTask) -> Bool {
    URLSessionTransport.isAllowed(from: task.originalRequest?.url, to: task.currentRequest?.url)
  }
}
