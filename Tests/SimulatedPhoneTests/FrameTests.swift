// The messages between a phone and an extension's process: they are read as they were sent, and invalid ones are
// rejected.

#if os(Linux)

  import Testing

  @testable import SimulatedPhone

  private func body(_ frame: consuming FrameWriter) -> ContiguousArray<UInt8> {
    ContiguousArray(frame.finished().dropFirst(FrameWriter.headBytes))
  }

  private func sample() -> ChangeBatch {
    var batch = ChangeBatch(.identification, .add)
    for (place, label) in ["骚扰电话", "e\u{301}", "\u{e9}", "骚扰电话", "a"].enumerated() {
      batch.append(Int64(place) - 2, label: label)
    }
    return batch
  }

  @Suite("Messages of an extension's process")
  struct FrameTests {
    @Test("a batch is received as it was sent, its labels byte for byte")
    func batch() throws {
      let batch = sample()
      // Two encodings of an accented letter are two labels.
      #expect(batch.labels.count == 4)
      var frame = FrameWriter(.batch)
      frame.put(batch)
      var reader = FrameReader(body(frame))
      let batchRead = reader.batch()
      let read = try #require(batchRead)
      #expect(read == batch)
      #expect(reader.isAtEnd)
    }

    @Test(
      "failures are received as they were sent",
      arguments: [
        LoadError.directory(.extensionUnavailable), .database(19),
        .cancelled(Cancellation(domain: "Handler", code: -7)),
      ])
    func failure(_ failure: LoadError) {
      var frame = FrameWriter(.refused)
      frame.put(failure)
      var reader = FrameReader(body(frame))
      #expect(reader.failure() == failure)
    }

    @Test("a batch that is truncated, or too long, is rejected")
    func cut() {
      var frame = FrameWriter(.batch)
      frame.put(sample())
      let whole = body(frame)
      for count in 0..<whole.count {
        var reader = FrameReader(ContiguousArray(whole.prefix(count)))
        #expect(reader.batch() == nil, "\(count) bytes")
      }
      var reader = FrameReader(whole + [0])
      #expect(reader.batch() == nil)
    }

    @Test("changed bytes cause no trap")
    func changed() {
      var frame = FrameWriter(.batch)
      frame.put(sample())
      let whole = body(frame)
      var believed = 0
      for place in whole.indices {
        for value in [UInt8(0), 1, 0x7F, 0x80, 0xFF] {
          var bytes = whole
          bytes[place] = value
          var reader = FrameReader(bytes)
          guard let batch = reader.batch() else { continue }
          believed += 1
          #expect(
            batch.change == .remove || batch.kind == .blocking
              || batch.labelPlaces.allSatisfy {
                Int($0) < batch.labels.count
              })
        }
      }
      // Numbers and letters may have any value.
      #expect(believed > 0)
    }
  }

#endif
