// Responds to requests.
//
// Only the verdict on a message is logged, counted or sent back, nothing else of it. Not for time limits of connections
// (ConnectionGuard) or files of lists (ListRequest).

import CallManifest
import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
import NumberPlan

/// Responds to requests with the content of a site.
package struct SiteResponder: HTTPResponder {
  private let site: Site
  private let metrics: ServerMetrics
  private let usage: ClientUsage
  private let rates: RateTable?
  private let logger: Logger
  private let association: ByteBuffer?
  private let describe: @Sendable (SiteError) -> String

  /// Creates a responder that counts its responses.
  ///
  /// - Parameter describe: formats an error for the log.
  package init(
    _ site: Site, _ metrics: ServerMetrics, _ usage: ClientUsage, _ logger: Logger,
    describe: @escaping @Sendable (SiteError) -> String
  ) {
    self.site = site
    self.metrics = metrics
    self.usage = usage
    self.logger = logger
    self.describe = describe
    let limits = site.settings.limits
    rates =
      limits.requestsPerSecond > 0
      ? RateTable(perSecond: limits.requestsPerSecond, burstSeconds: limits.burstSeconds) : nil
    association = site.settings.siteAssociation.map { ByteBuffer(string: $0) }
  }

  /// Responds to a request.
  package func respond(to request: Request, context: ClientContext) async throws -> Response {
    let began = NIODeadline.now()
    let route = Route(request.uri.path)
    var response: Response
    do {
      response = try await answer(route, request, context, began)
    } catch let refusal as RequestError {
      logger.debug("rejected: \(refusal.code)")
      response = refusal.response
    }
    if request.method == .head { response = response.createHeadResponse() }
    let took = NIODeadline.now() - began
    metrics.answered(
      route.kind, status: response.status.code, nanoseconds: UInt64(clamping: took.nanoseconds))
    return response
  }

  private func answer(
    _ route: Route, _ request: Request, _ context: ClientContext, _ now: NIODeadline
  ) async throws -> Response {
    let settings = site.settings
    let client = ClientAddress(
      peer: context.peer, forwarded: settings.proxies > 0 ? request.headers[values: .forwardedFor] : [],
      proxies: settings.proxies)
    guard route.isLimited else { return try service(route, request, client) }
    guard let client else { throw RequestError.noClientAddress }
    if let rates, !rates.admits(client, now: now.uptimeNanoseconds) { throw RequestError.tooManyRequests }
    guard route.allows(request.method) else { throw RequestError.noSuchMethod(allowed: route.methods) }
    switch route {
    case .messageFilter: return try await filter(request, client)
    case .lookup(let number): return try look(number)
    case .list(let path):
      guard let lists = site.lists else { throw RequestError.notServed("lists") }
      return try ListRequest(
        lists: lists.value, directory: lists.path, usage: usage, client: client, loop: context.loop
      ).response(path, request)
    case .association:
      guard let association else { throw RequestError.notServed("apple-app-site-association") }
      return Response(
        status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: association))
    case .health, .readiness, .metrics, .unknown: throw RequestError.noSuchPath
    }
  }

  // MARK: Message queries

  private func filter(_ request: Request, _ client: ClientAddress) async throws -> Response {
    guard let rules = site.rules?.value else { throw RequestError.notServed("message-filter") }
    try Self.checkType(request.headers)
    let country = try country(request.uri.query)
    let bytesMax = site.settings.limits.bodyBytesMax
    // Reject it before it arrives, so that the client does not send it in vain.
    let length = request.headers[.contentLength].flatMap { Int($0) }
    if let length, length > bytesMax { throw RequestError.bodyTooLarge(bytesMax: bytesMax) }
    let reservation = try usage.reserve(length ?? bytesMax, for: client)
    defer { withExtendedLifetime(reservation) {} }
    let body: ByteBuffer
    do {
      body = try await request.body.collect(upTo: bytesMax)
    } catch is NIOTooManyBytesError {
      throw RequestError.bodyTooLarge(bytesMax: bytesMax)
    }
    let query = try MessageQuery(body)
    let answer = rules.answer(sender: query.sender, body: query.text, country: country)
    metrics.verdicts(answer.action).add()
    return Response(status: .ok, headers: .json, body: ResponseBody(byteBuffer: answer.json))
  }

  private static func checkType(_ headers: HTTPFields) throws(RequestError) {
    if let type = headers[.contentType] {
      let essence = type.prefix { $0 != ";" && $0 != " " }
      guard essence.lowercased() == "application/json" else { throw .unknownContentType }
    }
    if let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw .unknownEncoding
    }
  }

  /// The receiver's country: `?country=CN`, or the one in the server's settings. iOS does not send it.
  private func country(_ query: String?) throws(RequestError) -> String? {
    guard let query else { return site.settings.receiver }
    for item in query.split(separator: "&") where item.hasPrefix("country=") {
      let country = item.dropFirst("country=".count)
      guard CountryCode.isOne(country) else { throw .badCountry }
      return country.uppercased()
    }
    return site.settings.receiver
  }

  // MARK: Numbers

  private func look(_ text: Substring) throws(RequestError) -> Response {
    guard site.hasNumbers else { throw .notServed("lookup") }
    // A plus sign may be sent as it is or as %2B.
    let digits =
      text.hasPrefix("+") ? text.dropFirst() : text.lowercased().hasPrefix("%2b") ? text.dropFirst(3) : text
    guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt64(digits), number > 0
    else { throw .badNumber }
    let found: FoundNumber?
    do throws(SiteError) {
      found = try site.find(number)
    } catch {
      logger.error("a lookup failed: \(describe(error))")
      throw .damaged
    }
    guard let found, let json = JSON.text(found) else { throw .numberNotFound }
    return Response(status: .ok, headers: .json, body: ResponseBody(byteBuffer: json))
  }

  // MARK: The server itself

  private func service(_ route: Route, _ request: Request, _ client: ClientAddress?) throws(RequestError)
    -> Response
  {
    guard route.allows(request.method) else { throw .noSuchMethod(allowed: route.methods) }
    switch route {
    case .health: return Self.plain("ok\n")
    case .readiness: return ready
    case .metrics:
      switch site.settings.metrics {
      case .any: break
      case .local where client?.isLocal == true: break
      case .local, .none: throw .notForYou
      }
      return Response(
        status: .ok, headers: [.contentType: ServerMetrics.contentType, .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(site))))
    case .messageFilter, .lookup, .list, .association, .unknown: throw .noSuchPath
    }
  }

  /// All files are opened before the first connection is accepted, so a server that responds is ready.
  private var ready: Response {
    var parts: [String] = []
    if let rules = site.rules { parts.append(#""rules":\#(rules.value.ruleCount)"#) }
    if let lists = site.lists { parts.append(#""lists":\#(JSON.string(lists.value.manifest.contentID))"#) }
    if let store = site.store { parts.append(#""store":\#(JSON.string(store.value.store.contentHash))"#) }
    let body = ByteBuffer(string: #"{"ready":true\#(parts.map { "," + $0 }.joined())}"# + "\n")
    return Response(status: .ok, headers: .json, body: ResponseBody(byteBuffer: body))
  }

  private static func plain(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}

/// Checks country codes.
public enum CountryCode {
  /// Whether a text is the code of a country with telephone numbers, in upper or lower case.
  public static func isOne(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 2 && Region(text.uppercased())?.isGeographic == true
  }
}

extension HTTPField.Name {
  /// The client addresses that the proxies recorded, in the order in which they added them.
  static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
