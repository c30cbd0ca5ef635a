// The options of signing versions: keys of `publish` in a pipeline file, and options of `rollback`.

import ArgumentParser
import Runner

/// A number of days, hours, minutes or seconds.
struct Period: Equatable {
  let seconds: Int64

  private static let units: [Character: Int64] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]

  @Sendable static func typed(_ text: String) throws -> Period {
    guard let unit = text.last.flatMap({ units[$0] }),
      let count = UInt32(text.dropLast()), count > 0,
      Int64(count) * unit <= PublishOptions.signatureSecondsMax
    else {
      throw ValidationError(
        "expected a number of days, hours, minutes or seconds up to 3650d, such as 14d or 36h")
    }
    return Period(seconds: Int64(count) * unit)
  }
}

/// The options of signing versions.
struct SigningArguments: ParsableArguments {
  static let keys: [String: KeyTraits] = ["sign": KeyTraits(isPath: true, isList: true)]

  @Option(
    help: ArgumentHelp("Sign the version with the private key in FILE. Repeatable.", valueName: "file"),
    completion: .file())
  var sign: [String] = []

  @Option(
    help: ArgumentHelp(
      "The signature is valid for this long, such as 36h (default: 14d).", valueName: "period"),
    transform: Period.typed)
  var expires: Period?

  func validate() throws {
    // The message must not repeat it.
    if sign.contains(where: { $0.contains("PRIVATE KEY") || $0.contains("\n") }) {
      throw ValidationError("--sign must be the path of a file with a private key, not the key")
    }
    if sign.contains("") { throw ValidationError("--sign must be the path of a file with a private key") }
    if expires != nil, sign.isEmpty { throw ValidationError("--expires needs a private key to sign with") }
  }

  /// Applies the options.
  func apply(to options: inout PublishOptions) {
    options.signingKeys = sign
    if let expires { options.signatureSeconds = expires.seconds }
  }
}
