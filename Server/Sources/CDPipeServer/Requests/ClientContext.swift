// The address of a request's client, determined through trusted proxies.
//
// Not for access decisions (RateTable, SiteResponder).

package import Hummingbird
package import NIOCore

/// A request's context, with the address of the connection's peer.
package struct ClientContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The peer's address.
  package let peer: SocketAddress?
  /// The connection's event loop.
  package let loop: any EventLoop

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress
    loop = source.channel.eventLoop
  }
}

/// A client for rate limiting: an IPv4 address, or the first half of an IPv6 address, which one customer usually has.
package struct ClientAddress: Hashable, Sendable {
  /// The address's first 64 bits; an IPv4 address as ::ffff:a.b.c.d, with its bits here.
  package let bits: UInt64
  /// Whether it is this machine.
  package let isLocal: Bool

  /// A placeholder address: all clients of a Unix socket count as one.
  package static let unknown = ClientAddress(bits: 0, isLocal: true)

  private init(bits: UInt64, isLocal: Bool) {
    self.bits = bits
    self.isLocal = isLocal
  }

  /// Creates the client of a socket's address.
  package init(_ address: SocketAddress?) {
    guard let address else {
      self = .unknown
      return
    }
    // The offsets of the address in sockaddr_in and sockaddr_in6 are the same on every system.
    let words: (UInt64, UInt64) = unsafe address.withSockAddr { start, size in
      let bytes = unsafe UnsafeRawPointer(start)
      switch address.protocol {
      case .inet where size >= 8:
        let four = unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        return (0, 0xFFFF << 32 | UInt64(UInt32(bigEndian: four)))
      case .inet6 where size >= 24:
        let high = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        let low = unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        return (UInt64(bigEndian: high), UInt64(bigEndian: low))
      // The unspecified address.
      default: return (0, 1)
      }
    }
    if words.0 == 0, words.1 >> 32 == 0xFFFF {
      self.init(v4: UInt32(truncatingIfNeeded: words.1))
    } else {
      self.init(bits: words.0, isLocal: words.0 == 0 && words.1 == 1)
    }
  }

  private init(v4 bits: UInt32) {
    self.init(bits: 0xFFFF << 32 | UInt64(bits), isLocal: bits >> 24 == 127)
  }

  /// Determines the client of a request; nil if the proxies did not report a readable address.
  ///
  /// - Parameters:
  ///   - forwarded: the values of X-Forwarded-For.
  ///   - proxies: the number of trusted proxies, which added the last N addresses; 0 for none.
  package init?(peer: SocketAddress?, forwarded: [String], proxies: Int) {
    guard proxies > 0 else {
      self.init(peer)
      return
    }
    let hops = forwarded.joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false)
    guard !hops.isEmpty, let host = Self.host(hops[max(hops.count - proxies, 0)]),
      let address = try? SocketAddress(ipAddress: String(host), port: 0)
    else { return nil }
    self.init(address)
  }

  /// The address in an entry of X-Forwarded-For. Some proxies add a port: `192.0.2.1:4711` or `[2001:db8::1]:4711`.
  private static func host(_ entry: Substring) -> Substring? {
    var entry = entry.drop { $0 == " " || $0 == "\t" }
    while entry.last == " " || entry.last == "\t" { entry.removeLast() }
    let host: Substring
    let port: Substring
    if entry.first == "[" {
      guard let end = entry.firstIndex(of: "]") else { return nil }
      (host, port) = (entry[..<end].dropFirst(), entry[end...].dropFirst())
      guard host.contains(":") else { return nil }
    } else if let colon = entry.firstIndex(of: ":"), entry.lastIndex(of: ":") == colon {
      (host, port) = (entry[..<colon], entry[colon...])
    } else {
      return entry
    }
    guard port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil else { return nil }
    return host
  }
}
