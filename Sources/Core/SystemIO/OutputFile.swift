// One output: standard output as `-`, or a file that is written beside its name and renamed into place, so
// that a reader sees the old file or the new one and nothing between.

public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An output that is written from front to back.
///
/// A file gets its name only by ``publish(durably:as:)``; dropped before that, nothing of it stays. Interrupted by a
/// signal, ``UnpublishedFiles`` removes it. What is no file of its own is written in place: a device, a pipe, and a
/// descriptor that this process was given, whatever stands behind it.
public struct OutputFile: ~Copyable {
  /// The name for standard output.
  public static let standardOutput = "-"

  /// The path as the user gave it; `-` for standard output.
  public let path: String

  /// The descriptor, for a library that wants one, as to verify what was written. It stays owned by this value.
  public let descriptor: FileDescriptor

  /// Whether the file was made for this output, and holds what was written and nothing else.
  public var isNew: Bool { beside != nil }

  private let calls: any SystemCalls
  private let owns: Bool
  private let beside: FilePath?
  /// What is replaced: the path, or what a symbolic link at the path names.
  private let target: FilePath
  private let ticket: Int?
  private var isPublished = false

  /// Makes the file beside `path`, or takes standard output for `-`. A path that names a device, a pipe or a descriptor
  /// (`/dev/stdout`, `/dev/fd/3`) is written in place; a symbolic link stays, and what it names is replaced, or made if it
  /// is not there.
  ///
  /// With `clearsUp`, what killed runs left of the same output goes first; that is for outputs in folders which nobody else
  /// clears up.
  public init(
    _ path: String, clearsUp: Bool = true, calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) {
    // Everything that can fail happens before the first property is set: with an early return and a throw between
    // the assignments, the optimizer of Swift 6.3.1 releases properties that were never set.
    let made = try Self.make(path, clearsUp, calls)
    self.path = path
    self.calls = calls
    descriptor = made.descriptor
    owns = made.owns
    beside = made.beside
    target = made.target
    ticket = made.ticket
  }

  private struct Made {
    var descriptor: FileDescriptor
    var owns = true
    var beside: FilePath?
    var target: FilePath
    var ticket: Int?
  }

  private static func make(
    _ path: String, _ clearsUp: Bool, _ calls: any SystemCalls
  ) throws(SystemError) -> Made {
    if path == standardOutput {
      return Made(descriptor: .standardOutput, owns: false, target: FilePath(path))
    }
    switch try OutputTarget(path) {
    case .descriptor(let number):
      return Made(descriptor: FileDescriptor(rawValue: number), owns: false, target: FilePath(path))
    case .inPlace(let target):
      do throws(Errno) {
        return Made(descriptor: try calls.open(target, .readWrite, [], []), target: target)
      } catch {
        throw SystemError(.createOutput, path, error)
      }
    case .replaced(let target, let permissions):
      if clearsUp { Leftovers.remove(of: target, calls: calls) }
      return try make(path, beside: target, permissions, calls)
    }
  }

  private static func make(
    _ path: String, beside target: FilePath, _ permissions: mode_t?, _ calls: any SystemCalls
  ) throws(SystemError) -> Made {
    let beside = UnpublishedFiles.name(beside: target)
    let ticket = UnpublishedFiles.shared.add(beside)
    do throws(Errno) {
      let descriptor = try calls.open(
        beside, .readWrite, [.create, .exclusiveCreate],
        [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
      // Who clears up sees by the lock that somebody is at it, from another container, too. Without locks nothing is lost.
      _ = flock(descriptor.rawValue, LOCK_EX | LOCK_NB)
      // A private list stays private: what replaces a file has its permissions.
      if let permissions { _ = fchmod(descriptor.rawValue, permissions) }
      return Made(descriptor: descriptor, beside: beside, target: target, ticket: ticket)
    } catch {
      UnpublishedFiles.shared.remove(ticket)
      // Where a link leads to a folder that is not there, the link's own name would explain nothing.
      let isLink = error == .noSuchFileOrDirectory && target != FilePath(path)
      throw SystemError(.createOutput, isLink ? target.string : path, error)
    }
  }

  deinit {
    if owns { try? calls.close(descriptor) }
    if let beside, !isPublished { try? calls.unlink(beside) }
    if let ticket { UnpublishedFiles.shared.remove(ticket) }
  }

  /// Writes all the bytes.
  public mutating func write(_ bytes: Span<UInt8>) throws(SystemError) {
    do throws(Errno) {
      try calls.writeAll(descriptor, bytes)
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
  }

  /// Writes a chunk's bytes.
  public mutating func write(_ chunk: borrowing ByteChunk) throws(SystemError) {
    try write(chunk.span)
  }

  /// Writes all the bytes at an offset, for a header that is known last.
  public mutating func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SystemError) {
    do throws(Errno) {
      try calls.writeAll(descriptor, bytes, at: offset)
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
  }

  /// Reads bytes back into a chunk's free room, and returns how many: 0 at the end.
  public mutating func read(into chunk: inout ByteChunk, at offset: Int64) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (room) throws(Errno) in
        unsafe try calls.read(descriptor, at: offset, into: room)
      }
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
  }

  /// Gives the file its name. With `durably`, its bytes and then its name are synced to the disk, so that a
  /// crash leaves the old file or the whole new one. A name in the same directory may be given that was not known
  /// at the beginning.
  public consuming func publish(durably: Bool = true, as name: String? = nil) throws(SystemError) {
    guard let beside else { return }
    do throws(Errno) {
      if durably { try calls.sync(descriptor) }
      try calls.rename(beside, to: name.map { FilePath($0) } ?? target)
    } catch {
      throw SystemError(.publishOutput, path, error)
    }
    isPublished = true
    if durably { try syncDirectory() }
  }

  private func syncDirectory() throws(SystemError) {
    let parent = target.removingLastComponent()
    do throws(Errno) {
      let directory = try calls.open(parent.isEmpty ? "." : parent, .readOnly, [.directory], [])
      defer { try? calls.close(directory) }
      try calls.sync(directory)
    } catch {
      throw SystemError(.publishOutput, path, error)
    }
  }
}

extension SystemCalls {
  /// Writes all the bytes, however many calls that takes.
  package func writeAll(_ file: FileDescriptor, _ bytes: Span<UInt8>) throws(Errno) {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(Errno) in
      var done = 0
      while done < buffer.count {
        done += try unsafe write(file, UnsafeRawBufferPointer(rebasing: buffer[done...]))
      }
    }
  }

  /// Writes all the bytes at an offset, however many calls that takes.
  package func writeAll(_ file: FileDescriptor, _ bytes: Span<UInt8>, at offset: Int64) throws(Errno) {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(Errno) in
      var done = 0
      while done < buffer.count {
        done += try unsafe write(
          file, at: offset + Int64(done), UnsafeRawBufferPointer(rebasing: buffer[done...]))
      }
    }
  }
}
