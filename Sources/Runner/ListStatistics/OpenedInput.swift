// An input that can be read only once, such as a pipe, whose first bytes have been read to recognise its content.

import Records
import Synchronization
import SystemIO

/// An opened input and the bytes that were read from it.
final class OpenedInput: InputPlan {
  private struct Opened: ~Copyable, Sendable {
    var file: InputFile
    var head: ByteChunk
    /// Whether the input has ended. A terminal would wait for more.
    var isWhole: Bool

    /// Reads the next bytes into `head`; returns whether there are any.
    mutating func read() throws(Failure) -> Bool {
      guard !isWhole else { return false }
      do throws(SystemError) {
        return try file.read(into: &head) > 0
      } catch {
        throw Failure(.stats, error)
      }
    }
  }

  let name = StageName.stats
  let displayName: String
  private let opened: Mutex<Opened?>

  private init(_ path: String, _ opened: consuming Opened) {
    displayName = path
    self.opened = Mutex(opened)
  }

  /// Opens an input and reads its first bytes.
  static func open(
    _ path: String, calls: any SystemCalls
  ) throws(Failure) -> (input: OpenedInput, content: ListContent) {
    var head = ByteChunk()
    var isWhole = false
    var file = try asFailure(.stats) { () throws(SystemError) in try InputFile(path, calls: calls) }
    do throws(SystemError) {
      while head.count < ListContent.headBytes, !isWhole { isWhole = try file.read(into: &head) == 0 }
    } catch {
      throw Failure(.stats, error)
    }
    let content = ListContent(head: Array(copying: head.span), isWhole: isWhole)
    return (OpenedInput(path, Opened(file: file, head: head, isWhole: isWhole)), content)
  }

  func makeInput(
    _ environment: StageEnvironment, downstream: any ByteSink
  ) throws(Failure) -> any StageInput {
    Reader(self, downstream)
  }

  /// Sends the first bytes and then the others.
  private final class Reader: StageInput {
    private let input: OpenedInput
    private let downstream: any ByteSink

    init(_ input: OpenedInput, _ downstream: any ByteSink) {
      self.input = input
      self.downstream = downstream
    }

    func run() throws(Failure) {
      guard var opened = input.opened.withLock({ $0.take() }) else { return }
      repeat {
        if !opened.head.isEmpty { try downstream.receive(&opened.head) }
        opened.head.removeAll()
      } while try opened.read()
      try downstream.finish()
    }
  }
}
