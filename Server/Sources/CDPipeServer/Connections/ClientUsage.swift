// Limits the share of the server's connections and memory that one client may use. Not for request rates (RateTable).

import Synchronization

/// The connections and buffered bytes of every client that currently has any.
///
/// The table has at most one entry per connection, so ``ServerLimits/connectionsMax`` limits its size.
package final class ClientUsage: Sendable {
  private struct Usage {
    var connections = 0
    var bytes = 0
  }

  private struct Table {
    var clients: [ClientAddress: Usage] = [:]
    var bytes = 0
  }

  /// Bytes that a request may buffer until this object is released.
  package final class Reservation: Sendable {
    private let usage: ClientUsage
    private let client: ClientAddress
    private let bytes: Int

    fileprivate init(_ usage: ClientUsage, _ client: ClientAddress, _ bytes: Int) {
      self.usage = usage
      self.client = client
      self.bytes = bytes
    }

    deinit { usage.release(bytes, of: client) }
  }

  private let limits: ServerLimits
  private let table = Mutex(Table())

  package init(_ limits: ServerLimits) {
    self.limits = limits
  }

  /// The reserved bytes of all clients.
  package var bytes: Int { table.withLock { $0.bytes } }

  /// Counts a new connection; returns false if the client has as many as it may have.
  package func connect(_ client: ClientAddress) -> Bool {
    table.withLock { table in
      guard table.clients[client, default: Usage()].connections < limits.clientConnectionsMax else {
        return false
      }
      table.clients[client, default: Usage()].connections += 1
      return true
    }
  }

  /// Counts the end of a connection that ``connect(_:)`` counted.
  package func disconnect(_ client: ClientAddress) {
    change(client) { $0.connections -= 1 }
  }

  /// Reserves memory for a request's body, or for the part of a file that is being sent.
  ///
  /// - Throws: ``RequestError/tooManyRequests`` if the client has reserved as much as it may, and
  ///   ``RequestError/busy`` if all clients together have.
  package func reserve(_ bytes: Int, for client: ClientAddress) throws(RequestError) -> Reservation {
    let refusal: RequestError? = table.withLock { table in
      let used = table.clients[client, default: Usage()].bytes
      guard used + bytes <= max(limits.clientBufferBytesMax, limits.bodyBytesMax) else {
        return .tooManyRequests
      }
      guard table.bytes + bytes <= max(limits.bufferBytesMax, limits.bodyBytesMax) else { return .busy }
      table.clients[client, default: Usage()].bytes += bytes
      table.bytes += bytes
      return nil
    }
    if let refusal { throw refusal }
    return Reservation(self, client, bytes)
  }

  private func release(_ bytes: Int, of client: ClientAddress) {
    change(client) { $0.bytes -= bytes }
    table.withLock { $0.bytes -= bytes }
  }

  private func change(_ client: ClientAddress, _ change: (inout Usage) -> Void) {
    table.withLock { table in
      guard var usage = table.clients[client] else { return }
      change(&usage)
      table.clients[client] = usage.connections == 0 && usage.bytes == 0 ? nil : usage
    }
  }
}
