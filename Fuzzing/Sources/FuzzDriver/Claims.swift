// What must be true of an input. Not preconditions: those keep their message to themselves in optimised code.

/// Ends the program with a message, which libFuzzer reports as a crash, unless the claim holds.
public func claim(_ holds: Bool, _ message: @autoclosure () -> String) {
  if !holds { fatalError(message()) }
}
