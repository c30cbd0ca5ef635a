// Trusted certificates from the environment, in a separate process, because all tests share the environment.

import PipeStage
import SystemIO
import TestSupport
import Testing

@testable import DownloadStage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("certificates")
struct CertificateTests {
  @Test("SSL_CERT_FILE names the trusted certificates, and --ca-file overrides it")
  func environment() async {
    await #expect(processExitsWith: .success) {
      let server = try Server()
      let directory = try TemporaryDirectory()
      let authority = try directory.file("authority.pem", Array(Server.certificate.utf8))
      let absent = "\(directory.path)/none"
      unsafe setenv("SSL_CERT_FILE", authority, 1)
      let trusted = try Download(server.secureURL("/small"))
      unsafe setenv("SSL_CERT_FILE", absent, 1)
      let untrusted = try Download(server.secureURL("/small"))
      let named = try Download(server.secureURL("/small")) { $0.caFile = authority }
      unsafe setenv("SSL_CERT_FILE", "", 1)
      let unset = try Download(server.secureURL("/small"))
      let isRight =
        trusted.sink.text == "hello\n" && named.sink.text == "hello\n" && untrusted.failure != nil
        && unset.failure != nil
      exit(isRight ? 0 : 1)
    }
  }
}
