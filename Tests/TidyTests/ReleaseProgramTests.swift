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
  #endif

  @Test("is smaller than 25 MB")
  func size() throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: Self.program)
    let bytes = try #require(attributes[.size] as? Int)
    #expect(bytes < 25_000_000)
  }
}
