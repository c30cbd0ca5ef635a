// Every call on the disk fails once, at every place: `current` is a whole version, old or new, and the next run puts all right.

import EmitStage
import PipeStage
import Publishing
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Publishing with faults")
struct FaultTests {
  @Test(
    "a call that fails leaves the old version or the new one, whole", .timeLimit(.minutes(5)),
    arguments: FailingCalls.Call.allCases)
  func faults(call: FailingCalls.Call) throws {
    var number = 0
    var failures = 0
    while true {
      number += 1
      let place = try Place()
      let old = try publish(numbers(10), place.options).version
      let calls = FailingCalls(call, at: number, .fails(number % 2 == 0 ? .noSpace : .ioError))
      var new: String?
      let failure = pipeFailure { () throws(PipeFailure) in
        new = try publish(numbers(20), place.options, calls: calls).version
      }
      if calls.count(of: call) < number { break }
      let current = try #require(place.folder.currentVersion, "\(call) \(number): nothing is current")
      _ = try place.content(current)
      #expect(try ShardDirectory(place.folder.directory).entries == (current == old ? 10 : 20))
      if failure == nil { #expect(current == new) } else { failures += 1 }
      #expect(calls.openFiles == 0, "\(call) \(number)")
      // The next run.
      let next = try publish(numbers(20), place.options)
      #expect(place.folder.currentVersion == next.version)
      #expect(try place.content(next.version) == place.content(place.folder.currentVersion ?? ""))
      #expect(try place.leftovers().isEmpty, "\(call) \(number)")
      #expect(try place.versions() == [old, next.version], "\(call) \(number)")
      #expect(number < 1000)
      if number >= 1000 { break }
    }
    // What is closed or removed in vain does no harm; everything else must be seen.
    if [.open, .write, .sync, .rename, .read].contains(call) { #expect(failures > 0, "\(call)") }
  }

  @Test("a run that ends at any step is one that can be gone on from", arguments: PublishStep.allCases)
  func steps(step: PublishStep) throws {
    // A dead run's folder as it was at the step, without the dying: a copy.
    let place = try Place()
    let old = try publish(numbers(10), place.options).version
    let copy = try Place()
    var copied: String?
    let new = try publish(numbers(20), place.options) { reached in
      guard reached == step else { return }
      copied = Copy.tree(place.folder.directory, copy.folder.directory)
    }
    if step == .fetched { return }
    try #require(copied == nil, "\(copied ?? "")")
    let current = try #require(copy.folder.currentVersion)
    _ = try copy.content(current)
    let isNew = [PublishStep.current, .durable, .noted, .pruned].contains(step)
    #expect(current == (isNew ? new.version : old))
    #expect(try publish(numbers(30), copy.options).isPublished)
    #expect(try copy.leftovers().isEmpty)
    #expect(try copy.versions().count == (isNew ? 3 : 2))
  }
}

/// A folder copied as a crash would leave it.
enum Copy {
  /// Copies a folder with its links; says what went wrong, or nil.
  static func tree(_ from: String, _ to: String) -> String? {
    do {
      try Directory.make(to)
      for name in try Directory.names(from) {
        let (source, target) = (from + "/" + name, to + "/" + name)
        if let link = SymbolicLink.destination(of: source) {
          try SymbolicLink.replace(target, by: link, calls: KernelCalls())
        } else if Directory.holdsFile(source) {
          try SecondName.copy(source, target, calls: KernelCalls())
        } else if let trouble = tree(source, target) {
          return trouble
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }
}
