// How an updater requests files: a protocol, so that tests, and apps with requirements of their own, can replace it,
// and URLSession. Its async methods need iOS 15 and hold a whole body in memory or in a file of their own; a delegate
// works from iOS 13, and passes each piece on.

public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Requests files by HTTP.
public protocol UpdateTransport: Sendable {
  /// Sends a GET request, and passes the response to `body` as it arrives: `begin` once, then `append` for each piece.
  ///
  /// Returns when the body is complete. A body that ends early is an error. Does not follow redirects from https to
  /// http.
  ///
  /// - Throws: the error of the connection, any error of `body`, or `CancellationError`.
  func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws
}

/// The recipient of a response. Calls come one after another, from any thread.
public protocol UpdateBody: AnyObject, Sendable {
  /// The response has begun. Throws if its body is not wanted.
  func begin(_ response: ServerResponse) throws
  /// The next bytes of the body. Throws if no more are wanted.
  func append(_ bytes: Data) throws
}

/// The start of a response.
public struct ServerResponse: Sendable {
  /// The HTTP status.
  public let status: Int
  private let headers: [String: String]

  /// Creates a response. The names of headers may be in upper or lower case.
  public init(status: Int, headers: [String: String] = [:]) {
    self.status = status
    self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { first, _ in first }
  }

  /// The value of a header.
  public func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// Requests files with URLSession, without cookies and caches.
public final class URLSessionTransport: UpdateTransport {
  /// The configuration by default: no cookies, caches or credentials on disk, and 60 s without data before a request
  /// fails.
  public static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    configuration.timeoutIntervalForRequest = 60
    return configuration
  }

  private let session: URLSession
  private let transfers = Transfers()

  /// Creates a transport.
  ///
  /// - Parameter configuration: change ``configuration`` to forbid cellular networks, or to wait for a network.
  public init(configuration: URLSessionConfiguration = URLSessionTransport.configuration) {
    session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
  }

  // A session keeps its delegate until then.
  deinit { session.invalidateAndCancel() }

  /// Sends a GET request; see ``UpdateTransport/get(_:headers:body:)``.
  public func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
    try Task.checkCancellation()
    var request = URLRequest(url: url)
    request.cachePolicy = .reloadIgnoringLocalCacheData
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let task = session.dataTask(with: request)
    do {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          transfers.begin(Transfer(body, continuation), task.taskIdentifier)
          if Task.isCancelled {
            transfers.end(task.taskIdentifier, CancellationError())
          } else {
            task.resume()
          }
        }
      } onCancel: {
        task.cancel()
        // On Linux, the delegate does not learn of every cancelled task.
        transfers.end(task.taskIdentifier, CancellationError())
      }
    } catch let error as URLError where error.code == .cancelled {
      try Task.checkCancellation()
      throw error
    }
  }

  /// Whether a redirect keeps the protection of TLS.
  package static func isAllowed(from origin: URL?, to target: URL?) -> Bool {
    origin?.scheme?.lowercased() != "https" || target?.scheme?.lowercased() == "https"
  }
}

/// A request in progress. After its end, nothing reaches its body any more.
private final class Transfer: @unchecked Sendable {
  let body: any UpdateBody
  private let continuation: CheckedContinuation<Void, any Error>
  private let lock = NSLock()
  private var error: (any Error)?
  private var isEnded = false

  init(_ body: any UpdateBody, _ continuation: CheckedContinuation<Void, any Error>) {
    self.body = body
    self.continuation = continuation
  }

  /// Runs a step of the response. Returns whether the transfer goes on.
  func advance(_ step: () throws -> Void) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if error != nil || isEnded { return false }
    do {
      try step()
      return true
    } catch {
      self.error = error
      return false
    }
  }

  /// Ends the transfer, once; the first error counts.
  func end(_ last: (any Error)?) {
    lock.lock()
    defer { lock.unlock() }
    if isEnded { return }
    isEnded = true
    if let error = error ?? last { continuation.resume(throwing: error) } else { continuation.resume() }
  }
}

/// The delegate: distributes what arrives to the requests.
private final class Transfers: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var open: [Int: Transfer] = [:]

  func begin(_ transfer: Transfer, _ id: Int) {
    lock.lock()
    defer { lock.unlock() }
    open[id] = transfer
  }

  private func transfer(_ task: URLSessionTask) -> Transfer? {
    lock.lock()
    defer { lock.unlock() }
    return open[task.taskIdentifier]
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let goesOn = transfer(dataTask)?.advance {
      guard let transfer = transfer(dataTask) else { return }
      guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      var headers: [String: String] = [:]
      for (name, value) in http.allHeaderFields { headers["\(name)"] = "\(value)" }
      try transfer.body.begin(ServerResponse(status: http.statusCode, headers: headers))
    }
    completionHandler(goesOn == true ? .allow : .cancel)
    if goesOn != true { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let transfer = transfer(dataTask) else { return }
    if !transfer.advance({ try transfer.body.append(data) }) { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let isAllowed = URLSessionTransport.isAllowed(
      from: response.url ?? task.originalRequest?.url, to: request.url)
    if !isAllowed {
      _ = transfer(task)?.advance {
        let name = task.originalRequest?.url?.lastPathComponent ?? ""
        throw DirectoryUpdateError.insecureRedirect(name: name)
      }
    }
    completionHandler(isAllowed ? request : nil)
    if !isAllowed { task.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    end(task.taskIdentifier, error)
  }

  /// Ends a transfer; nothing if it has ended.
  func end(_ id: Int, _ error: (any Error)?) {
    lock.lock()
    let transfer = open.removeValue(forKey: id)
    lock.unlock()
    transfer?.end(error)
  }
}
