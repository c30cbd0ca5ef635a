// A message that comes in, where it ends up, and what a filter's server is sent.

public import FoundationEssentials

/// A message.
public struct IncomingMessage: Sendable, Equatable {
  /// Who sent it.
  public var sender: String
  /// The message's text.
  public var text: String
  /// The country of the receiving line, two letters.
  public var receiverCountry: String?

  /// Makes a message.
  public init(from sender: String, _ text: String, receiverCountry: String? = nil) {
    self.sender = sender
    self.text = text
    self.receiverCountry = receiverCountry
  }
}

/// What a filter's server is sent, as Apple's documentation shows it. Neither white space nor the order of the keys is
/// promised there; here the body is compact and its keys are sorted.
public struct DeferredQuery: Sendable, Equatable {
  /// Where it goes.
  public let url: URL
  /// Its header fields.
  public let headers: [String: String]
  /// The JSON.
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

  /// Makes what a message is sent as. The sender goes without `+`, as in Apple's example.
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

/// What a filter's server answered.
public struct DeferredAnswer: Sendable {
  /// The status.
  public var status: Int
  /// The header fields.
  public var headers: [String: String]
  /// The body.
  public var body: Data

  /// Makes an answer.
  public init(status: Int, headers: [String: String] = [:], body: Data) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A filter on the phone.
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
