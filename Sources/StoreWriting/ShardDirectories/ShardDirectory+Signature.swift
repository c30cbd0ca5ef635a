// The signature of a directory of shards: the file beside its manifest.
//
// Not for: what makes a signature valid (ManifestSignature in CallManifest), or signing (Publishing).

package import CallManifest
package import SystemIO
import Hashing
import SystemPackage

/// Why a directory of shards is not trusted.
package enum DirectorySignatureError: Error {
  /// The manifest or its signature can't be read.
  case unreadable(SystemError)
  /// The library that checks signatures is not installed, or can't be used; `package` is the system's package.
  case libraryMissing(name: String, package: String)
  /// The manifest is not trusted.
  case untrusted(ManifestSignatureError)
}

extension ShardDirectory {
  /// The path of the signature: beside the manifest, in the same version of a published folder.
  package var signaturePath: String {
    FilePath(manifestPath).removingLastComponent().appending(ManifestSignature.fileName).string
  }

  /// Returns the signature by one of the keys, if it covers the manifest that was read and has not expired.
  ///
  /// - Parameter now: the time, in seconds since 1970.
  /// - Complexity: O(bytes of the manifest).
  package func signature(
    by keys: [ManifestKey], now: Int64, calls: any SystemCalls = KernelCalls()
  ) throws(DirectorySignatureError) -> ManifestSignature {
    try Self.openLibrary()
    let bytes: [UInt8]
    var signature: [UInt8]?
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: manifestPath, limit: Manifest.bytesMax, calls: calls)
      if try SymbolicLink.isPresent(signaturePath, calls: calls) {
        signature = try InputFile.bytes(of: signaturePath, limit: ManifestSignature.bytesMax, calls: calls)
      }
    } catch {
      throw .unreadable(error)
    }
    do throws(ManifestSignatureError) {
      let signed = try SignedManifest(
        manifest: bytes, signature: signature, keys: keys, lastAccepted: nil, now: now)
      // The file may have been replaced since it was read.
      guard signed.manifest == manifest else { throw ManifestSignatureError.altered }
      return signed.signature
    } catch {
      throw .untrusted(error)
    }
  }

  /// Opens the library of signatures first: a manifest's own errors don't tell why it can't be opened.
  private static func openLibrary() throws(DirectorySignatureError) {
    do throws(Ed25519.LibraryError) {
      try Ed25519.open()
    } catch {
      guard case .unavailable(let name, let package, let code) = error else { return }
      let number = Errno(rawValue: code)
      throw number.blamesMachine
        ? .unreadable(SystemError(.openInput, name, number)) : .libraryMissing(name: name, package: package)
    }
  }
}
