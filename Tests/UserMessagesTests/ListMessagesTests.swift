// Messages about files of lists that can't be opened, and about names with control characters.
//
// Not for: what a command prints for them (the session inputs.md), except where root's permissions would hide it.

import Records
import SystemIO
import SystemPackage
import Testing

@testable import StoreWriting

@Suite("Messages about files of lists")
struct ListMessagesTests {
  private static func message(shard code: Errno) -> UserMessage {
    Failure.missingShard(path: "lists/0001.cdstore", code: code.rawValue).message
  }

  @Test("a shard that must not be read is not to be restored")
  func forbiddenShard() {
    let message = Self.message(shard: .permissionDenied)
    #expect(message.message == "cannot open 'lists/0001.cdstore': Permission denied (EACCES)")
    #expect(message.hint == "allow reading the file: chmod a+r lists/0001.cdstore")
    #expect(Self.message(shard: .noSuchFileOrDirectory).hint?.hasPrefix("restore the file") == true)
  }

  @Test(
    "a shard of another kind is named by its kind",
    arguments: [
      (Errno.illegalSeek, "a pipe"), (.noSuchAddressOrDevice, "a socket"),
      (.operationNotSupportedByDevice, "a device"),
    ])
  func otherKind(code: Errno, kind: String) {
    #expect(Self.message(shard: code).message == "'lists/0001.cdstore' is \(kind), not a store")
  }

  @Test("control characters of names are escaped, also line feeds")
  func names() {
    #expect(PrintableText.name("a\nb\tc\r\u{1B}[2J\u{202E}") == "a\\nb\\tc\\r\\u001b[2J\\u202e")
    #expect(PrintableText.name("番号 \u{1F4DE}.tsv") == "番号 \u{1F4DE}.tsv")
    let error = SystemError(.openInput, "a\nb", .noSuchFileOrDirectory)
    #expect(error.userMessage.message == "cannot open 'a\\nb': No such file or directory (ENOENT)")
  }
}
