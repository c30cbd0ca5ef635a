// The password for encrypted members: the first line of a file. It is never an argument, which other users could see.

import Records
import SystemIO

/// Reads passwords.
enum Password {
  /// The first line of a file without its line feed, followed by a zero byte.
  static func read(_ path: String, _ context: StageContext) throws(Failure) -> [UInt8] {
    let calls = context.calls
    var file = try asFailure(context.stage) { () throws(SystemError) in
      try InputFile(path, calls: calls)
    }
    func invalid(_ reason: PasswordErrorReason) -> Failure {
      Failure(context.stage, UnzipError.badPasswordFile(path: path, reason))
    }
    // The longest password, a line end, and one byte to detect a longer line.
    var chunk = ByteChunk(capacity: UnzipOptions.passwordBytesMax + 3)
    while chunk.freeCapacity > 0 {
      let count = try asFailure(context.stage) { () throws(SystemError) in try file.read(into: &chunk) }
      if count == 0 { break }
    }
    var password: [UInt8] = []
    for index in 0..<chunk.count {
      let byte = chunk.span[index]
      if byte == UInt8(ascii: "\n") { break }
      password.append(byte)
    }
    if password.last == UInt8(ascii: "\r") { password.removeLast() }
    guard !password.isEmpty else { throw invalid(.empty) }
    guard password.count <= UnzipOptions.passwordBytesMax else {
      throw invalid(.tooLong(limit: UnzipOptions.passwordBytesMax))
    }
    guard !password.contains(0) else { throw invalid(.zeroByte) }
    return password + [0]
  }
}
