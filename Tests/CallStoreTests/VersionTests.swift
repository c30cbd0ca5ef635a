// How a reader of version 1.0 treats newer versions; docs/formats/store.md has the rules.

import CallStoreFormat
import CallStoreReader
import Testing

@Suite struct VersionTests {
  static let some: [StoreRow] = (1...500).map {
    StoreRow($0 * 7, nil, $0 % 3 == 0 ? .blocking : .identification, "l\($0 % 9)")
  }

  /// A store that a writer of version 1.`minor` could write: with reserved fields in use, and an extension.
  static func newer(_ bytes: [UInt8], minor: UInt8, extension section: [UInt8]) -> [UInt8] {
    var store = bytes
    let trailer = store.count - TrailerLayout.bytes
    store[HeadLayout.minorVersionOffset] = minor
    store[HeadLayout.reserved] = 0xA5
    store[HeadLayout.bytes + BlockLayout.reserved] = 0xA5
    store[trailer + TrailerLayout.reserved] = 0xA5
    Mending.set(&store, trailer + TrailerLayout.extensionsLength, UInt32(section.count))
    store.insert(contentsOf: section, at: trailer)
    Mending.mend(&store)
    return store
  }

  static func refusal(_ bytes: [UInt8]) throws -> CallStoreError? {
    let file = try TemporaryStore(bytes)
    do throws(CallStoreError) {
      let store = try CallStore(descriptor: file.descriptor)
      try store.verify()
      return nil
    } catch {
      return error
    }
  }

  @Test func newerMinorVersion() throws {
    let bytes = try encode(Self.some).bytes
    let newer = Self.newer(bytes, minor: 3, extension: Array("tag4".utf8) + [2, 0, 0, 0, 0xAB, 0xCD])
    let file = try TemporaryStore(newer)
    let store = try CallStore(path: file.path)
    #expect(try rows(of: store) == Self.some)
    #expect(try store.record(of: 21)?.kind == .blocking)
    try store.verify()
    // Parts that the reader ignores are still covered by a checksum.
    var damaged = newer
    damaged[newer.count - TrailerLayout.bytes - 1] ^= 1
    #expect(try Self.refusal(damaged) == .damaged(.extensions))
  }

  @Test func reservedFieldsOfThisVersionAreZero() throws {
    let bytes = try encode(Self.some).bytes
    let trailer = bytes.count - TrailerLayout.bytes
    for place in [
      HeadLayout.reserved, HeadLayout.reserved + 3, HeadLayout.bytes + BlockLayout.reserved,
      HeadLayout.bytes + BlockLayout.reserved + 2, trailer + TrailerLayout.reserved,
      trailer + TrailerLayout.reserved + TrailerLayout.reservedBytes - 1,
    ] {
      var store = bytes
      store[place] = 1
      Mending.mend(&store)
      #expect(try Self.refusal(store) != nil, "byte \(place)")
    }
    let extended = Self.newer(bytes, minor: 0, extension: [1, 2, 3])
    #expect(try Self.refusal(extended) != nil)
  }

  @Test func newerMajorVersion() throws {
    var bytes = try encode(Self.some).bytes
    bytes[HeadLayout.versionOffset] = 2
    #expect(try Self.refusal(bytes) == .unsupportedVersion(2))
  }
}
