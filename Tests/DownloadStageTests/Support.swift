// What the tests of this room share: a download that notes its waits in place of waiting, and temporary
// files.

import PipeStage
import SystemIO
import SystemPackage
import Testing

@testable import DownloadStage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One download and all that came of it.
struct Download {
  let sink = KeepingSink()
  var failure: PipeFailure?
  var waits: [Double] = []
  let meter = StageMeter(.download)

  init(
    _ resources: String..., failsBeyond: Int = .max, set: (inout DownloadOptions) -> Void = { _ in }
  ) throws {
    var options = DownloadOptions(resources)
    set(&options)
    sink.failsBeyond = failsBeyond
    let context = StageContext(meter: meter, rejects: try RejectLog())
    let downloader = Downloader(options: options, context: context, downstream: sink)
    var waits: [Double] = []
    downloader.sleep = { waits.append($0) }
    do throws(PipeFailure) {
      try downloader.run()
    } catch {
      failure = error
    }
    self.waits = waits
    #expect((failure == nil) == sink.isFinished, "a failed download has no end, a whole one has")
    #expect((failure == nil) == meter.isFinished)
  }

  /// The stage's own failure.
  var cause: DownloadFailure? {
    guard let failure else { return nil }
    #expect(failure.stage == .download)
    return failure.cause as? DownloadFailure
  }

  /// The failure of a file.
  var systemFailure: SystemFailure? { failure?.cause as? SystemFailure }
}

/// A directory that goes when it is dropped, with the files made in it.
final class TemporaryDirectory {
  let path: String
  private var files: [String] = []

  init() throws {
    var name = Array("/tmp/cdpipe-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&name) != nil else { throw Errno(rawValue: errno) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for file in files { try? KernelCalls().unlink(FilePath(file)) }
    unsafe rmdir(path)
  }

  /// Makes a file and returns its path.
  func file(_ name: String, _ bytes: [UInt8], _ permissions: FilePermissions = [.ownerReadWrite]) throws
    -> String
  {
    let file = "\(path)/\(name)"
    let calls = KernelCalls()
    let descriptor = try calls.open(FilePath(file), .writeOnly, [.create, .truncate], permissions)
    defer { try? calls.close(descriptor) }
    files.append(file)
    try calls.writeAll(descriptor, bytes.span)
    return file
  }
}
