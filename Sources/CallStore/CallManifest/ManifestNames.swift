// The file names in a directory of shards, and which files cdpipe may remove from it.
//
// Every name contains the content hash of its file: the files of a new state coexist with those of the old one, and
// none is overwritten with other content.

import Hashing

/// The names of the files that a manifest names.
package enum ManifestNames {
  /// The prefix of every bootstrap store's name.
  package static let bootstrapPrefix = "bootstrap"

  /// `0003-3f2a….cdstore`: the shard's id, which never changes, and the first 12 digits of its content hash.
  package static func shard(_ id: Int, _ contentHash: [UInt8]) -> String {
    "\(padded(id))-\(short(contentHash)).cdstore"
  }

  /// `0003-3f2a…-91bc….1.cddelta`: the shard's id, the content hashes of the old and the new store, and the step.
  package static func delta(_ id: Int, from old: [UInt8], to new: [UInt8], step: Int) -> String {
    "\(padded(id))-\(short(old))-\(short(new)).\(step).cddelta"
  }

  /// `bootstrap-3f2a….cdstore`
  package static func bootstrap(_ contentHash: [UInt8]) -> String {
    "\(bootstrapPrefix)-\(short(contentHash)).cdstore"
  }

  /// Whether cdpipe creates files of this name: they are removed once no manifest names them.
  package static func isGenerated(_ name: String) -> Bool {
    if name.hasSuffix(".cdstore") {
      let parts = name.dropLast(".cdstore".count).split(separator: "-", omittingEmptySubsequences: false)
      return parts.count == 2 && (isID(parts[0]) || parts[0] == bootstrapPrefix) && isShort(parts[1])
    }
    guard name.hasSuffix(".cddelta") else { return false }
    let words = name.dropLast(".cddelta".count).split(separator: ".", omittingEmptySubsequences: false)
    guard words.count == 2, !words[1].isEmpty, words[1].utf8.allSatisfy(isDigit) else { return false }
    let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 3 && isID(parts[0]) && isShort(parts[1]) && isShort(parts[2])
  }

  /// Six bytes of a hash: among a million shards, two share a name with a probability of 1 in 300.
  private static func short(_ hash: [UInt8]) -> String { Hexadecimal.text(hash.prefix(6)) }

  private static func isShort(_ text: Substring) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy(Hexadecimal.isDigit)
  }

  private static func isID(_ text: Substring) -> Bool {
    text.utf8.count >= 4 && text.utf8.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func padded(_ id: Int) -> String {
    let digits = String(id)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
