// Assertions about an input. Unlike preconditions, they print their message in optimised code.

/// Ends the program with a message if the claim is false; libFuzzer reports this as a crash.
public func claim(_ holds: Bool, _ message: @autoclosure () -> String) {
  if !holds { fatalError(message()) }
}
