// Shared by the tests: a sink that keeps everything, archives made by Python's own modules,
// and temporary files.

import BasicContainers
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import InputStages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps its input, and fails at a given size.
final class KeepingSink: ByteSink {
  static let full = Failure(nil, .readerGone, "full", "the sink is full")

  var bytes: [UInt8] = []
  var count = 0
  var chunks = 0
  var isFinished = false
  var keepsBytes = true
  var failsBeyond = Int.max

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    #expect(!isFinished, "bytes after the end")
    let size = chunk.count
    #expect(size > 0, "an empty chunk")
    chunks += 1
    count += size
    if keepsBytes { for index in 0..<size { bytes.append(chunk.span[index]) } }
    if count > failsBeyond { throw Self.full }
    // Like a bounded buffer: the chunk is removed and another one, of any capacity, is left instead.
    chunk = ByteChunk(capacity: chunks % 2 == 0 ? 0 : ByteChunk.defaultBytes)
  }

  func finish() throws(Failure) {
    #expect(!isFinished, "a second end")
    isFinished = true
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

struct NoPython: Error {}

/// Runs a Python program and returns what it wrote; `out` is its standard output as a binary stream.
func python(_ program: String) throws -> [UInt8] {
  let prelude = """
    import sys, io, os, gzip, zipfile, zlib, struct, random, shutil, subprocess, tempfile
    out = sys.stdout.buffer
    def archive(members, method=zipfile.ZIP_DEFLATED):
        file = io.BytesIO()
        with zipfile.ZipFile(file, 'w', method) as zip:
            for name, data in members:
                zip.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, method)
        return bytearray(file.getvalue())
    def made(files, *command, stdin=None):
        # What a command makes of files in a fresh folder: the archive 'out.zip', or its standard output.
        with tempfile.TemporaryDirectory() as folder:
            for name, data in files:
                with open(os.path.join(folder, name), 'wb') as file: file.write(data)
                os.utime(os.path.join(folder, name), (1600000000, 1600000000))
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, input=stdin, check=True)
            path = os.path.join(folder, 'out.zip')
            return bytearray(open(path, 'rb').read()) if os.path.exists(path) else bytearray(done.stdout)
    def seven():
        return shutil.which('7zz') or shutil.which('7z')
    class Stream(io.RawIOBase):
        # A file that can't seek.
        def __init__(self): self.data = bytearray()
        def writable(self): return True
        def write(self, data): self.data += bytes(data); return len(data)

    """
  let file = try TemporaryDirectory()
  let script = file.path + "/make.py"
  try write(Array((prelude + program).utf8), to: script)
  guard let pipe = unsafe popen("python3 '\(script)'", "r") else { throw NoPython() }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = unsafe fread(&buffer, 1, buffer.count, pipe)
    if count == 0 { break }
    bytes.append(contentsOf: buffer[..<count])
  }
  guard unsafe pclose(pipe) == 0 else { throw NoPython() }
  return bytes
}

func write(_ bytes: [UInt8], to path: String) throws {
  let calls = KernelCalls()
  let file = try calls.open(FilePath(path), .writeOnly, [.create, .truncate], [.ownerReadWrite])
  defer { try? calls.close(file) }
  try calls.writeAll(file, bytes.span)
}

func context() throws -> StageContext {
  StageContext(meter: StageMeter(.unzip), rejects: try RejectLog())
}

/// Sends bytes through the stage in pieces of the sizes, repeated.
func unzip(
  _ bytes: [UInt8], pieces: [Int] = [100_000], options: UnzipOptions = UnzipOptions(),
  into sink: KeepingSink = KeepingSink()
) throws -> KeepingSink {
  let context = try context()
  let stage = Unzipper(options: options, context: context, downstream: sink)
  var start = 0
  var turn = 0
  while start < bytes.count {
    let end = min(bytes.count, start + pieces[turn % pieces.count])
    turn += 1
    var chunk = ByteChunk(capacity: end - start)
    chunk.append(bytes.span.extracting(start..<end))
    try stage.receive(&chunk)
    start = end
  }
  try stage.finish()
  #expect(context.meter.bytesIn.value == UInt64(bytes.count))
  #expect(context.meter.isFinished)
  return sink
}

/// Reads a file through the stage.
func unzip(
  file bytes: [UInt8], options: UnzipOptions = UnzipOptions(), keepsBytes: Bool = true,
  isSpooled: Bool = false
) throws -> KeepingSink {
  let directory = try TemporaryDirectory()
  let path = directory.path + "/in"
  try write(bytes, to: path)
  let context = try context()
  let sink = KeepingSink()
  sink.keepsBytes = keepsBytes
  let stage = Unzipper(options: options, context: context, downstream: sink)
  try stage.read(try InputFile(path))
  try stage.finish()
  #expect(context.meter.bytesIn.value == UInt64(bytes.count))
  // A file that can be read where it lies is not copied.
  #expect((context.meter.bytesSpilled.value > 0) == isSpooled)
  return sink
}

/// The stage's own error that `body` throws; any other error fails the test.
func unzipError<T>(_ body: () throws -> T) -> Failure? {
  do {
    _ = try body()
    Issue.record("it did not fail")
  } catch let failure as Failure {
    #expect(failure.stage == .unzip)
    if failure.systemError == nil { return failure }
    Issue.record("a failed system call: \(failure)")
  } catch {
    Issue.record("another error: \(error)")
  }
  return nil
}

/// Whether a program that creates archives is installed.
func isInstalled(_ names: String...) -> Bool {
  names.contains { name in unsafe system("command -v \(name) >/dev/null") == 0 }
}

/// The result for an input.
enum Outcome: Equatable {
  case whole([UInt8])
  case failed(Failure?)

  static func == (one: Outcome, other: Outcome) -> Bool {
    switch (one, other) {
    case (.whole(let bytes), .whole(let others)): bytes == others
    case (.failed(let failure), .failed(let another)): failure == another
    default: false
    }
  }
}

/// Whether two failures are the same, for users and for programs.
func == (one: Failure?, other: Failure?) -> Bool {
  one?.stage == other?.stage && one?.errorClass == other?.errorClass && one?.code == other?.code
    && one?.message == other?.message && one?.blamesSource == other?.blamesSource
}

/// The failure for an error of a zip archive.
func zip(_ error: ZipError) -> Failure { .zip(error, .readInput, "") }

/// The failure for a damaged member.
func damagedMember(_ name: String, _ reason: MemberErrorReason) -> Failure {
  zip(.damagedMember(name: name, reason))
}

/// The result for an input that is sent through the stage, and the number of output bytes.
func outcome(_ bytes: [UInt8], options: UnzipOptions = UnzipOptions()) throws -> (Outcome, count: Int) {
  let sink = KeepingSink()
  let stage = Unzipper(options: options, context: try context(), downstream: sink)
  do throws(Failure) {
    var chunk = ByteChunk(capacity: max(bytes.count, 1))
    chunk.append(bytes.span)
    try stage.receive(&chunk)
    try stage.finish()
    return (.whole(sink.bytes), sink.count)
  } catch {
    return (.failed(error.stage == .unzip && error.systemError == nil ? error : nil), sink.count)
  }
}
