// A golden session: a markdown file whose fenced blocks hold commands and their expected output.
//
//     % cdpipe parse | cdpipe normalize --region CN       the command
//     {"0755-12345678": "房产中介"}                         its input, up to ^D, if it reads any
//     ^D
//     8675512345678   房产中介                              its output
//     2> cdpipe parse: …                                  its messages; a final … matches any rest
//     => 65                                               the status, if it is not 0
//
// `% ` is a pipe of stages: it runs in a shell and, in one process, by `cdpipe run --pipe`. `%! ` is any other command,
// for the shell only. A line that ends in ^D ends the input without a line feed.

import TestSupport

/// One command of a session, and its expected results.
struct SessionCommand {
  /// The command as written in the session.
  var text: String
  /// Whether it is a pipe of stages, which also runs in one process.
  var isPipe: Bool
  /// Standard input; nil for none.
  var input: [UInt8]?
  /// Standard output.
  var output: String
  /// The lines of standard error.
  var errors: [String]
  /// The exit status.
  var status: Int32
  /// The line number of the command in the file.
  var line: Int
  /// The indices of the lines in the file that have the output, the errors and the status.
  var expectedLines: Range<Int>

  /// Whether only one process prints messages, so that their order is certain.
  var isOneStage: Bool { !text.contains("|") }
}

/// A golden session.
struct Session {
  /// The file's name.
  let name: String
  /// Its commands, in the order in which they are run.
  let commands: [SessionCommand]

  private static let fence = "```"
  private static let endOfInput = "^D"

  /// Parses a session's text.
  init(name: String, text: String) {
    self.name = name
    var commands: [SessionCommand] = []
    var block: [(line: Int, text: String)]?
    for (index, line) in Lines.split(text).enumerated() {
      if line.hasPrefix(Self.fence) {
        if let lines = block { commands += Self.commands(lines) }
        block = block == nil ? [] : nil
      } else {
        block?.append((index + 1, line))
      }
    }
    self.commands = commands
  }

  /// The commands of one block.
  private static func commands(_ lines: [(line: Int, text: String)]) -> [SessionCommand] {
    var commands: [SessionCommand] = []
    var rest = lines[...]
    while let first = rest.popFirst() {
      var text = first.text
      precondition(isCommand(text), "line \(first.line): a block starts with '% ' and a command")
      while text.hasSuffix("\\"), let more = rest.popFirst() { text += "\n" + more.text }
      let end = rest.firstIndex { isCommand($0.text) } ?? rest.endIndex
      let body = rest[..<end].map(\.text)
      let endLine = (lines.first?.line ?? 1) - 1 + end
      commands.append(command(text, line: first.line, body: body, endLine: endLine))
      rest = rest[end...]
    }
    return commands
  }

  private static func isCommand(_ line: String) -> Bool { line.hasPrefix("% ") || line.hasPrefix("%! ") }

  private static func command(
    _ text: String, line: Int, body: [String], endLine: Int
  ) -> SessionCommand {
    let isPipe = text.hasPrefix("% ")
    var command = SessionCommand(
      text: String(text.dropFirst(isPipe ? 2 : 3)), isPipe: isPipe, output: "", errors: [], status: 0,
      line: line, expectedLines: endLine - body.count..<endLine)
    var body = body[...]
    if let end = body.firstIndex(where: { $0.hasSuffix(endOfInput) }) {
      var input = body[..<end].map { $0 + "\n" }.joined()
      input += body[end].dropLast(endOfInput.count)
      command.input = Array(input.utf8)
      body = body[(end + 1)...]
      command.expectedLines = endLine - body.count..<endLine
    }
    for line in body {
      if line.hasPrefix("2> ") {
        command.errors.append(String(line.dropFirst(3)))
      } else if line.hasPrefix("=> "), let status = Int32(line.dropFirst(3)) {
        command.status = status
      } else {
        command.output += line + "\n"
      }
    }
    return command
  }
}

extension Session {
  /// The folder of the sessions.
  static let folder = Program.root + "/Tests/CommandTests/Sessions"

  /// The names of all sessions.
  static let names = FileTree.names(folder).filter { $0.hasSuffix(".md") }

  /// Reads a session.
  init(_ name: String) throws {
    self.init(name: name, text: String(decoding: try FileTree.read(Self.folder + "/" + name), as: UTF8.self))
  }
}
