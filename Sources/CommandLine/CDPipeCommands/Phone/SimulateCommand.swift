// `cdpipe simulate`

import ArgumentParser
import NormalizeStage
import NumberPlan
import SystemIO

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Load stores as an iPhone would, and say what it would say.",
    discussion: """
      Each store is loaded by an extension of its own, in one request, on a simulated phone: entries by kind, batches, \
      the error that iOS would answer, and about how long a phone would need. A manifest, or a directory with one, \
      stands for all of its shards.

        cdpipe simulate out/korea --call 827012345678
        cdpipe simulate --incremental out/monday out/tuesday
        cdpipe simulate --incremental old.cdstore 1.cddelta 2.cddelta

      Exit status 1 when something would not load.
      """)

  @Argument(
    help: ArgumentHelp(
      "A manifest, a directory with one, or stores; with --incremental also deltas.",
      valueName: "manifest|store"))
  var inputs: [String]

  @Option(
    help: ArgumentHelp(
      "Load this manifest, directory or store first, and then only what has changed since.", valueName: "from"
    ))
  var incremental: String?

  @Option(
    help: ArgumentHelp(
      "Run each extension in a process of its own, and end it when it holds more memory.", valueName: "size"))
  var memoryLimit: ByteSize?

  @Option(
    help: ArgumentHelp(
      "Say what a call from this number shows; may be given several times.", valueName: "number"))
  var call: [String] = []

  @Option(
    help: ArgumentHelp("The region of numbers without a country code.", valueName: "cc"),
    transform: Region.typed)
  var region: Region?

  @Flag(help: "As a JSON object.")
  var json = false

  func validate() throws {
    if inputs.isEmpty { throw ValidationError("Missing expected argument '<manifest|store> ...'") }
    #if !os(Linux)
      if memoryLimit != nil { throw ValidationError("--memory-limit needs /proc, which only Linux has") }
    #endif
  }

  func run() throws {
    let voice = Diagnostics(command: "simulate")
    let reading = NumberLookup(region: region)
    var callers: [(text: String, number: Int64)] = []
    for text in call {
      do throws(NormalizeReject) {
        callers.append((text, Int64(clamping: try reading.number(text))))
      } catch {
        throw voice.end(NumberMessages.unreadable(text, error, region), Status.usage)
      }
    }
    Interruption.cleanUp()
    let report: SimulationReport
    do throws(SimulationError) {
      let extensions = try SimulatedExtension.all(of: inputs, from: incremental)
      let calls = callers.map { SimulatedCaller($0.text, $0.number, isNational: region != nil) }
      let simulation = try PhoneSimulation(watching: Set(calls.flatMap(\.numbers)), memoryLimit?.bytes)
      report = try simulation.run(extensions, calls)
    } catch {
      throw voice.end(PhoneMessages.sentence(error), PhoneMessages.status(error))
    }
    if json { print(try report.json()) } else { report.show() }
    for sentence in report.refusals { _ = voice.end(sentence, Status.no) }
    if !report.loads { throw Status.no }
  }
}
