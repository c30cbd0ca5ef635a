// `cdpipe simulate`

import ArgumentParser
import NumberPlan
import PhoneTools
import RecordStages
import Records
import SystemIO

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Simulate loading stores into an iPhone's Call Directory.",
    discussion: """
      Loads each store on a simulated phone by its own extension, in one request, and reports the entries by kind, the \
      batches, the error that iOS would return, and the approximate time on a phone. A manifest, or a directory with \
      one, stands for all of its shards.

      The exit status is 1 if a load fails.
      """)

  @Argument(
    help: ArgumentHelp(
      "A manifest, a directory with one, or stores; with --incremental, also deltas.",
      valueName: "manifest|store"), completion: .store)
  var inputs: [String]

  @Option(
    "Load this manifest, directory or store first, then only the changes since.", value: "from",
    completion: .store)
  var incremental: String?

  @Option(
    "Run each extension in its own process, and end it if it uses more memory than SIZE.", value: "size")
  var memoryLimit: ByteSize?

  @Option("Show how a call from this number is displayed. Can be repeated.", value: "number")
  var call: [String] = []

  @Option(
    "The region of numbers without a country calling code.", value: "cc", completion: .region,
    transform: Region.typed)
  var region: Region?

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    if inputs.isEmpty { throw ValidationError("Missing expected argument '<manifest|store> ...'") }
    #if !os(Linux)
      if memoryLimit != nil { throw ValidationError("--memory-limit is available only on Linux") }
    #endif
  }

  func run() throws {
    let reading = NumberLookup(region: region)
    var callers: [(text: String, number: Int64)] = []
    for text in call {
      do throws(NormalizeReject) {
        callers.append((text, Int64(clamping: try reading.number(text))))
      } catch {
        throw Failure.usage(ExplanationText.unreadable(text, error, region))
      }
    }
    Interruption.cleanUp()
    let extensions = try SimulatedExtension.all(of: inputs, from: incremental)
    let calls = callers.map { SimulatedCaller($0.text, $0.number, isNational: region != nil) }
    let simulation = try PhoneSimulation(watching: Set(calls.flatMap(\.numbers)), memoryLimit?.bytes)
    let report = try simulation.run(extensions, calls)
    if json {
      StandardOutput.print(SimulationText.json(report))
    } else {
      StandardOutput.print(SimulationText.lines(report))
    }
    for sentence in SimulationText.failures(report) { _ = Diagnostics.typed.end(sentence, ExitStatus.no) }
    if !report.loads { throw ExitStatus.no }
  }
}
