// An extension that runs in this process: its request calls the phone.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The way to a phone in the same process.
final class DirectChannel: LoadChannel {
  private let phone: SimulatedPhone
  private let load: LoadNumber
  private let ending: OneAnswer<LoadEnding>
  let life: RequestLife

  init(
    _ phone: SimulatedPhone, _ load: LoadNumber, _ ending: OneAnswer<LoadEnding>, _ life: RequestLife
  ) {
    self.phone = phone
    self.load = load
    self.ending = ending
    self.life = life
  }

  deinit {
    // Nobody is left who could end the request. A phone would wait for its time to run out.
    ending.give(.interrupted(.timeLimit))
  }

  func askIncremental() -> Bool { phone.askIncremental(load) }

  func send(_ batch: ChangeBatch) {
    if let failure = phone.apply(batch, load) { ending.give(.refused(failure)) }
  }

  func removeAll(_ kind: EntryKind) {
    if let failure = phone.removeAll(kind, load) { ending.give(.refused(failure)) }
  }

  func complete(dropped: Int) -> Bool {
    switch phone.finish(load, dropped: dropped) {
    case .expired: return true
    case .taken: return !ending.give(.completed)
    case .refused(let failure):
      ending.give(.refused(failure))
      return true
    }
  }

  func cancel(_ reason: Cancellation) {
    ending.give(.cancelled(reason))
  }

  func crash(_ misuse: LoadRequestError) -> Never {
    ending.give(.interrupted(.exception(misuse)))
    // An exception would end the process; here it ends the thread's work. Swift can't unwind, so the thread stays.
    while true { pause() }
  }
}
