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

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress
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

  /// Determines the client of a request.
  ///
  /// - Parameters:
  ///   - forwarded: the values of X-Forwarded-For.
  ///   - proxies: the number of trusted proxies, which added the last N addresses; 0 for none.
  package init(peer: SocketAddress?, forwarded: [String], proxies: Int) {
    let direct = ClientAddress(peer)
    guard proxies > 0 else {
      self = direct
      return
    }
    let hops = forwarded.joined(separator: ",").split(separator: ",")
    guard !hops.isEmpty else {
      self = direct
      return
    }
    let hop = hops[max(hops.count - proxies, 0)]
    let text = String(hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
    self = (try? SocketAddress(ipAddress: text, port: 0)).map { ClientAddress($0) } ?? direct
  }
}
