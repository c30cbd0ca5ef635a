// Opens a store by its URL. The only file of the reader that imports Foundation, and only for the type: a store opened
// by its path needs none of it.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension CallStore {
  /// Opens the file at a URL.
  ///
  /// - Throws: ``CallStoreError/cannotOpen(_:)`` with `EINVAL` if the URL is not that of a file.
  /// - Complexity: O(blocks + bytes of the label table and the codes).
  public init(url: URL) throws(CallStoreError) {
    guard url.isFileURL else { throw .cannotOpen(EINVAL) }
    try self.init(path: url.path)
  }
}
