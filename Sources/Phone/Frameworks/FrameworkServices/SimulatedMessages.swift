// Messages on the phone, which the owner's filter classifies, and the requests to the filter's server.

import AppExtensions
public import Foundation
import FoundationNetworking
public import IdentityLookup
import SimulatedPhone
import Synchronization

/// The classification of a message.
public struct MessageAnswer: Sendable, Equatable {
  /// Whether a filter was asked: one is chosen, and the sender is not in the contacts.
  public var wasAsked: Bool
  /// The filter's action; `none` if it was not asked or did not answer.
  public var action: ILMessageFilterAction
  /// The filter's sub-action, if the filter has declared that it uses it.
  public var subAction: ILMessageFilterSubAction

  /// Creates an answer.
  public init(wasAsked: Bool, action: ILMessageFilterAction, subAction: ILMessageFilterSubAction) {
    self.wasAsked = wasAsked
    self.action = action
    self.subAction = subAction
  }
}

/// The network connection to filters' servers: a test's closure, or a real client.
public typealias MessageNetwork =
  @Sendable (DeferredQuery, @escaping @Sendable (Result<DeferredAnswer, any Error>) -> Void) -> Void

/// The messages of a phone. Usable from any thread.
public final class SimulatedMessages: Sendable {
  private struct Filter: Sendable {
    var make: @Sendable () -> ILMessageFilterExtension
    var settings: MessageFilterSettings
    var transactional: [ILMessageFilterSubAction] = []
    var promotional: [ILMessageFilterSubAction] = []
  }

  /// The default time limit of a filter per message. iOS's limit is not documented.
  public static let filterWait = Duration.seconds(30)

  private let phone: SimulatedPhone
  private let filterWait: Duration
  private let filter = Mutex<Filter?>(nil)
  private let network = Mutex<MessageNetwork?>(nil)

  init(_ phone: SimulatedPhone, filterWait: Duration) {
    self.phone = phone
    self.filterWait = filterWait
  }

  /// Sets the connection to filters' servers; nil for a phone without a network.
  public func setNetwork(_ network: MessageNetwork?) { self.network.withLock { $0 = network } }

  /// Chooses the filter and asks it which sub-actions it uses. Only one filter is active at a time, as in Settings.
  public func choose(
    _ settings: MessageFilterSettings = MessageFilterSettings(),
    _ make: @escaping @Sendable () -> ILMessageFilterExtension
  ) {
    var chosen = Filter(make: make, settings: settings)
    if let handler = make() as? any ILMessageFilterCapabilitiesQueryHandling {
      let answer = OneAnswer<([ILMessageFilterSubAction], [ILMessageFilterSubAction])>()
      let context = ILMessageFilterExtensionContext { $0(nil, ILMessageFilterError(.system)) }
      handler.handle(ILMessageFilterCapabilitiesQueryRequest(forPhone: ()), context: context) { response in
        answer.give((response.transactionalSubActions, response.promotionalSubActions))
      }
      if let (transactional, promotional) = answer.wait(atMost: filterWait) {
        chosen.transactional = transactional
        chosen.promotional = promotional
      }
    }
    filter.withLock { $0 = chosen }
  }

  /// The sub-actions that the chosen filter uses.
  public var declaredSubActions: [ILMessageFilterSubAction] {
    filter.withLock { ($0?.transactional ?? []) + ($0?.promotional ?? []) }
  }

  /// Classifies a message. Waits for the filter on a separate thread, because an `async` filter needs the cooperative
  /// threads, which are limited to the number of cores.
  public func receive(_ message: IncomingMessage) async -> MessageAnswer {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: self.answer(message)) }.start()
    }
  }

  /// Classifies a message; the caller's thread waits for the filter.
  public func receive(_ message: IncomingMessage) -> MessageAnswer { answer(message) }

  private func answer(_ message: IncomingMessage) -> MessageAnswer {
    let unasked = MessageAnswer(wasAsked: false, action: .none, subAction: .none)
    guard let filter = filter.withLock({ $0 }), phone.contact(message.sender) == nil else { return unasked }
    // A class that does not handle queries is not asked.
    let handler = filter.make()
    guard let handling = handler as? any ILMessageFilterQueryHandling else { return unasked }
    let request = ILMessageFilterQueryRequest(
      sender: message.sender, messageBody: message.text, receiverISOCountryCode: message.receiverCountry)
    let once = Mutex(false)
    let network = network.withLock { $0 }
    let context = ILMessageFilterExtensionContext { completion in
      let isFirst = once.withLock { wasDeferred in
        defer { wasDeferred = true }
        return !wasDeferred
      }
      guard isFirst else { return completion(nil, ILMessageFilterError(.redundantNetworkDeferral)) }
      Self.send(message, filter.settings, network, completion)
    }
    let answer = OneAnswer<(ILMessageFilterAction, ILMessageFilterSubAction)>()
    handling.handle(request, context: context) { answer.give(($0.action, $0.subAction)) }
    let given = answer.wait(atMost: filterWait)
    withExtendedLifetime((handler, context)) {}
    guard let (action, subAction) = given else {
      return MessageAnswer(wasAsked: true, action: .none, subAction: .none)
    }
    let declared =
      switch action {
      case .transaction: filter.transactional
      case .promotion: filter.promotional
      case .none, .allow, .junk: [ILMessageFilterSubAction]()
      }
    return MessageAnswer(
      wasAsked: true, action: action, subAction: declared.contains(subAction) ? subAction : .none)
  }

  private static func send(
    _ message: IncomingMessage, _ settings: MessageFilterSettings, _ network: MessageNetwork?,
    _ completion: @escaping @Sendable (ILNetworkResponse?, (any Error)?) -> Void
  ) {
    guard let url = settings.networkURL, url.scheme == "https", let host = url.host else {
      return completion(nil, ILMessageFilterError(.invalidNetworkURL))
    }
    guard settings.associatedHosts.contains(host) else {
      return completion(nil, ILMessageFilterError(.networkURLUnauthorized))
    }
    guard let network, let query = try? DeferredQuery(message, to: url, appVersion: settings.appVersion)
    else { return completion(nil, failed(URLError(.notConnectedToInternet))) }
    network(query) { result in
      switch result {
      case .failure(let error): completion(nil, failed(error))
      case .success(let answer):
        guard
          let head = HTTPURLResponse(
            url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
        else { return completion(nil, ILMessageFilterError(.system)) }
        completion(ILNetworkResponse(urlResponse: head, data: answer.body), nil)
      }
    }
  }

  private static func failed(_ error: any Error) -> ILMessageFilterError {
    ILMessageFilterError(.networkRequestFailed, userInfo: [NSUnderlyingErrorKey: error])
  }
}

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
