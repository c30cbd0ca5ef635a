// Proxies from the environment, in a separate process, because all tests share the environment.

import Records
import SystemIO
import Testing

@testable import InputStages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("proxies")
struct ProxyTests {
  @Test("http_proxy is used for hosts that no_proxy does not name")
  func proxy() async {
    await #expect(processExitsWith: .success) {
      let server = try Server()
      unsafe setenv("http_proxy", server.url(""), 1)
      unsafe setenv("no_proxy", "127.0.0.1", 1)
      let far = try Download("http://nowhere.invalid/x")
      let near = try Download(server.url("/small"))
      exit(far.sink.text == "by proxy http://nowhere.invalid/x" && near.sink.text == "hello\n" ? 0 : 1)
    }
  }
}
