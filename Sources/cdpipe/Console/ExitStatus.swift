// The exit statuses of all commands.

import ArgumentParser
import Records

/// The exit statuses, after sysexits.h.
enum ExitStatus {
  /// The answer is no, such as for a number that is not found or lists that differ.
  static let no = ExitCode(1)
  /// Nothing has changed, with `--fail-unchanged`; sysexits.h has no status for that.
  static let unchanged = ExitCode(3)
  static let usage = ExitCode(64)
  static let badData = ExitCode(65)
  static let noInput = ExitCode(66)

  /// The status for an error number of opening a store, a delta or compiled rules.
  static func opening(_ errno: CInt) -> ExitCode { of(.opening(errno)) }

  static func of(_ errorClass: ErrorClass) -> ExitCode {
    switch errorClass {
    case .badData: badData
    case .noInput: noInput
    case .unavailable: ExitCode(69)
    case .cannotCreate: ExitCode(73)
    case .inputOutput: ExitCode(74)
    case .usage: usage
    case .tryLater: ExitCode(75)
    case .readerGone: .success
    case .unchanged: unchanged
    }
  }
}
