// The options that were parsed already: hundreds of sources have the same few options, parsing them takes longer than
// reading a short list, and equal options share their memory.

/// Parses arguments, each distinct list once.
final class ParsedArguments<Options> {
  private let parse: ([String]) throws -> Options
  private var parsed: [[String]: Options] = [:]

  /// Creates an empty collection. Only what `parse` returns is kept; it is called again for arguments that it rejected.
  init(_ parse: @escaping ([String]) throws -> Options) {
    self.parse = parse
  }

  /// The options of these arguments.
  func options(_ arguments: [String]) throws -> Options {
    if let known = parsed[arguments] { return known }
    let options = try parse(arguments)
    parsed[arguments] = options
    return options
  }
}
