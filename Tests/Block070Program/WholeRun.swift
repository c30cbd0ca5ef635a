// Block070 with all of its extensions on the simulated phone, in a release build, as scripts/check_block070.sh runs it:
//
//     block070-program STORES EXTENSIONS FOLDER NUMBER…
//
// It switches blocking on, and prints what was loaded, the result of a call from each number, and the time. The app's
// sources are compiled with it, as in Xcode.

import CallKit
import Foundation
import FrameworkServices
import SampleShared
import SimulatedPhone
import SystemIO

@testable import CallDirectoryKit

@main
struct WholeRun {
  struct WrongUse: Error {}

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let count = Int(arguments[2]),
      (1...SimulatedPhone.extensionsMax).contains(count)
    else { throw WrongUse() }
    let group = URL(fileURLWithPath: arguments[3])
    let extensions = (1...count).compactMap {
      InstalledExtension(
        "com.example.block070.directory\($0)", resources: URL(fileURLWithPath: arguments[1]))
    }
    try await run(extensions, group, callers: Array(arguments[4...]))
  }

  private static func run(_ extensions: [InstalledExtension], _ group: URL, callers: [String]) async throws {
    // Only the entries of these numbers are kept; the others are counted.
    let watched = callers.compactMap { number in
      // With the calling code instead of Korea's leading zero.
      Int64("82" + number.filter(\.isNumber).dropFirst())
    }
    let services = FrameworkServices(try SimulatedPhone(.counting(watching: Set(watched))))
    services.install()
    let phone = services.phone
    phone.setCallingCode(82)
    for own in extensions {
      try phone.install(own.identifier, .handler { CallDirectoryHandler(own, group: group) })
      guard phone.switchOn(own.identifier).isSuccess else { throw WrongUse() }
    }
    let clock = ContinuousClock()
    let start = clock.now
    let outcomes = try await BlockingSwitch(flag: BlockingFlag(group), extensions: extensions).set(true)
    let taken = start.duration(to: clock.now)
    let blocked = try extensions.reduce(0) { try $0 + phone.entryCounts($1.identifier).blocking }
    print(
      "\(outcomes.filter { $0 == .loaded }.count) of \(outcomes.count) loaded, \(blocked) numbers blocked")
    for number in callers {
      switch try phone.answer(IncomingCall(from: number)) {
      case .blocked(by: .extension(let name)): print("\(number) is blocked by \(name)")
      case let answer: print("\(number): \(answer)")
      }
    }
    let figures = "in \(taken), \(ProcessMemory.peakBytes() / 1024) KiB at the most\n"
    FileHandle.standardError.write(Data(figures.utf8))
  }
}
