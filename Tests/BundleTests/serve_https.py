#!/usr/bin/env python3
"""Serves a folder over https on a free port of this machine, and prints the port.

serve_https.py FOLDER CERTIFICATE KEY
"""
import functools
import http.server
import ssl
import sys

folder, certificate, key = sys.argv[1:]


class Handler(http.server.SimpleHTTPRequestHandler):
    """Logs nothing."""

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
