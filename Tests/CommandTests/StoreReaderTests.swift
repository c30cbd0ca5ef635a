// Stores of the release program, read by a Python reader that was written from docs/formats/store.md alone.

import Subprocess
import SystemPackage
import Testing

@Suite("Store readers")
struct StoreReaderTests {
  @Test("docs/formats/read_store.py reads the stores of cdpipe like cdpipe does")
  func readers() async throws {
    var folder = FilePath(#filePath)
    folder.removeLastComponent()
    let result = try await Subprocess.run(
      .name("python3"),
      arguments: [
        folder.appending("Programs").appending("compare_store_readers.py").string, try Program.path(),
      ],
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    let text = "\(result.standardOutput)\(result.standardError)"
    #expect(result.terminationStatus.isSuccess, "\(text)")
  }
}
