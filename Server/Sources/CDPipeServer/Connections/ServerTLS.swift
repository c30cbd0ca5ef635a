// TLS for connections, from certificate files. Without the package trait TLS there is none, and the server builds without
// BoringSSL.

import HummingbirdCore

#if TLS
  import HummingbirdTLS
  import NIOSSL

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// A certificate and its key, in use.
  struct ServerTLS: Sendable {
    private let configuration: TLSConfiguration

    /// Reads the certificate chain and the key, which are PEM files.
    init(chain: String, key: String) throws(ServerError) {
      configuration = try Self.configuration(chain, key)
    }

    private static func configuration(_ chain: String, _ key: String) throws(ServerError) -> TLSConfiguration
    {
      // The library does not report which file it could not open.
      for path in [chain, key] where unsafe access(path, R_OK) != 0 {
        throw .site(.cannotRead(path: path, errno: errno))
      }
      do {
        let certificates = try NIOSSLCertificate.fromPEMFile(chain).map {
          NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(file: key, format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
          certificateChain: certificates, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        // Checks that the key matches the certificate.
        _ = try NIOSSLContext(configuration: tls)
        return tls
      } catch {
        throw .certificate("\(error)")
      }
    }

    /// A server of the same protocol over TLS.
    func server(_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder {
      try .tls(plain, tlsConfiguration: configuration)
    }
  }
#else
  /// No TLS.
  struct ServerTLS: Sendable {
    init(chain: String, key: String) throws(ServerError) {
      throw .certificate("this cdpipe-server was built without TLS")
    }

    func server(_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder { plain }
  }
#endif
