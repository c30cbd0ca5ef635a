// One output: standard output as `-`, or a file that is written under a temporary name and then renamed, so that a
// reader sees either the old file or the complete new one.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An output that is written from front to back.
///
/// A file gets its final name in ``publish(durably:as:)``; if the value is destroyed before that, no file remains. When
/// a signal ends the process, ``UnpublishedFiles`` removes the file. Devices, pipes, and descriptors that this process
/// was started with are written in place.
package struct OutputFile: ~Copyable {
  /// The name for standard output.
  package static let standardOutput = "-"

  /// The path as the user gave it; `-` for standard output.
  package let path: String

  /// The descriptor, for a library that needs one, such as the verification of a store. This value owns it.
  package let descriptor: FileDescriptor

  /// Whether the file was made for this output, so that it contains nothing but what was written.
  package var isNew: Bool { temporary != nil }

  private let calls: any SystemCalls
  private let owns: Bool
  /// The name until the file is published; nil for an output that is written in place.
  private let temporary: FilePath?
  /// The file to replace: the path, or the destination of a symbolic link at the path.
  private let target: FilePath
  private let ticket: Int?
  private var isPublished = false
  /// Escapes control characters if the output is a terminal; else nil.
  private var terminal: TerminalText?

  /// Makes a temporary file in the directory of `path`, or uses standard output for `-`. A path that names a device, a
  /// pipe or a descriptor (`/dev/stdout`, `/dev/fd/3`) is written in place. A symbolic link stays, and its destination
  /// is replaced or made.
  ///
  /// - Parameters:
  ///   - removesLeftovers: whether to first remove the files that killed runs left for the same output. Pass false in
  ///     directories where that is done for all outputs at once.
  ///   - escapesControls: whether control characters are escaped if the output is a terminal.
  package init(
    _ path: String, removesLeftovers: Bool = true, escapesControls: Bool = true,
    calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) {
    // Everything that can fail happens before the first property is set: with an early return and a throw between
    // the assignments, the optimizer of Swift 6.3.1 releases properties that were never set.
    let made = try Self.make(path, removesLeftovers, calls)
    self.path = path
    self.calls = calls
    descriptor = made.descriptor
    owns = made.owns
    temporary = made.temporary
    target = made.target
    ticket = made.ticket
    if made.temporary == nil { PipeCapacity.raise(made.descriptor) }
    if escapesControls, made.temporary == nil, isatty(made.descriptor.rawValue) == 1 {
      terminal = TerminalText()
    }
  }

  /// The values of the stored properties, before the output is initialized.
  private struct OpenedOutput {
    var descriptor: FileDescriptor
    var owns = true
    var temporary: FilePath?
    var target: FilePath
    var ticket: Int?
  }

  private static func make(
    _ path: String, _ removesLeftovers: Bool, _ calls: any SystemCalls
  ) throws(SystemError) -> OpenedOutput {
    if path == standardOutput {
      return OpenedOutput(descriptor: .standardOutput, owns: false, target: FilePath(path))
    }
    switch try OutputTarget(path, calls: calls) {
    case .descriptor(let number):
      return OpenedOutput(descriptor: FileDescriptor(rawValue: number), owns: false, target: FilePath(path))
    case .inPlace(let target):
      do throws(Errno) {
        // Not for reading too: a named pipe would be open before it has a reader, and what was written would be lost.
        return OpenedOutput(descriptor: try calls.open(target, .writeOnly, [], []), target: target)
      } catch {
        throw SystemError(.createOutput, path, error)
      }
    case .replaced(let target, let permissions):
      if removesLeftovers { Leftovers.remove(of: target, calls: calls) }
      return try make(path, replacing: target, permissions, calls)
    }
  }

  private static func make(
    _ path: String, replacing target: FilePath, _ permissions: FilePermissions?, _ calls: any SystemCalls
  ) throws(SystemError) -> OpenedOutput {
    let temporary = UnpublishedFiles.name(beside: target)
    let ticket = UnpublishedFiles.shared.add(temporary, calls: calls)
    do throws(Errno) {
      let descriptor = try calls.open(
        temporary, .readWrite, [.create, .exclusiveCreate],
        [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
      // The lock shows other processes, also those in other containers, that the file is in use and not a leftover. A
      // file system without locks does no harm.
      try? calls.lock(descriptor)
      // A private list stays private: the new file gets the permissions of the one it replaces.
      if let permissions { try? calls.setPermissions(descriptor, permissions) }
      return OpenedOutput(descriptor: descriptor, temporary: temporary, target: target, ticket: ticket)
    } catch {
      UnpublishedFiles.shared.remove(ticket)
      // When a link leads into a missing directory, the error names the destination: the link itself exists.
      let isLink = error == .noSuchFileOrDirectory && target != FilePath(path)
      throw SystemError(.createOutput, isLink ? target.string : path, error)
    }
  }

  deinit {
    if owns { try? calls.close(descriptor) }
    if let temporary, !isPublished { try? calls.unlink(temporary) }
    if let ticket { UnpublishedFiles.shared.remove(ticket) }
  }

  /// Writes all the bytes. On a terminal, control characters are escaped.
  package mutating func write(_ bytes: Span<UInt8>) throws(SystemError) {
    if let shown = terminal?.escape(bytes) { return try writeUnchanged(shown.span) }
    try writeUnchanged(bytes)
  }

  private func writeUnchanged(_ bytes: Span<UInt8>) throws(SystemError) {
    do throws(Errno) {
      try calls.writeAll(descriptor, bytes)
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
  }

  /// Writes a chunk's bytes.
  package mutating func write(_ chunk: borrowing ByteChunk) throws(SystemError) {
    try write(chunk.span)
  }

  /// Writes all the bytes at an offset, for a header that is known only at the end.
  package mutating func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SystemError) {
    do throws(Errno) {
      try calls.writeAll(descriptor, bytes, at: offset)
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
  }

  /// Reads bytes back into a chunk's free capacity, at most `limit` of them, and returns how many: 0 at the end.
  package mutating func read(
    into chunk: inout ByteChunk, at offset: Int64, limit: Int = .max
  ) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (buffer) throws(Errno) in
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit))
        return try unsafe calls.read(descriptor, at: offset, into: part)
      }
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
  }

  /// Renames the file to its final name.
  ///
  /// - Parameters:
  ///   - durably: whether to sync its bytes and then its name to the disk, so that a crash leaves the old file or the
  ///     whole new one.
  ///   - name: a path in the same directory, if the final name was not known when the file was made.
  package consuming func publish(durably: Bool = true, as name: String? = nil) throws(SystemError) {
    guard let temporary else {
      if let rest = terminal?.finish(), !rest.isEmpty { try writeUnchanged(rest.span) }
      return
    }
    do throws(Errno) {
      if durably { try calls.sync(descriptor) }
      try calls.rename(temporary, to: name.map { FilePath($0) } ?? target)
    } catch {
      throw SystemError(.publishOutput, path, error)
    }
    isPublished = true
    guard durably else { return }
    do throws(SystemError) {
      try Directory.sync(target.removingLastComponent().string, calls: calls)
    } catch {
      throw SystemError(.publishOutput, path, error.code)
    }
  }
}
