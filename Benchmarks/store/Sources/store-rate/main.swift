// Measures the speed of reading a store in each way, and prints one line of JSON.
//
//   store-rate STORE [ROUNDS]
//
// entries_per_second: every entry of both kinds, in batches, the best round. hit_ns, miss_ns: a lookup of a present
// number and of a number that is most likely absent, in random order, the best round. The store was read before, so
// nothing is read from disk. Times are CPU times, so other processes have little effect.
//
// Not for comparing builds precisely: use callgrind's instruction counts.

import CallStoreFormat
import CallStoreReader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lookups per round.
let lookupsMax = 500_000

/// SplitMix64 (S. Vigna), from a fixed seed: each run looks up the same numbers.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64 = 20_240_601

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The CPU time of the process in seconds.
func processorSeconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
  let start = processorSeconds()
  try body()
  return processorSeconds() - start
}

func readAll(_ store: borrowing CallStore) throws -> (entries: Int, sum: UInt64) {
  var cursor = StoreCursor(store)
  var batch = StoreBatch()
  var result = (entries: 0, sum: UInt64(0))
  while try cursor.nextEntries(of: store, into: &batch) {
    result.entries += batch.count
    result.sum &+= batch.firsts[0] &+ batch.firsts[batch.count - 1]
  }
  return result
}

/// Returns numbers of the store, evenly distributed, in random order.
func sample(_ store: borrowing CallStore, _ random: inout SeededRandom) throws -> [UInt64] {
  var cursor = StoreCursor(store)
  var batch = StoreBatch()
  var numbers: [UInt64] = []
  let all = StoreKind.allCases.reduce(0) { $0 + Int(clamping: store.recordCount(of: $1)) }
  let stride = max(1, all / lookupsMax)
  var skip = 0
  while try cursor.nextRecords(of: store, into: &batch) {
    for index in 0..<batch.count {
      if skip == 0 { numbers.append(batch.firsts[index]) }
      skip = (skip + 1) % stride
    }
  }
  numbers.shuffle(using: &random)
  return numbers
}

func lookUp(_ numbers: [UInt64], _ store: borrowing CallStore) throws -> Int {
  var found = 0
  for number in numbers where try store.record(of: number) != nil { found += 1 }
  return found
}

func best(_ rounds: Int, _ body: () throws -> Void) rethrows -> Double {
  var best = Double.infinity
  for _ in 0..<rounds { best = min(best, try seconds(body)) }
  return best
}

guard CommandLine.arguments.count > 1 else {
  print("usage: store-rate STORE [ROUNDS]")
  exit(64)
}
let rounds = CommandLine.arguments.count > 2 ? max(1, Int(CommandLine.arguments[2]) ?? 5) : 5
let store = try CallStore(path: CommandLine.arguments[1])
var random = SeededRandom()
let (entries, sum) = try readAll(store)
let present = try sample(store, &random)
let span = (store.firstNumber ?? 1)...(store.lastNumber ?? 1)
let drawn = present.map { _ in UInt64.random(in: span, using: &random) }
let reading = try best(rounds) {
  let again = try readAll(store)
  precondition(again.entries == entries && again.sum == sum)
}
var found = 0
let hits = try best(rounds) { found = try lookUp(present, store) }
precondition(found == present.count, "every number of the store is found")
let misses = try best(rounds) { found = try lookUp(drawn, store) }
func shown(_ value: Double) -> String { "\(Int(value.rounded()))" }
print(
  "{\"entries\": \(entries), \"bytes\": \(store.byteCount), \"entries_per_second\": \(shown(Double(entries) / reading)),",
  "\"hit_ns\": \(shown(hits * 1e9 / Double(present.count))),",
  "\"miss_ns\": \(shown(misses * 1e9 / Double(drawn.count))), \"found_of_drawn\": \(found)}")
