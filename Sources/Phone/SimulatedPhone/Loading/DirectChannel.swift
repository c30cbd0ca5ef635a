// The connection between a phone and an extension in the same process.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The connection to a phone in the same process.
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
    // The request was dropped, so nothing can end it. A phone would wait for the time limit.
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
    // On iOS, an exception would end the process. Here, only the thread's work ends; Swift can't unwind, so the thread
    // stays suspended.
    while true { pause() }
  }
}
