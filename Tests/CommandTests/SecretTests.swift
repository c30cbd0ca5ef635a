// Tokens in URLs, redirects and headers: they reach the server, and no message, report, log, manifest or file that a web
// server hands out.

import TestSupport
import Testing

@Suite("Secrets")
struct SecretTests {
  /// A server that redirects with a new token, sends an ETag, refuses some paths, and runs the commands in its argument.
  private static let server = """
    import http.server, os, subprocess, sys, threading
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_): pass
        def do_GET(self):
            path, _, query = self.path.partition('?')
            open('asked', 'a').write('%s %s\\n' % (self.path, self.headers.get('Authorization')))
            if path == '/start':
                self.send_response(302); self.send_header('Location', '/list?sig=SECRET-redirect')
            elif path == '/list':
                body = b'{"02079460000": "e", "nonsense": "f"}\\n'
                self.send_response(200); self.send_header('ETag', '"SECRET-etag"')
                self.send_header('Content-Length', str(len(body))); self.end_headers()
                self.wfile.write(body); return
            elif path == '/cut':
                self.send_response(200); self.send_header('Content-Length', '99'); self.end_headers()
                self.wfile.write(b'{"02079'); return
            elif path == '/away':
                self.send_response(302); self.send_header('Location', 'ftp://u:SECRET-login@host/?SECRET-ftp')
            else: self.send_response(404)
            self.send_header('Content-Length', '0'); self.end_headers()
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = 'http://127.0.0.1:%d' % server.server_port
    sys.exit(subprocess.run(['bash', '-c', sys.argv[1]], env={**os.environ, 'URL': url, 'no_proxy': '*'}).returncode)

    """
  private static let pipeline = """
    sources:
      - name: web
        url: ${URL}${WHERE}?key=SECRET-query#SECRET-fragment
        region: GB
        required: false
        use-last-good: true
        download: { retries: 0, header-file: headers }
      - { name: must, path: must.tsv, parse: { format: tsv }, region: CN }
    emit:
      - { format: store }
      - { path: numbers.csv }
    publish: { directory: public }

    """

  @Test("tokens are sent, and appear in no output", .timeLimit(.minutes(10)))
  func planted() async throws {
    let workshop = try Workshop()
    for (name, text) in [
      ("server.py", Self.server), ("web.yaml", Self.pipeline), ("must.tsv", "13800138000\tcompany\n"),
      ("headers", "Authorization: Bearer SECRET-header\n"),
    ] {
      try workshop.write(workshop.work + "/" + name, Array(text.utf8))
    }
    let runs = """
      mkdir -p out; n=0
      try() { n=$((n + 1)); "$@" > out/$n.stdout 2> out/$n.stderr; echo "$n: $?" >> out/statuses; }
      for WHERE in /start /list /absent /cut /away; do
        export WHERE
        for format in text json; do
          try cdpipe run web.yaml --log-format $format --report out/$n.json --metrics out/run.prom --rejects out/$n.rejects
        done
      done
      export WHERE=/list
      try cdpipe run web.yaml --set "sources.web.url=$URL/absent?SECRET-set" --set publish.directory=other
      try cdpipe run web.yaml --set "sources.web.url=ftp://u:SECRET-login@host/?SECRET-set"
      try cdpipe run web.yaml --set "sources.web.url=https://u:SECRET-login@host/?SECRET-set"
      try cdpipe run web.yaml --set "sources.nobody.url=https://host/?SECRET-set"
      try cdpipe run web.yaml --set "sources.web.required=https://host/?SECRET-set"
      try cdpipe run web.yaml --set "sources.web.url=lists.example.org/bare.csv?SECRET-set" --set publish.directory=other --report out/bare.json
      try cdpipe download "http:/host/slash?SECRET-query"
      try cdpipe run --pipe "download $URL/absent?SECRET-pipe | parse --no-such https://host/?SECRET-pipe"
      try cdpipe run --pipe "download $URL/absent?SECRET-pipe | parse | sort"
      for where in /absent /cut /away /list; do try cdpipe download "$URL$where?SECRET-query" --retries 0 --cache cache -o out/$n.got; done
      try cdpipe download "https://u:SECRET-login@host/?SECRET-query"
      try cdpipe download "gopher://host/?SECRET-query"
      try cdpipe download "http://[bad?SECRET-query"
      try cdpipe download "http://host/ ?SECRET-query"
      try cdpipe download -H "Authorization SECRET-header" $URL/list
      try cdpipe download --no-such "https://host/?SECRET-query"
      try cdpipe parse "https://host/?SECRET-query"
      """
    let outcome = try await Program.run(
      "/usr/bin/env", ["python3", "server.py", runs], in: workshop)
    #expect(outcome.status < 128, "\(outcome.errors)")
    // The test is about something: the server got the tokens, and a version with its list was published.
    let asked = String(decoding: try FileTree.read(workshop.work + "/asked"), as: UTF8.self)
    for token in ["key=SECRET-query", "sig=SECRET-redirect", "Bearer SECRET-header"] {
      #expect(asked.contains(token), "\(asked)")
    }
    let found = try await Program.shell(
      "cat out/statuses; cut -d, -f1 public/current/numbers.csv", in: workshop)
    #expect(
      found.outputText.contains("1: 0\n") && found.outputText.contains("442079460000"), "\(found.outputText)")
    for name in ["absent?…", "cut?…", "host/?…", "bare.csv?…", "slash?…", "start it with https://"] {
      #expect(try await Program.shell("grep -rqF '\(name)' out", in: workshop).status == 0, "\(name)")
    }
    let leaks = try await Program.shell("grep -rF SECRET- out public other", in: workshop)
    #expect(leaks.outputText.isEmpty, "\(leaks.outputText)")
    // What is sent again with the next request is in files that only the user can read.
    let readable = try await Program.shell(
      "find .public.sources cache -type f -perm /077 -exec grep -lF SECRET- {} +; ls .public.sources",
      in: workshop)
    #expect(readable.outputText.hasPrefix("cache\n"), "\(readable.outputText)")
  }
}
