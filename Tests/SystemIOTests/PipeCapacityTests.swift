// A pipe holds a chunk, whichever end is opened first.

import SystemIO
import SystemPackage
import Testing

#if os(Linux)
  import Glibc

  @Suite("The capacity of pipes")
  struct PipeCapacityTests {
    @Test("an output raises it")
    func output() throws {
      let (reader, writer) = try FileDescriptor.pipe()
      defer { close(reader, writer) }
      _ = try OutputFile("/dev/fd/\(writer.rawValue)")
      #expect(PipeCapacity.of(reader) == PipeCapacity.bytesMin)
    }

    @Test("an input raises it, but does not lower it")
    func input() throws {
      let (reader, writer) = try FileDescriptor.pipe()
      defer { close(reader, writer) }
      _ = try InputFile("/dev/fd/\(reader.rawValue)")
      #expect(PipeCapacity.of(writer) == PipeCapacity.bytesMin)
      let larger = PipeCapacity.bytesMin * 2
      try #require(fcntl(writer.rawValue, 1031, CInt(larger)) == CInt(larger))
      _ = try InputFile("/dev/fd/\(reader.rawValue)")
      #expect(PipeCapacity.of(writer) == larger)
    }

    private func close(_ reader: FileDescriptor, _ writer: FileDescriptor) {
      try? reader.close()
      try? writer.close()
    }
  }
#endif
