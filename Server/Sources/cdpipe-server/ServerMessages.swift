// Error messages and their exit statuses (docs/operations/exit-statuses.md).

import CDPipeServer
import CallManifest
import CallStoreReader
import MessageRules

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Formats the server's messages.
enum ServerMessages {
  /// Describes why a server can't run.
  static func describe(_ failure: ServerError) -> String {
    switch failure {
    case .site(let failure): describe(failure)
    case .certificate(let reason): "the certificate or its key can't be used: \(reason)"
    case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
    }
  }

  /// Describes why a file can't be served.
  static func describe(_ failure: SiteError) -> String {
    switch failure {
    case .cannotRead(let path, let errno): "cannot read '\(path)': \(text(of: errno))"
    case .tooLarge(let path, let bytesMax): "'\(path)' is larger than \(bytesMax) bytes"
    case .rules(let path, let error):
      switch error {
      case .cannotOpen(let errno), .cannotMap(let errno): "cannot read '\(path)': \(text(of: errno))"
      case .notRules: "'\(path)' is not compiled rules: compile a rule file with 'cdpipe rules compile'"
      case .unsupportedVersion(let version):
        "'\(path)' has version \(version) of the format, which is not supported"
      case .truncated, .checksum, .damaged: "'\(path)' is damaged"
      }
    case .store(let path, let error):
      switch error {
      case .cannotOpen(let errno): "cannot read '\(path)': \(text(of: errno))"
      default: "'\(path)' is not a store, or is damaged: check it with 'cdpipe verify'"
      }
    case .manifest(let path, let error):
      switch error {
      case .notJSON, .notUTF8, .notAManifest: "'\(path)' is not a manifest"
      case .unsupportedVersion(let version):
        "'\(path)' has version \(version) of the format, which is not supported"
      case .invalid(_, let key): "'\(path)': invalid value of '\(key)'"
      }
    case .otherShard(let path): "'\(path)' is not the shard that the manifest names"
    }
  }

  /// The exit status of an error.
  static func status(_ failure: ServerError) -> Int32 {
    switch failure {
    case .site(.cannotRead), .site(.rules(_, .cannotOpen)), .site(.store(_, .cannotOpen)): 66
    case .site: 65
    case .certificate: 65
    case .cannotListen: 69
    }
  }

  private static func text(of errno: Int32) -> String {
    guard let text = unsafe strerror(errno) else { return "error \(errno)" }
    return unsafe String(cString: text)
  }
}
