// The SHA-256 of a file, which manifests and downloads state.

import Hashing
package import SystemIO

package enum FileHash {
  /// The SHA-256 of a file as 64 hexadecimal digits.
  package static func sha256(_ path: String, calls: any SystemCalls) throws(SystemError) -> String {
    // A pipe in place of the file must not be waited for.
    var file = try InputFile(path, calls: calls, waits: false)
    var chunk = ByteChunk()
    var hash = SHA256Hasher()
    while try file.read(into: &chunk) > 0 {
      hash.update(chunk.span)
      chunk.removeAll()
    }
    return hash.hex
  }
}
