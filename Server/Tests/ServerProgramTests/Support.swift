// The running program, and plain sockets, which can send what a correct HTTP client would not send.

import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The checkout.
let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

/// The folder of the conformance table.
let conformance = checkout.appendingPathComponent("Tests/MessageRulesTests/Conformance")

/// A folder that is removed when the test ends.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func write(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}

/// Runs a program to its end.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text)
}

/// The release program of the main package.
let cdpipe =
  ProcessInfo.processInfo.environment["CDPIPE_BINARY"]
  ?? checkout.appendingPathComponent(".build/release/cdpipe").path

/// The server's program.
let serverProgram =
  ProcessInfo.processInfo.environment["CDPIPE_SERVER_BINARY"]
  ?? checkout.appendingPathComponent("Server/.build/release/cdpipe-server").path

/// Compiles rules that match the word 'casino', with a name for the rule.
func compile(_ name: String, to path: String) throws {
  let folder = try Folder()
  let text = "rules:\n  - { name: \"\(name)\", action: junk, when: { body: { contains: [casino] } } }\n"
  let compiled = try run(cdpipe, ["rules", "compile", try folder.write(text, "rules.yaml"), "-o", path])
  try #require(compiled.status == 0, "\(compiled.output)")
}

/// A server in its own process and on its own port. It is killed when the last reference to it is released.
final class RunningServer: @unchecked Sendable {
  // Sendable: all changes happen before others see the object; the log has a lock.
  let process = Process()
  let port: UInt16
  private let log: Log

  /// What the server logged.
  private final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var bytes = Data()
    func add(_ more: Data) { lock.withLock { bytes.append(more) } }
    var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }
  }

  convenience init(_ arguments: String...) throws { try self.init(arguments) }

  init(_ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: serverProgram)
    process.arguments = ["--port", "0"] + arguments
    let output = Pipe()
    process.standardError = output
    // The server must not keep open a pipe that the caller of the test runner reads to its end.
    process.standardOutput = FileHandle.nullDevice
    let log = Log()
    output.fileHandleForReading.readabilityHandler = { log.add($0.availableData) }
    try process.run()
    self.log = log
    var port: UInt16?
    for _ in 0..<12_000 {
      if let match = log.text.firstMatch(of: /listening on [^ ]*:(\d+)/) {
        port = UInt16(match.1)
        break
      }
      guard process.isRunning else { break }
      usleep(10_000)
    }
    self.port = try #require(port, "\(log.text)")
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  var logText: String { log.text }

  /// Waits up to two minutes until the log contains the text.
  func logs(_ text: String) -> Bool {
    for _ in 0..<12_000 {
      if logText.contains(text) { return true }
      usleep(10_000)
    }
    return false
  }

  /// Sends one request as iOS does, on a new connection.
  func filter(_ text: String) throws -> String {
    try Connection(port).ask(Self.query(text))
  }

  /// The request that iOS sends.
  static func query(_ text: String) -> String {
    let body =
      #"{"_version":1,"query":{"sender":"14085550001","message":{"text":"\#(text)"}},"app":{"version":"1.1"}}"#
    return "POST /message-filter HTTP/1.1\r\nHost: test\r\nAccept: */*\r\n"
      + "Content-Type: application/json; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
  }
}

/// A connection to a server that can send any bytes.
final class Connection {
  private let socket: Int32

  struct Refused: Error {
    let errno: Int32
  }

  /// Connects from the loopback address 127.0.0.`host`.
  init(_ port: UInt16, from host: UInt32 = 1) throws {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    socket = Foundation.socket(AF_INET, type, 0)
    guard socket >= 0 else { throw Refused(errno: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var patience = timeval(tv_sec: 120, tv_usec: 0)
    unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    if host != 1 {
      var source = sockaddr_in()
      source.sin_family = sa_family_t(AF_INET)
      source.sin_addr.s_addr = (0x7F00_0000 | host).bigEndian
      let bound = unsafe withUnsafePointer(to: &source) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { source in
          unsafe bind(socket, source, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard bound == 0 else { throw Refused(errno: errno) }
    }
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      let reason = errno
      close(socket)
      throw Refused(errno: reason)
    }
  }

  deinit { close(socket) }

  /// Sends bytes; returns false if the other end has closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    var sent = 0
    while sent < bytes.count {
      let more = unsafe bytes.withUnsafeBytes { bytes in
        unsafe Foundation.send(socket, bytes.baseAddress! + sent, bytes.count - sent, flags)
      }
      guard more > 0 else { return false }
      sent += more
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Receives until the other end closes, or until there are `answers` answers, the last one complete.
  func receive(answers: Int = 1) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { break }
      bytes += chunk[..<count]
      let text = String(decoding: bytes, as: UTF8.self)
      let heads = text.ranges(of: "\r\n\r\n")
      if heads.count >= answers, let head = heads.last,
        let length = text[..<head.lowerBound].lowercased().matches(of: /content-length: (\d+)/).last,
        let wanted = Int(length.1), text[head.upperBound...].utf8.count >= wanted
      {
        break
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether an answer, or its end, has arrived.
  var hasAnswer: Bool {
    var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&waiting, 1, 0) == 1
  }

  /// Receives `count` bytes, or fewer if the connection ends first.
  func receive(bytes count: Int) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < count, unsafe recv(socket, &byte, 1, 0) == 1 { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the other end closes the connection before the timeout, after everything that it sends.
  func isEnded() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
      if count == 0 { return true }
      if count < 0 { return errno == ECONNRESET }
    }
  }

  func ask(_ text: String) -> String {
    send(text)
    return receive()
  }
}

extension [Connection] {
  /// The number of connections on which an answer with a status arrives: waits until there are `count`, at most two
  /// minutes, and then half a second for more.
  func receive(_ status: Int, count: Int) -> Int {
    var (waiting, received) = (self, 0)
    func receiveAll() {
      let answered = waiting.filter(\.hasAnswer)
      waiting.removeAll { one in answered.contains { $0 === one } }
      received += answered.count { $0.receive(bytes: 12) == "HTTP/1.1 \(status)" }
    }
    for _ in 0..<12_000 {
      receiveAll()
      if received >= count { break }
      usleep(10_000)
    }
    usleep(500_000)
    receiveAll()
    return received
  }
}

extension String {
  /// The status of an answer; 0 when there is none.
  var status: Int { firstMatch(of: #/^HTTP/1\.1 (\d{3}) /#).flatMap { Int($0.1) } ?? 0 }
}
