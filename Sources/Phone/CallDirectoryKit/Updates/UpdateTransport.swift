// How an updater requests files: a protocol, so that tests, and apps with requirements of their own, can replace it.
//
// Not for what a response means (UpdateBodies).

public import Foundation

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
