// A real web server for the tests: nginx on a free port of this machine, which ends with the test.

import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether nginx and openssl are installed.
enum WebTools {
  static let isThere = {
    let paths: [String] = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"]
    return paths.contains { path in unsafe access(path, X_OK) == 0 }
  }()
  static let reason: Comment = "nginx is not installed (Debian: nginx-light); CI installs it"
}

/// An nginx that lives as long as the value, and serves `www/` in a directory.
///
/// The test opens the port itself and passes it to nginx, as an nginx does with its successor. So the port is certainly
/// free, requests wait until nginx is up, and it can be stopped and started again in the middle of a download.
final class Nginx {
  let directory: TemporaryDirectory
  let port: Int
  let securePort: Int
  /// The certificate of the authority that signed the server's certificate; empty without https.
  var authority: String { "\(directory.path)/ca.pem" }
  private let sockets: [CInt]
  private var pid: pid_t = 0
  private var puts = 0
  private var watchdog: pid_t = 0
  private var lifeline: FileDescriptor?

  init(_ directory: TemporaryDirectory, isSecure: Bool = false) throws {
    NoProxy.isSet
    self.directory = directory
    let plain = try Self.listen()
    let secure = try Self.listen()
    sockets = [plain.socket, secure.socket]
    port = plain.port
    securePort = secure.port
    guard unsafe mkdir("\(directory.path)/www", 0o755) == 0 else { throw Errno(rawValue: errno) }
    if isSecure { try Self.run(Self.certificates, in: directory.path) }
    _ = try directory.file("nginx.conf", Array(configuration(isSecure: isSecure).utf8))
    try start()
  }

  deinit {
    stop()
    for socket in sockets { close(socket) }
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
  func secureURL(_ path: String) -> String { "https://127.0.0.1:\(securePort)\(path)" }

  /// Puts a file into the served folder.
  func put(_ name: String, _ bytes: [UInt8]) throws {
    // In one step, with a date long ago, and each a day later than the previous one: nginx distinguishes versions by
    // second and size.
    let new = try directory.file("new", bytes, [.ownerReadWrite, .groupRead, .otherRead])
    puts += 1
    let time = timespec(tv_sec: 1_600_000_000 + puts * 86_400, tv_nsec: 0)
    guard unsafe utimensat(AT_FDCWD, new, [time, time], 0) == 0 else { throw Errno(rawValue: errno) }
    guard unsafe rename(new, "\(directory.path)/www/\(name)") == 0 else { throw Errno(rawValue: errno) }
  }

  private func configuration(isSecure: Bool) -> String {
    let locations = """
      location / { }
      location /slow/ { alias www/; limit_rate $rate; }
      location /busy/ {
        alias www/;
        if (!-f $document_root/up) { return 503; }
      }
      error_page 503 @busy;
      location @busy { internal; add_header Retry-After 7 always; return 503 "busy"; }
      location /moved { return 302 /list; }
      location /loop { return 301 /loop; }
      location /plain { return 302 http://127.0.0.1:\(port)/list; }
      location /closed { return 444; }
      """
    let secure = """
      server {
        listen 127.0.0.1:\(securePort) ssl;
        ssl_certificate server.pem; ssl_certificate_key server.key;
        \(locations)
      }
      """
    // As root, its workers would run as a user who can't read the files.
    return """
      \(geteuid() == 0 ? "user root root;" : "")
      daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit;
      events { worker_connections 64; }
      http {
        root www;
        log_format ranges "$request_uri|$status|$http_range|$http_if_range|$http_if_none_match";
        access_log ranges.log ranges;
        client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
        map $http_range $rate { "" 1m; default 0; }
        server { listen 127.0.0.1:\(port); \(locations) }
        \(isSecure ? secure : "server { listen 127.0.0.1:\(securePort); }")
      }
      """
  }

  /// One line for each request that nginx has finished.
  func log() throws -> [String] {
    String(decoding: try directory.bytes("ranges.log"), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  // MARK: The process

  /// Starts nginx again.
  func start() throws {
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // Descriptors that the test does not use, so that none is replaced by the other.
    for (index, socket) in sockets.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, socket, 200 + CInt(index))
    }
    let script = """
      NGINX='200;201;' PATH=$PATH:/usr/sbin:/usr/local/bin:/opt/homebrew/bin
      export NGINX PATH
      exec nginx -p "$0" -c "$0/nginx.conf" -e stderr 2>>"$0/errors"
      """
    pid = unsafe try Self.spawn(["sh", "-c", script, directory.path], &actions)
    try watch()
  }

  /// If this process is killed, another one ends nginx.
  private func watch() throws {
    let input = try FileDescriptor.pipe()
    _ = fcntl(input.writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input.readEnd.rawValue, 0)
    watchdog = unsafe try Self.spawn(["sh", "-c", "read x; kill \(pid)"], &actions)
    try input.readEnd.close()
    lifeline = input.writeEnd
  }

  /// Ends nginx and all of its transfers.
  func stop() {
    guard let end = lifeline.take() else { return }
    var status: Int32 = 0
    kill(watchdog, SIGKILL)
    unsafe waitpid(watchdog, &status, 0)
    try? end.close()
    kill(pid, SIGTERM)
    unsafe waitpid(pid, &status, 0)
  }

  #if canImport(Glibc)
    private typealias Actions = posix_spawn_file_actions_t
  #else
    private typealias Actions = posix_spawn_file_actions_t?
  #endif

  private static func spawn(_ arguments: [String], _ actions: inout Actions) throws -> pid_t {
    let list = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe list.forEach { unsafe free($0) } }
    var started: pid_t = 0
    guard unsafe posix_spawnp(&started, arguments[0], &actions, nil, list, environ) == 0 else {
      throw NoServer()
    }
    return started
  }

  /// An authority, and a certificate for this machine that it signed, for a single test.
  private static let certificates = """
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 \
      -subj '/CN=test authority' 2>errors &&
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr \
      -subj /CN=localhost 2>>errors &&
    printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\\n' > server.ext &&
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 \
      -extfile server.ext 2>>errors
    """

  private static func run(_ script: String, in directory: String) throws {
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let pid = unsafe try spawn(["sh", "-c", "cd \"$0\" && \(script)", directory], &actions)
    var status: Int32 = 0
    guard unsafe waitpid(pid, &status, 0) == pid, status == 0 else { throw NoServer() }
  }

  /// A socket that listens on a free port of this machine.
  private static func listen() throws -> (socket: CInt, port: Int) {
    #if canImport(Glibc)
      let stream = CInt(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let made = socket(AF_INET, stream, 0)
    _ = fcntl(made, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        let isBound = unsafe bind(made, pointer, length) == 0
        return unsafe isBound && getsockname(made, pointer, &length) == 0
      }
    }
    #if canImport(Glibc)
      guard isBound, Glibc.listen(made, 64) == 0 else { throw Errno(rawValue: errno) }
    #else
      guard isBound, Darwin.listen(made, 64) == 0 else { throw Errno(rawValue: errno) }
    #endif
    return (made, Int(UInt16(bigEndian: address.sin_port)))
  }
}
