// The record of what iOS has loaded of an extension's files. The extension keeps it between requests.
//
// Not for file access (RecordFile) or choosing the next step (LoadPlan).

import CallStoreFormat
import Hashing

/// What the Call Directory contains.
enum LoadedExtent: Equatable, Sendable {
  /// Nothing, or unknown entries.
  case unknown
  /// A complete store, by its content hash.
  case whole([UInt8])
  /// Only the entries of a store up to a number.
  case storePart([UInt8], through: UInt64)
  /// A store without the removals of a delta, plus the delta's additions up to a number.
  case deltaPart(from: [UInt8], to: [UInt8], through: UInt64)
}

/// The phase that a request has reached.
enum LoadPhase: UInt8, Sendable {
  /// Entries are being added and removed. If a record stays in this phase, iOS has removed everything.
  case loading = 1
  /// All entries were added; iOS has not reported the result yet.
  case submitted = 2
  /// iOS has loaded the entries.
  case loaded = 3
}

/// The record of the last request.
struct LoadRecord: Equatable, Sendable {
  /// The size of a record in bytes.
  static let bytes = 128
  /// `\x89CDREC\r\n`: not text, and damaged by any program that converts line ends.
  private static let magic: UInt64 = 0x0A0D_4345_5244_4389
  private static let version = 1
  private static let hashBytes = 32
  private static let crcAt = 124

  var phase: LoadPhase
  /// What the directory contains if the request succeeds.
  var extent: LoadedExtent
  /// A random number that identifies the request, so that the app's report is not applied to another request.
  var request: UInt64
  /// The count of entries of the store or delta that were added, over all requests.
  var added: UInt64

  /// What is known to be loaded: the extent of a loaded request, otherwise unknown.
  var trusted: LoadedExtent { phase == .loaded ? extent : .unknown }

  init(_ phase: LoadPhase, _ extent: LoadedExtent, request: UInt64, added: UInt64) {
    self.phase = phase
    self.extent = extent
    self.request = request
    self.added = added
  }

  /// Parses a record; nil if it is invalid. The file may contain anything.
  init?(_ file: ContiguousArray<UInt8>) {
    guard file.count == Self.bytes else { return nil }
    // Read byte by byte: no assumptions about alignment or valid values.
    let span = file.span
    let raw = unsafe span.bytes
    guard raw.u64(0) == Self.magic, raw.u16(8) == Self.version,
      CRC32C.checksum(raw.extracting(0..<Self.crcAt)) == raw.u32(Self.crcAt),
      let phase = LoadPhase(rawValue: raw.byte(10))
    else { return nil }
    func hash(_ at: Int) -> [UInt8] { (0..<Self.hashBytes).map { raw.byte(at + $0) } }
    let through = raw.u64(32)
    switch raw.byte(11) {
    case 0: extent = .unknown
    case 1: extent = .whole(hash(72))
    case 2: extent = .storePart(hash(72), through: through)
    case 3: extent = .deltaPart(from: hash(40), to: hash(72), through: through)
    default: return nil
    }
    self.phase = phase
    request = raw.u64(16)
    added = raw.u64(24)
  }

  /// The record as bytes.
  var file: ContiguousArray<UInt8> {
    var bytes: ContiguousArray<UInt8> = []
    bytes.reserveCapacity(Self.bytes)
    func append(_ value: UInt64, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
    func append(hash: [UInt8]) {
      for index in 0..<Self.hashBytes { bytes.append(index < hash.count ? hash[index] : 0) }
    }
    let (kind, from, to, through): (UInt64, [UInt8], [UInt8], UInt64) =
      switch extent {
      case .unknown: (0, [], [], 0)
      case .whole(let hash): (1, [], hash, 0)
      case .storePart(let hash, let through): (2, [], hash, through)
      case .deltaPart(let from, let to, let through): (3, from, to, through)
      }
    append(Self.magic, 8)
    append(UInt64(Self.version), 2)
    append(UInt64(phase.rawValue), 1)
    append(kind, 1)
    append(0, 4)
    append(request, 8)
    append(added, 8)
    append(through, 8)
    append(hash: from)
    append(hash: to)
    append(0, 20)
    append(UInt64(CRC32C.checksum(bytes.span)), 4)
    return bytes
  }
}
