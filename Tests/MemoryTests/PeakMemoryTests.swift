// The peak memory of the release program, measured; the scripts in this folder do it and define the limits.
//
// Not for: speed, which `make bench` measures.

import Subprocess
import SystemPackage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Peak memory")
struct PeakMemoryTests {
  @Test("runs and filters stay within their memory, whatever the input")
  func peaks() async throws { try await Self.run("peak_memory.py") }

  #if os(Linux)
    @Test("an extension that loads 1,999,999 entries uses at most 7 MB, and the library at most 1 MB of it")
    func phone() async throws { try await Self.run("phone_memory.py") }
  #endif

  /// The soak has 20 sources of each kind, 760 in all.
  @Test("hostile sources are left out, each with its reason, in bounded time and memory")
  func hostile() async throws {
    try await Self.run("hostile.py", unsafe getenv("CDPIPE_SOAK") == nil ? "1" : "20")
  }

  private static func run(_ script: String, _ arguments: String...) async throws {
    var folder = FilePath(#filePath)
    folder.removeLastComponent()
    let root = folder.removingLastComponent().removingLastComponent()
    let named = unsafe getenv("CDPIPE_BINARY").map { unsafe String(cString: $0) }
    let program = named ?? root.appending(".build/release/cdpipe").string
    #expect(unsafe access(program, X_OK) == 0, "the program '\(program)' is missing: `make build` builds it")
    let result = try await Subprocess.run(
      .name("python3"), arguments: Arguments([folder.appending(script).string, program] + arguments),
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    #expect(result.terminationStatus.isSuccess, "\(result.standardOutput)\(result.standardError)")
  }
}
