// Trusted certificates from the environment, in a separate process, because all tests share the environment.

import Records
import SystemIO
import TestSupport
import Testing

@testable import InputStages

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
      // A function of its own, so that the folder is removed before the process ends.
      let isRight = try Self.trustedCertificates()
      exit(isRight ? 0 : 1)
    }
  }

  private static func trustedCertificates() throws -> Bool {
    let server = try Server()
    let directory = try TemporaryDirectory()
    let authority = try directory.file("authority.pem", Array(Server.certificate.utf8))
    unsafe setenv("SSL_CERT_FILE", authority, 1)
    let trusted = try Download(server.secureURL("/small"))
    unsafe setenv("SSL_CERT_FILE", directory / "none", 1)
    let untrusted = try Download(server.secureURL("/small"))
    let named = try Download(server.secureURL("/small")) { $0.caFile = authority }
    unsafe setenv("SSL_CERT_FILE", "", 1)
    let unset = try Download(server.secureURL("/small"))
    return trusted.sink.text == "hello\n" && named.sink.text == "hello\n" && untrusted.failure != nil
      && unset.failure != nil
  }
}
