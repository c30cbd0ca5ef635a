// Failures are equal if a user and a program can't tell them apart.

package import Records

extension Failure: Equatable {
  package static func == (first: Failure, second: Failure) -> Bool {
    first.stage == second.stage && first.errorClass == second.errorClass && first.code == second.code
      && first.message == second.message && first.endsInput == second.endsInput
      && first.blamesSource == second.blamesSource && first.systemError == second.systemError
  }
}
