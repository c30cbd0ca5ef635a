// A phone with the sample app Block070 and its extensions, whose shards were generated from a pattern.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import Block070
@testable import SampleShared

/// A phone with the app and its extensions, whose shards were generated from a pattern.
final class BlockingScene {
  static let prefix = "com.example.block070.directory"

  let services: FrameworkServices
  let group: URL
  let extensions: [InstalledExtension]
  let blocking: BlockingSwitch
  private let workplace: Workplace

  init(
    _ pattern: String, maxEntries: Int, extensions count: Int, storage: SimulatedPhone.Storage,
    switchingOn on: Int? = nil
  ) throws {
    workplace = try Workplace()
    try workplace.cdpipe("generate", pattern, "--exclude", "*000*", "-o", "070.tsv")
    try workplace.cdpipe(
      "emit", "--format", "store", "--block", "*", "--max-entries", "\(maxEntries)", "--shards", "\(count)",
      "-o",
      "stores", "070.tsv")
    services = FrameworkServices(try SimulatedPhone(storage))
    services.install()
    services.phone.setCallingCode(82)
    let group = workplace.folder.appendingPathComponent("group")
    try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
    self.group = group
    let stores = workplace.folder.appendingPathComponent("stores")
    extensions = (1...count).compactMap { InstalledExtension("\(Self.prefix)\($0)", resources: stores) }
    blocking = BlockingSwitch(flag: BlockingFlag(group), extensions: extensions)
    for (place, own) in extensions.enumerated() {
      try services.phone.install(own.identifier, .handler { CallDirectoryHandler(own, group: group) })
      if place < on ?? count { #expect(services.phone.switchOn(own.identifier).isSuccess) }
    }
  }

  deinit { services.uninstall() }

  /// The number of blocked numbers.
  func blocked() throws -> Int {
    try extensions.reduce(0) { try $0 + services.phone.entryCounts($1.identifier).blocking }
  }

  func answer(_ number: String) throws -> CallAnswer { try services.phone.answer(IncomingCall(from: number)) }
}
