#!/usr/bin/env python3
"""Runs a shell command while a local server serves the files of the current folder.

  serve_files.py COMMAND

The command's https://example.com is that server. Exits with the command's status.
"""

import functools
import http.server
import subprocess
import sys
import threading


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files without logging."""

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory="."))
threading.Thread(target=server.serve_forever, daemon=True).start()
command = sys.argv[1].replace("https://example.com", f"http://127.0.0.1:{server.server_port}")
sys.exit(subprocess.run(["bash", "-o", "pipefail", "-c", command], check=False).returncode)
