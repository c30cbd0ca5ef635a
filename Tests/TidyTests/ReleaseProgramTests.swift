// The release program: what it links and how large it is.

import Foundation
import Testing

@Suite("Release program")
struct ReleaseProgramTests {
  private static var program: String {
    ProcessInfo.processInfo.environment["CDPIPE_BINARY"]
      ?? Repository.root.path + "/.build/release/cdpipe"
  }

  #if os(Linux)
    @Test("loads no Foundation, no Swift runtime, and no library that is opened at run time")
    func libraries() throws {
      let answer = try Program.run("/usr/bin/env", ["ldd", Self.program])
      let text = String(decoding: answer.output, as: UTF8.self)
      #expect(answer.status == 0)
      #expect(text.contains("libc.so"))
      for library in ["Foundation", "libswift", "libcurl", "libzip", "libcrypto", "icu", "libgcc_s"] {
        #expect(!text.contains(library), "\(text)")
      }
    }

    @Test("opens libcrypto for a key, and not for hashes")
    func cryptography() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let (list, store, key) = ("\(folder)/a.tsv", "\(folder)/a.cdstore", "\(folder)/a.key")
      try "8613800138000\tspam\n".write(toFile: list, atomically: false, encoding: .utf8)
      for (arguments, isOpened) in [
        (["emit", "-q", "-o", store, list], false), (["verify", store], false),
        (["keys", "generate", "-o", key], true), (["keys", "show", key], true),
      ] {
        let answer = try Program.run(
          "/usr/bin/env", ["LD_DEBUG=files", "LD_DEBUG_OUTPUT=\(folder)/log", Self.program] + arguments)
        #expect(answer.status == 0, "\(arguments)")
        let logs = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("log.") }
        let isNamed = try logs.contains {
          try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8).contains("libcrypto")
        }
        #expect(!logs.isEmpty && isNamed == isOpened, "\(arguments)")
        for log in logs { try FileManager.default.removeItem(atPath: "\(folder)/\(log)") }
      }
    }
  #endif

  @Test("is smaller than 25 MB")
  func size() throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: Self.program)
    let bytes = try #require(attributes[.size] as? Int)
    #expect(bytes < 25_000_000)
  }
}
