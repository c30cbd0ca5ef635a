// What the files of a directory of shards are called, and which files are ours to remove.
//
// Every name has the content hash of its file in it: what belongs to a new state lies beside what belongs to the old
// one, and nothing is overwritten by something else.

import ContentHash

/// The names of the files that a manifest names.
enum ManifestNames {
  static let manifest = "manifest.json"
  /// What every bootstrap store's name begins with.
  static let bootstrapPrefix = "bootstrap"

  /// `0003-3f2a….cdstore`: the shard's id, which it keeps, and the first 12 digits of its content hash.
  static func shard(_ id: Int, _ contentHash: [UInt8]) -> String {
    "\(padded(id))-\(short(contentHash)).cdstore"
  }

  /// `0003-3f2a…-91bc….1.cddelta`: the shard's id, where from, where to, and which step it is.
  static func delta(_ id: Int, from old: [UInt8], to new: [UInt8], step: Int) -> String {
    "\(padded(id))-\(short(old))-\(short(new)).\(step).cddelta"
  }

  /// `bootstrap-3f2a….cdstore`
  static func bootstrap(_ contentHash: [UInt8]) -> String {
    "\(bootstrapPrefix)-\(short(contentHash)).cdstore"
  }

  /// Whether a file's name is one that is made here, so that it goes when no manifest names it any more.
  static func isOurs(_ name: String) -> Bool {
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

  /// Six bytes of a hash: two of a million shards share a name with a chance of one in three hundred.
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
