// A web server for one test: Python's, on a free port of this machine, which ends with the test.

import Records
import SystemIO
import SystemPackage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct NoServer: Error {}

/// libcurl would use a proxy from the environment even for this machine.
enum NoProxy {
  /// Sets the variable once in a process: other tests read the environment meanwhile.
  static let isSet: Void = { _ = unsafe setenv("no_proxy", "*", 1) }()
}

/// A server that lives as long as the value.
final class Server {
  let port: Int
  private let securePort: Int
  private let boundPort: Int
  private let fullPort: Int
  private let pid: pid_t
  private let lifeline: FileDescriptor

  /// Starts the server and waits until it listens.
  init() throws {
    NoProxy.isSet
    let input = try FileDescriptor.pipe()
    let output = try FileDescriptor.pipe()
    // Another process should not inherit the server's input.
    for end in [input.writeEnd, output.readEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input.readEnd.rawValue, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.writeEnd.rawValue, 1)

    let arguments = ["python3", "-c", Self.program]
    let list = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe list.forEach { unsafe free($0) } }
    var started: pid_t = 0
    guard unsafe posix_spawnp(&started, "python3", &actions, nil, list, environ) == 0 else {
      throw NoServer()
    }
    pid = started
    lifeline = input.writeEnd
    try input.readEnd.close()
    try output.writeEnd.close()

    var line: [UInt8] = []
    var byte: [UInt8] = [0]
    while try unsafe byte.withUnsafeMutableBytes({ unsafe try output.readEnd.read(into: $0) }) == 1,
      byte[0] != UInt8(ascii: "\n")
    {
      line.append(byte[0])
    }
    try output.readEnd.close()
    let ports = String(decoding: line, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    guard ports.count == 4 else { throw NoServer() }
    port = ports[0]
    securePort = ports[1]
    boundPort = ports[2]
    fullPort = ports[3]
  }

  deinit {
    // If this process is killed, the server ends when its input ends. But a process that was started at
    // the wrong moment may keep the other end open, too.
    try? lifeline.close()
    kill(pid, SIGKILL)
    var status: Int32 = 0
    unsafe waitpid(pid, &status, 0)
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  func secureURL(_ path: String) -> String { "https://127.0.0.1:\(securePort)\(path)" }

  /// A port that is bound, but does not listen.
  func refusingURL(_ path: String) -> String { "http://127.0.0.1:\(boundPort)\(path)" }

  /// A port that does not answer: its queue of connections is full, and none is accepted.
  func fullURL(_ path: String) -> String { "http://127.0.0.1:\(fullPort)\(path)" }

  /// A certificate for this machine that no authority signed, with its own key; both are for a single
  /// test.
  static let certificate = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEICqsFql3mP9TqZ5Xb6Hru1MflujxD/yuG2TRys7Gp4QKoAoGCCqGSM49
    AwEHoUQDQgAExqj7WvWU/stuTd7F3QaPZdkSnOjTJpuaDUV/uOvDer3RM1cBFyV2
    K+oaVUlSQS9kHYWZDIW3dq8jtf5pUn3Rww==
    -----END EC PRIVATE KEY-----
    -----BEGIN CERTIFICATE-----
    MIIBmjCCAUGgAwIBAgIUEgTP/tPWID/pwzVahcAl/sd1IEMwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTAzMjAyOVoYDzIxMjYxMDI4
    MDMyMDI5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAATGqPta9ZT+y25N3sXdBo9l2RKc6NMmm5oNRX+468N6vdEzVwEXJXYr
    6hpVSVJBL2QdhZkMhbd2ryO1/mlSfdHDo28wbTAdBgNVHQ4EFgQUpM79dlJZCqd6
    PIE2n7zDWMmcZP0wHwYDVR0jBBgwFoAUpM79dlJZCqd6PIE2n7zDWMmcZP0wDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDRwAwRAIgOphhHFqGQs488U68xiK9F4VwI6zTSw+n2WvUFX1QemECIBQZ
    p9fRVJwmScM77d5jMjvhdbewdM3mWLErOjb4sK9I
    -----END CERTIFICATE-----
    """

  /// The page at `/log`: one line for each request so far.
  static let program = """
    import sys, threading, http.server, socket, ssl, struct, os, tempfile, time
    certificate = '''\(certificate)'''
    log = []
    ranges = []
    may_reset = threading.Event()
    body = b''.join(b'%d,row\\n' % i for i in range(100000))
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *_): pass
        def reply(self, status, data=b'', length=None, **headers):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace('_', '-'), value)
            self.send_header('Content-Length', str(len(data) if length is None else length))
            self.end_headers()
            self.wfile.write(data)
        def end(self):
            self.wfile.flush()
            self.close_connection = True
        def reset(self):
            self.wfile.flush()
            may_reset.wait(120)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            self.connection.close()
            self.close_connection = True
        def do_GET(self):
            h = self.headers
            path = self.path
            tries = sum(1 for entry in log if entry.split('|')[0] == path)
            ranges.append('|'.join([path] + [str(h.get(n)) for n in ('Range', 'If-Range')]))
            log.append('|'.join([path] + [str(h.get(n)) for n in ('User-Agent', 'Authorization', 'X-Extra')]))
            try: self.serve(path, tries)
            except (BrokenPipeError, ConnectionResetError):
                log.append('gone ' + path)
                self.close_connection = True
        def serve(self, path, tries):
            if path == '/log': self.reply(200, '\\n'.join(log).encode())
            elif path == '/ranges': self.reply(200, '\\n'.join(ranges).encode())
            elif path.startswith('/cut/'): self.cut(*path.split('/')[2:], tries)
            elif path.startswith('http://'): self.reply(200, b'by proxy ' + path.encode())
            elif path == '/no-store': self.reply(200, b'secret', ETag='"a"', Cache_Control='private, no-store')
            elif path == '/unframed':
                self.send_response(200); self.send_header('ETag', '"a"'); self.end_headers()
                self.wfile.write(b'who knows'); self.end()
            elif path == '/etag':
                if self.headers.get('If-None-Match') == '"a"': self.reply(304)
                else: self.reply(200, b'tagged', ETag='"a"')
            elif path == '/same': self.reply(200, b'same')
            elif path == '/new': self.reply(200, b'new %d' % tries, ETag='"%d"' % tries)
            elif path == '/small': self.reply(200, b'hello\\n')
            elif path == '/empty': self.reply(200)
            elif path == '/large': self.reply(200, body)
            elif path == '/endless':
                self.send_response(200); self.end_headers()
                for _ in range(4000): self.wfile.write(body[:65536])
                self.end()
            elif path == '/chain/0': self.reply(200, b'end of the chain')
            elif path.startswith('/chain/'):
                self.reply(302, b'a page nobody wants', Location='/chain/%d' % (int(path[7:]) - 1))
            elif path == '/loop': self.reply(301, Location='/loop')
            elif path == '/to-file': self.reply(302, Location='file:///etc/passwd')
            elif path == '/to-ftp': self.reply(302, Location='ftp://127.0.0.1/x')
            elif path == '/to-other':
                self.reply(302, Location='http://localhost:%d/small' % self.server.server_port)
            elif path == '/long-page':
                self.send_response(302); self.send_header('Location', '/small'); self.end_headers()
                for _ in range(4000): self.wfile.write(body[:65536])
                self.end()
            elif path.startswith('/status/'): self.reply(int(path[8:]), b'a page nobody wants')
            elif path.startswith('/busy/'):
                _, _, status, times, wait = path.split('/')
                if tries < int(times): self.reply(int(status), b'busy', Retry_After=wait)
                else: self.reply(200, b'at last')
            elif path == '/short': self.reply(200, body[:300000], len(body)); self.end()
            elif path == '/short-small': self.reply(200, b'half', 8); self.end()
            elif path == '/short-once':
                if tries == 0: self.reply(200, b'half', 8); self.end()
                else: self.reply(200, b'all of it')
            elif path == '/reset': self.reply(200, body[:300000], len(body)); self.reset()
            elif path == '/reset-now': may_reset.set(); self.reply(200)
            elif path == '/chunked-short':
                self.send_response(200); self.send_header('Transfer-Encoding', 'chunked'); self.end_headers()
                self.wfile.write(b'5\\r\\nhello\\r\\n'); self.end()
            elif path == '/nothing': self.close_connection = True
            elif path == '/slow':
                self.reply(200, b'a', 10); self.wfile.flush(); time.sleep(3600)
            elif path == '/http-0.9': self.wfile.write(b'13800138000\\n'); self.end()
            elif path.startswith('/lengths/'):
                self.send_response(200)
                for length in path.split('/')[2:]: self.send_header('Content-Length', length)
                self.end_headers(); self.wfile.write(b'hello'); self.end()
            elif path == '/part': self.reply(206, b'part')
            else: self.reply(404, b'no such page')
        # The first answer has `count` bytes of more, and breaks off; `kind` selects what a later one does.
        def cut(self, count, kind, tries):
            h = self.headers
            whole = body * 4 if kind == 'often' else body
            tag = {'weak': 'W/"v"', 'changing': '"v%d"' % tries, 'none': None, 'date': None, 'fresh': None,
                   'other': '"v%d"' % tries}
            tag = tag.get(kind, '"v"')
            date = {'date': 'Sat, 07 Nov 2020 03:12:00 GMT', 'fresh': self.date_time_string()}.get(kind)
            start, status, end = 0, 200, len(whole)
            if h.get('Range') and kind != 'whole' and (kind == 'other' or h.get('If-Range') in (tag, date)):
                start, status = int(h.get('Range')[6:-1]), 206
            if kind == 'wrong' and status == 206: start += 1
            if kind == 'less' and status == 206: end = min(end, start + 300000)
            if kind == 'busy' and tries == 1: return self.reply(503, b'busy', Retry_After='7')
            if kind == 'gone' and tries > 0: return self.reply(416)
            stop = min(end, start + int(count)) if tries == 0 or kind == 'often' else end
            self.send_response(status)
            if tag: self.send_header('ETag', tag)
            if date: self.send_header('Last-Modified', date)
            if status == 206:
                self.send_header('Content-Range', 'bytes %d-%d/%d' % (start, end - 1, len(whole)))
            self.send_header('Content-Length', str(end - start))
            self.end_headers()
            self.wfile.write(whole[start:stop])
            if stop < end: self.end()
    class Quiet(http.server.ThreadingHTTPServer):
        daemon_threads = True
        def handle_error(self, *_): pass
    server = Quiet(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    secure = Quiet(('127.0.0.1', 0), Handler)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile('w') as file:
        file.write(certificate); file.flush()
        trust.load_cert_chain(file.name)
    secure.socket = trust.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=secure.serve_forever, daemon=True).start()
    bound = socket.socket()
    bound.bind(('127.0.0.1', 0))
    full = socket.socket()
    full.bind(('127.0.0.1', 0))
    full.listen(0)
    waiting = [socket.socket() for _ in range(8)]
    for one in waiting:
        one.setblocking(False)
        one.connect_ex(full.getsockname())
    print(server.server_port, secure.server_port, bound.getsockname()[1], full.getsockname()[1], flush=True)
    sys.stdin.read()
    os._exit(0)
    """

  /// The content of `/large`.
  static let large: [UInt8] = {
    var bytes: [UInt8] = []
    for row in 0..<100_000 { bytes.append(contentsOf: "\(row),row\n".utf8) }
    return bytes
  }()
}
