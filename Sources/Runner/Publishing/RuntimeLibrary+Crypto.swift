// The library of signatures as `cdpipe version` reports it.

import Hashing
package import SystemIO

extension RuntimeLibrary {
  /// libcrypto, for signatures; none on Apple platforms. Opens it.
  package static var signing: [RuntimeLibrary] {
    #if canImport(CryptoKit)
      []
    #else
      [RuntimeLibrary(name: Ed25519.library.name, command: "keys", isUsable: Ed25519.library.isUsable)]
    #endif
  }
}
