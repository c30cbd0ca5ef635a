// Incoming messages, and the requests to a filter's server and its responses.

public import FoundationEssentials

/// An incoming message.
public struct IncomingMessage: Sendable, Equatable {
  /// The sender.
  public var sender: String
  /// The message's text.
  public var text: String
  /// The country of the receiver's line, as two letters.
  public var receiverCountry: String?

  /// Creates a message.
  public init(from sender: String, _ text: String, receiverCountry: String? = nil) {
    self.sender = sender
    self.text = text
    self.receiverCountry = receiverCountry
  }
}

/// The request to a filter's server, according to Apple's documentation, which does not define white space and the
/// order of keys. Here, the body is compact and its keys are sorted.
public struct DeferredQuery: Sendable, Equatable {
  /// The server's URL.
  public let url: URL
  /// The header fields.
  public let headers: [String: String]
  /// The body as JSON.
  public let body: Data

  private struct Body: Encodable {
    struct Query: Encodable {
      struct Message: Encodable { let text: String }
      let sender: String
      let message: Message
    }
    struct App: Encodable { let version: String }
    let _version = 1
    let query: Query
    let app: App
  }

  /// Creates the request for a message. The sender is sent without `+`, as in Apple's example.
  init(_ message: IncomingMessage, to url: URL, appVersion: String) throws {
    let sender = message.sender.hasPrefix("+") ? String(message.sender.dropFirst()) : message.sender
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    body = try encoder.encode(
      Body(query: .init(sender: sender, message: .init(text: message.text)), app: .init(version: appVersion)))
    headers = [
      "Accept": "*/*", "Content-Type": "application/json; charset=utf-8", "Content-Length": "\(body.count)",
    ]
    self.url = url
  }
}

/// The response of a filter's server.
public struct DeferredAnswer: Sendable {
  /// The HTTP status.
  public var status: Int
  /// The header fields.
  public var headers: [String: String]
  /// The body.
  public var body: Data

  /// Creates an answer.
  public init(status: Int, headers: [String: String] = [:], body: Data) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The settings of a message filter on the phone.
public struct MessageFilterSettings: Sendable {
  /// The URL in the extension's Info.plist.
  public var networkURL: URL?
  /// The hosts that the app is associated with for message filters.
  public var associatedHosts: Set<String>
  /// The app's version.
  public var appVersion: String

  /// Makes settings.
  public init(networkURL: URL? = nil, associatedHosts: Set<String> = [], appVersion: String = "1.0") {
    self.networkURL = networkURL
    self.associatedHosts = associatedHosts
    self.appVersion = appVersion
  }
}
