// Unit tests: ranges, addresses, rates, file names.

import CDPipeServer
import NIOCore
import Testing

@Suite("Parts")
struct PartsTests {
  @Test("ranges are read as RFC 9110 defines them")
  func ranges() {
    let known: [(String?, ByteRange)] = [
      (nil, .whole), ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<10)), ("Bytes=2-4", .part(2..<5)),
      ("bytes=5-99", .part(5..<10)), ("bytes=-3", .part(7..<10)), ("bytes=-99", .part(0..<10)),
      ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=4-2", .whole), ("bytes=-", .whole),
      ("bytes=0-1,3-4", .whole), ("bytes=a-b", .whole), ("bytes=1-2-3", .whole), ("lines=0-1", .whole),
      ("bytes=0-9223372036854775807", .part(0..<10)), ("bytes=99999999999999999-", .unsatisfiable),
      ("bytes= 1-2", .part(1..<3)),
    ]
    for (field, range) in known { #expect(ByteRange(field, size: 10) == range, "\(field ?? "nil")") }
    #expect(ByteRange("bytes=0-", size: 0) == .unsatisfiable)
    #expect(ByteRange("bytes=18446744073709551616-", size: 10) == .unsatisfiable)
    #expect(ByteRange("bytes=99999999999999999999-99999999999999999999", size: 10) == .unsatisfiable)
    #expect(ByteRange("bytes=2-99999999999999999999", size: 10) == .part(2..<10))
    #expect(ByteRange("bytes=-99999999999999999999", size: 10) == .part(0..<10))
  }

  @Test("a client is identified by its address, or by the one that trusted proxies report")
  func clients() throws {
    let peer = try SocketAddress(ipAddress: "10.0.0.1", port: 4711)
    let one = ClientAddress(try SocketAddress(ipAddress: "192.0.2.1", port: 0))
    func client(_ forwarded: [String], _ proxies: Int) -> ClientAddress? {
      ClientAddress(peer: peer, forwarded: forwarded, proxies: proxies)
    }
    #expect(client(["192.0.2.1"], 0) == ClientAddress(peer))
    #expect(client(["192.0.2.1"], 1) == one)
    #expect(client(["203.0.113.9, 192.0.2.1"], 1) == one)
    #expect(client(["203.0.113.9", "192.0.2.1 , 10.0.0.2"], 2) == one)
    #expect(client(["192.0.2.1"], 3) == one)
    #expect(client(["192.0.2.1:4711"], 1) == one && client([" 192.0.2.1:0\t"], 1) == one)
    // Behind a proxy, nobody is identified by the proxy's address, which may be this machine's.
    for unreadable in [
      "", " ", ", ,", "192.0.2.1,", "nobody", "unknown", "192.0.2.1:", "192.0.2.1:port", "192.0.2.1:70000",
      "192.0.2.1 192.0.2.2", "192.0.2", "[192.0.2.1]", "[2001:db8::1", "[2001:db8::1]4711", "[2001:db8::1]:",
      "2001:db8::1]", "[]", "[]:1", ":", ":1", "\"192.0.2.1\"",
    ] {
      #expect(client([unreadable], 1) == nil, "\(unreadable)")
    }
    #expect(client([], 1) == nil)
    // All addresses of a /64 are one client; an IPv4 address may arrive as IPv6.
    let six = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map { client([$0], 1) }
    #expect(six[0] != nil && six[0] == six[1] && six[0] != six[2])
    #expect(client(["[2001:db8::1]"], 1) == six[0] && client(["[2001:db8::1]:4711"], 1) == six[0])
    #expect(client(["::ffff:192.0.2.1"], 1) == one)
    #expect(client(["::1"], 1)?.isLocal == true && client(["127.3.2.1"], 1)?.isLocal == true && !one.isLocal)
  }

  @Test("a client over its rate is refused, other clients are not, and it is served again later")
  func rates() throws {
    let table = RateTable(perSecond: 10, burstSeconds: 2)
    let client = ClientAddress(try SocketAddress(ipAddress: "192.0.2.1", port: 0))
    let second: UInt64 = 1_000_000_000
    let admitted = (0..<100).filter { _ in table.admits(client, now: second) }.count
    #expect(admitted == 20)
    #expect(table.admits(ClientAddress(try SocketAddress(ipAddress: "192.0.2.2", port: 0)), now: second))
    #expect(!table.admits(client, now: second + second / 20))
    #expect(table.admits(client, now: second + second / 10))
    #expect((0..<100).filter { _ in table.admits(client, now: 100 * second) }.count == 20)
  }

  @Test("a client gets its share of connections and memory, all clients get the whole, and both are returned")
  func usage() throws {
    var limits = ServerLimits()
    limits.clientConnectionsMax = 2
    limits.bodyBytesMax = 10
    limits.clientBufferBytesMax = 100
    limits.bufferBytesMax = 250
    let usage = ClientUsage(limits)
    let clients = try (1...3).map { ClientAddress(try SocketAddress(ipAddress: "192.0.2.\($0)", port: 0)) }
    #expect(usage.connect(clients[0]) && usage.connect(clients[0]) && !usage.connect(clients[0]))
    #expect(usage.connect(clients[1]))
    usage.disconnect(clients[0])
    #expect(usage.connect(clients[0]) && !usage.connect(clients[0]))

    var held = [try usage.reserve(60, for: clients[0]), try usage.reserve(40, for: clients[0])]
    #expect(throws: RequestError.tooManyRequests) { try usage.reserve(1, for: clients[0]) }
    held.append(try usage.reserve(100, for: clients[1]))
    #expect(throws: RequestError.busy) { try usage.reserve(51, for: clients[2]) }
    held.append(try usage.reserve(50, for: clients[2]))
    held.removeFirst()
    held.append(try usage.reserve(60, for: clients[0]))
    #expect(usage.bytes == 250)
    held = []
    #expect(usage.bytes == 0)
  }

  @Test("the table of rates keeps its size and still limits, whatever the number of clients")
  func manyClients() throws {
    let table = RateTable(perSecond: 1, burstSeconds: 1)
    var admitted = 0
    var forgotten = 0
    for address in 0..<200_000 {
      let text = "10.\(address >> 16).\(address >> 8 & 255).\(address & 255)"
      let client = ClientAddress(try SocketAddress(ipAddress: text, port: 0))
      if table.admits(client, now: 1_000_000_000) { admitted += 1 }
      // A client that sends another request at once has not been forgotten yet.
      if table.admits(client, now: 1_000_000_000) { forgotten += 1 }
    }
    #expect(admitted == 200_000)
    #expect(forgotten == 0)
  }

  @Test("only plain names of published files are served")
  func servedNames() {
    for name in [
      "manifest.json", "manifest.json.sig", "0001-0123456789ab.cdstore", "a.cdstore", "a-b_c.1.cddelta",
    ] {
      #expect(ListName.isServed(name), "\(name)")
    }
    for name in ["../a.cdstore", ".a.cdstore", "a", "", "a/b.cdstore", "a.cdstore/", "ä.cdstore"] {
      #expect(!ListName.isServed(name), "\(name)")
    }
  }
}
