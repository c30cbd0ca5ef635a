// `cdpipe-report [FILE]`: converts a JSON report of `cdpipe run`, or the versions of a published folder, from a file or
// standard input to an HTML page on standard output.

import FoundationEssentials
import ReportPage
import RunReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The maximum size of a report in bytes. With a thousand shards, a report has a few hundred KiB.
let bytesMax = 16 << 20

func fail(_ message: String, hint: String? = nil, _ status: Int32) -> Never {
  let text = "cdpipe-report: \(message)\n" + (hint.map { "  hint: \($0)\n" } ?? "")
  _ = writeAll(text, to: STDERR_FILENO)
  exit(status)
}

/// Writes a text completely; returns false on an error.
func writeAll(_ text: String, to file: Int32) -> Bool {
  let bytes = Array(text.utf8)
  var done = 0
  while done < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress! + done, $0.count - done) }
    if count < 0, errno != EINTR { return false }
    done += max(0, count)
  }
  return true
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") {
  print(
    """
    OVERVIEW: Convert the JSON report of 'cdpipe run --report' to an HTML page. Also makes the index of a published
    folder, for 'cdpipe history --html'.

    USAGE: cdpipe-report [FILE.json] > FILE.html
           cdpipe-report --version

    Without a file, or for '-', reads standard input. The page fetches nothing and runs no scripts.
    """)
  exit(0)
}
if arguments.contains("--version") {
  print(ProgramVersion.current)
  exit(0)
}
guard arguments.count <= 1 else { fail("needs one report", hint: "cdpipe-report --help", 64) }
let path = arguments.first ?? "-"
if path.hasPrefix("-"), path != "-" { fail("unknown option '\(path)'", hint: "cdpipe-report --help", 64) }

let input: Int32 = if path == "-" { STDIN_FILENO } else { unsafe open(path, O_RDONLY) }
guard input >= 0 else { fail("cannot open '\(path)': \(unsafe String(cString: strerror(errno)))", 66) }
var bytes: [UInt8] = []
var buffer = [UInt8](repeating: 0, count: 1 << 16)
while bytes.count <= bytesMax {
  let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
  if count == 0 { break }
  if count < 0 {
    if errno == EINTR { continue }
    fail("cannot read '\(path)': \(unsafe String(cString: strerror(errno)))", 66)
  }
  bytes += buffer[..<count]
}
guard bytes.count <= bytesMax else { fail("'\(path)' is too large for a report", 65) }

/// What distinguishes the documents that this program reads.
struct Header: Decodable {
  var format: String
  var version: Int
}

guard let header = try? JSONDecoder().decode(Header.self, from: Data(bytes)),
  [RunReport.format, VersionIndex.format].contains(header.format)
else {
  fail("'\(path)' is not a report of cdpipe", hint: "cdpipe run --report FILE.json writes one", 65)
}
/// Reads a document of a supported version.
@MainActor
func decode<Document: Decodable>(_ type: Document.Type, supported: Int, _ name: String) -> Document {
  guard header.version == supported else {
    fail(
      "'\(path)' is \(name) of version \(header.version); this program supports version \(supported)", 65)
  }
  guard let document = try? JSONDecoder().decode(type, from: Data(bytes)) else {
    fail("'\(path)' is not \(name) of cdpipe", 65)
  }
  return document
}

let page: String
do {
  page =
    header.format == RunReport.format
    ? try ReportPage.html(decode(RunReport.self, supported: RunReport.version, "a report"))
    : try ReportPage.html(decode(VersionIndex.self, supported: VersionIndex.version, "a list of versions"))
} catch {
  fail("the page's template is invalid: \(error)", 70)
}
if !writeAll(page, to: STDOUT_FILENO) {
  fail("cannot write: \(unsafe String(cString: strerror(errno)))", 74)
}
