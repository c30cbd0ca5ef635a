// Maps paths to routes. Not for responses (SiteResponder).

import HTTPTypes

/// A route of the server.
enum Route: Equatable, Sendable {
  case messageFilter
  case lookup(Substring)
  case list(Substring)
  case association
  case health
  case readiness
  case metrics
  case unknown

  /// Finds the route of a path without its query.
  init(_ path: String) {
    switch path {
    case "/message-filter": self = .messageFilter
    case "/.well-known/apple-app-site-association": self = .association
    case "/healthz": self = .health
    case "/readyz": self = .readiness
    case "/metrics": self = .metrics
    default:
      if path.hasPrefix("/lookup/") {
        self = .lookup(path.dropFirst("/lookup/".count))
      } else if path.hasPrefix("/lists/") {
        self = .list(path.dropFirst("/lists/".count))
      } else {
        self = .unknown
      }
    }
  }

  /// The kind of route, for metrics.
  var kind: RouteKind {
    switch self {
    case .messageFilter: .messageFilter
    case .lookup: .lookup
    case .list: .lists
    case .association, .health, .readiness, .metrics: .service
    case .unknown: .unknown
    }
  }

  /// The kinds of routes in metrics.
  enum RouteKind: String, CaseIterable, Sendable {
    case messageFilter = "message-filter"
    case lookup
    case lists
    case service
    case unknown
  }

  /// Whether clients' rates are limited. Probes are not limited: without a response, the server would be restarted.
  var isLimited: Bool {
    switch self {
    case .health, .readiness, .metrics: false
    default: true
    }
  }

  /// The methods that the route allows, for the `Allow` header.
  var methods: String {
    self == .messageFilter ? "POST" : "GET, HEAD"
  }

  /// Whether the route allows a method.
  func allows(_ method: HTTPRequest.Method) -> Bool {
    switch self {
    case .messageFilter: method == .post
    case .unknown: true
    default: method == .get || method == .head
    }
  }
}
