"""The runs that fault_campaign.py repeats with faults: each is a folder before the run, and the run."""
import hashlib
import http.server
import os
import sqlite3
import zipfile


class Lists(http.server.BaseHTTPRequestHandler):
    """Serves lists by their names."""

    content: dict = {}
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            # The run was killed.
            pass

    def do_GET(self):
        body = self.content.get(self.path)
        if body is None:
            self.send_error(404)
            return
        tag = '"%s"' % hashlib.sha256(body).hexdigest()[:16]
        is_same = self.headers.get("If-None-Match") == tag
        self.send_response(304 if is_same else 200)
        self.send_header("ETag", tag)
        if not is_same:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not is_same:
            self.wfile.write(body)


def rows(count, first=13800138000, step=7):
    return "".join("%d\tlabel %d\n" % (first + i * step, i % 5) for i in range(count))


def write(path, text):
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


class Scenario:
    """A folder before the run, the run, and what it leads to."""

    arguments = ["run", "--quiet", "--threads", "1", "nightly.yaml"]
    options = "{ directory: public, keep: 3, deltas: 2 }"
    emits = "  - { format: store, max-entries: 100 }\n  - { path: numbers.csv }\n"
    sources = "  - { name: one, path: one.tsv, region: CN }\n"

    def __init__(self, campaign):
        self.campaign = campaign
        self.name = type(self).__name__
        self.folder = os.path.join(campaign.folder, self.name)
        os.makedirs(self.folder)
        write(os.path.join(self.folder, "two.tsv"), rows(3, 13900139000))
        write(
            os.path.join(self.folder, "nightly.yaml"),
            "sources:\n" + self.sources.replace("PORT", str(campaign.port))
            + "  - { name: two, path: two.tsv, region: CN, required: false }\n"
            + "emit:\n" + self.emits + "publish: " + self.options + "\n",
        )
        self.prepare()

    def put(self, name, text):
        write(os.path.join(self.folder, name), text)

    def publish(self):
        self.campaign.check([self.campaign.cdpipe, *Scenario.arguments], self.folder)

    def prepare(self):
        raise NotImplementedError


class First(Scenario):
    """The first version of a folder."""

    def prepare(self):
        self.put("one.tsv", rows(150))


class Update(Scenario):
    """A new version with deltas, and a report."""

    arguments = [*Scenario.arguments, "--report", "report.json", "--metrics", "metrics.prom"]

    def prepare(self):
        for count in (150, 170, 190):
            self.put("one.tsv", rows(count))
            if count < 190:
                self.publish()


class Threads(Scenario):
    """The same with several threads."""

    arguments = ["run", "--quiet", "--threads", "4", "nightly.yaml"]

    def prepare(self):
        self.put("one.tsv", rows(150))
        self.publish()
        self.put("one.tsv", rows(190))


class Unchanged(Scenario):
    """A run that finds nothing new."""

    def prepare(self):
        self.put("one.tsv", rows(150))
        self.publish()


class Rollback(Scenario):
    """The version before becomes current."""

    arguments = ["rollback", "public"]

    def prepare(self):
        for count in (150, 170):
            self.put("one.tsv", rows(count))
            self.publish()


class Download(Scenario):
    """Lists from a server, one of them optional, one with a last good copy."""

    sources = (
        "  - { name: one, url: 'http://127.0.0.1:PORT/one', parse: { format: tsv }, download: { retries: 0 }, region: CN }\n"
        "  - { name: web, url: 'http://127.0.0.1:PORT/web', parse: { format: tsv }, download: { retries: 0 }, region: CN,\n"
        "      use-last-good: true, required: false }\n"
    )

    def prepare(self):
        Lists.content.update({"/one": rows(150).encode(), "/web": rows(20, 13700137000).encode()})
        self.publish()
        Lists.content.update({"/one": rows(190).encode(), "/web": rows(30, 13700137000).encode()})


class Database(Scenario):
    """A SQLite database."""

    sources = "  - { name: one, path: one.sqlite, region: CN, required: false }\n"

    def prepare(self):
        for count in (150, 190):
            path = os.path.join(self.folder, "one.sqlite")
            if os.path.exists(path):
                os.remove(path)
            database = sqlite3.connect(path)
            with database:
                database.execute("CREATE TABLE list(number, label)")
                lines = [line.split("\t") for line in rows(count).splitlines()]
                database.executemany("INSERT INTO list VALUES (?, ?)", lines)
            database.close()
            if count < 190:
                self.publish()


class Archive(Scenario):
    """A zip archive."""

    sources = "  - { name: one, path: one.zip, unzip: {}, parse: { format: tsv }, region: CN, required: false }\n"

    def prepare(self):
        for count in (150, 190):
            path = os.path.join(self.folder, "one.zip")
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("one.tsv", rows(count))
                archive.writestr("more.tsv", rows(count, 13600136000))
            if count < 190:
                self.publish()


class Workbook(Scenario):
    """An Excel workbook."""

    sources = "  - { name: one, path: one.xlsx, region: CN, required: false }\n"

    def prepare(self):
        for count in (150, 190):
            cells = "".join(
                '<row r="%d"><c r="A%d" t="s"><v>%d</v></c><c r="B%d" t="s"><v>%d</v></c></row>'
                % (row + 1, row + 1, 2 * row, row + 1, 2 * row + 1) for row in range(count))
            texts = "".join("<si><t>%s</t></si>" % text for text in rows(count).replace("\t", "\n").splitlines())
            relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
            with zipfile.ZipFile(os.path.join(self.folder, "one.xlsx"), "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("[Content_Types].xml", "<Types/>")
                archive.writestr(
                    "_rels/.rels",
                    '<Relationships><Relationship Id="r1" Type="%s/officeDocument" Target="xl/workbook.xml"/>'
                    "</Relationships>" % relations)
                archive.writestr(
                    "xl/workbook.xml",
                    '<workbook xmlns:r="%s"><sheets><sheet name="list" sheetId="1" r:id="r1"/></sheets></workbook>'
                    % relations)
                archive.writestr(
                    "xl/_rels/workbook.xml.rels",
                    '<Relationships><Relationship Id="r1" Type="%s/worksheet" Target="sheet.xml"/>'
                    '<Relationship Id="r2" Type="%s/sharedStrings" Target="strings.xml"/></Relationships>'
                    % (relations, relations))
                archive.writestr("xl/strings.xml", "<sst>%s</sst>" % texts)
                archive.writestr("xl/sheet.xml", "<worksheet><sheetData>%s</sheetData></worksheet>" % cells)
            if count < 190:
                self.publish()


class Formats(Scenario):
    """The formats of other applications."""

    emits = "  - { format: store }\n" + "".join(
        "  - { format: %s, path: %s }\n" % (name, "list" + extension)
        for name, extension in {
            "vcard": ".vcf", "vcard4": "4.vcf", "phonebook": ".xml", "asterisk": ".asterisk.csv", "spamblocker": ".spam.csv",
            "saracroche": ".saracroche.json", "phoneblock": ".json", "plist": ".plist", "yacb": ".sia", "sqlite": ".sqlite",
        }.items())

    def prepare(self):
        self.put("one.tsv", rows(150))
        self.publish()
        self.put("one.tsv", rows(190))


class Lookup(Scenario):
    """A Live Caller ID Lookup directory of several shards, of which some are links to those of the version before."""

    emits = (
        "  - { format: store }\n"
        "  - { format: pir, path: lookup, bundle-id: com.example.app.lookup, shards: 4, test-identity: true }\n")

    def prepare(self):
        self.put("one.tsv", rows(150))
        self.publish()
        self.put("one.tsv", rows(152))


SCENARIOS = [First, Update, Threads, Unchanged, Rollback, Download, Database, Archive, Workbook, Formats, Lookup]
