// The commands of the program: `load COUNT`, `hoard MEBIBYTES`, `remove`, `disorder FILE`, `cancel`, `exit STATUS`,
// `late FILE`.

import CallKit
import Foundation

final class ProgramHandler: CXCallDirectoryProvider, CXCallDirectoryExtensionContextDelegate {
  private let what: String
  private let argument: String
  private var hoard: [[UInt8]] = []

  init(_ arguments: [String]) {
    what = arguments.dropFirst().first ?? ""
    argument = arguments.dropFirst(2).first ?? ""
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    switch what {
    case "load":
      for number in 0..<(Int64(argument) ?? 0) {
        context.addIdentificationEntry(
          withNextSequentialPhoneNumber: 8_613_800_000_000 + number, label: "label \(number % 100)")
      }
      context.completeRequest()
    case "hoard":
      for _ in 0..<(Int(argument) ?? 0) {
        hoard.append([UInt8](repeating: 1, count: 1 << 20))
        context.addBlockingEntry(withNextSequentialPhoneNumber: Int64(hoard.count))
        usleep(1_000)
      }
      context.completeRequest()
    case "remove":
      context.removeBlockingEntry(withPhoneNumber: 1)
      context.completeRequest()
    case "disorder":
      context.addBlockingEntry(withNextSequentialPhoneNumber: 2)
      context.addBlockingEntry(withNextSequentialPhoneNumber: 1)
      context.completeRequest()
    case "cancel":
      context.cancelRequest(withError: NSError(domain: "CallDirectoryHandler", code: 1))
    case "exit":
      exit(Int32(argument) ?? 0)
    case "late":
      context.addBlockingEntry(withNextSequentialPhoneNumber: 15_550_100)
      let file = argument
      context.completeRequest { expired in
        try? Data("expired \(expired)".utf8).write(to: URL(fileURLWithPath: file))
      }
    default:
      break
    }
  }

  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    let code = (error as NSError).code
    try? Data("failed \(code)".utf8).write(to: URL(fileURLWithPath: argument))
  }
}
