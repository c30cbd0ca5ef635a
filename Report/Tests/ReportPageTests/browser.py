"""Chromium without a window, driven over its debugging pipe: exact viewports, light and dark, print, screenshots.

Not for what a page must look like (check_page.py). CHROMIUM names another browser.
"""
import base64
import json
import os
import select
import subprocess
import tempfile
import time


class Browser:
    """A running browser. Use it in a `with` statement."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        # The browser reads commands from its descriptor 3 and writes answers to 4.
        commands_read, self.commands = os.pipe()
        self.answers, answers_write = os.pipe()

        def place():
            os.dup2(commands_read, 13)
            os.dup2(answers_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [os.environ.get("CHROMIUM", "chromium"), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            close_fds=False, preexec_fn=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands_read)
        os.close(answers_write)
        self.buffer, self.last, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        for _ in range(1200):
            try:
                self.profile.cleanup()
                break
            except OSError:
                # Its children may still be writing.
                time.sleep(0.1)

    def read(self, deadline):
        """The next message of the browser."""
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """Runs a command and returns its result; events that arrive meanwhile are kept."""
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        deadline = time.monotonic() + 200
        while True:
            message = self.read(deadline)
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def show(self, address, width, height=900, scheme="light", media="screen"):
        """Loads a page. Returns what it logs on its console, and the addresses that it fetches besides itself."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + 200
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read(deadline))
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        said = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Log.entryAdded":
                said.append(parameters["entry"]["text"])
            elif event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                said.append(json.dumps(parameters)[:200])
            elif event.get("method") == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if url != address and not url.startswith("data:"):
                    said.append(f"fetches {url}")
        return said

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page, or of the promise that it returns."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:500])
        return result["result"].get("value")

    def screenshot(self, path, height_max=None):
        """Saves a picture of the whole page, or of its first pixels."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        height = min(size["height"], height_max or size["height"])
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
