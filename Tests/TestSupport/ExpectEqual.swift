// Expectations about values that can't be copied: `#expect` splits its expression and copies the parts.

public import Testing

/// Expects two values to be equal.
public func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, comment(), sourceLocation: sourceLocation)
}

/// Expects a condition to hold.
public func expectTrue(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(condition, comment(), sourceLocation: sourceLocation)
}
