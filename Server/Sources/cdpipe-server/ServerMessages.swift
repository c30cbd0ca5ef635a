// Error messages, with hints like cdpipe's, and their exit statuses (docs/operations/exit-statuses.md).

import CDPipeServer
import CallManifest
import CallStoreReader
import MessageRules
import MessageRulesCompiler

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
    case .certificate(let reason):
      text(
        "the certificate or its key can't be used: \(reason)",
        hint: "name PEM files that belong together with --certificate and --key")
    case .cannotListen(let host, let port, let reason):
      text("cannot listen on \(host):\(port): \(reason)", hint: "use another --port or --host")
    }
  }

  /// A message and what to do about it.
  private static func text(_ message: String, hint: String?) -> String {
    message + (hint.map { "\n  hint: \($0)" } ?? "")
  }

  /// Describes why a file can't be served.
  static func describe(_ failure: SiteError) -> String {
    switch failure {
    case .cannotRead(let path, let errno): "cannot read '\(path)': \(text(of: errno))"
    case .tooLarge(let path, let bytesMax): "'\(path)' is larger than \(bytesMax) bytes"
    case .ruleFile(_, let errors):
      errors.list.map { text($0.message, hint: $0.hint) }.joined(separator: "\n")
    case .rules(let path, let error):
      switch error {
      case .cannotOpen(let errno), .cannotMap(let errno): "cannot read '\(path)': \(text(of: errno))"
      case .notRules:
        text(
          "'\(path)' is not compiled rules",
          hint: "compile a rule file with 'cdpipe rules compile', or name one that ends in .yaml")
      case .unsupportedVersion(let version):
        text(
          "'\(path)' has version \(version) of the format, which is not supported", hint: compileAgain)
      case .truncated, .checksum, .damaged: text("'\(path)' is damaged", hint: compileAgain)
      }
    case .store(let path, let error):
      switch error {
      case .cannotOpen(let errno): "cannot read '\(path)': \(text(of: errno))"
      default:
        text("'\(path)' is not a store, or is damaged", hint: "check it with 'cdpipe verify \(path)'")
      }
    case .manifest(let path, let error):
      switch error {
      case .notJSON, .notUTF8, .notAManifest: "'\(path)' is not a manifest"
      case .unsupportedVersion(let version):
        "'\(path)' has version \(version) of the format, which is not supported"
      case .invalid(_, let key): "'\(path)': invalid value of '\(key)'"
      }
    case .otherShard(let path):
      text(
        "'\(path)' is not the shard that the manifest names",
        hint: "check the directory with 'cdpipe verify'")
    }
  }

  private static let compileAgain = "compile the rules again with 'cdpipe rules compile'"

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
