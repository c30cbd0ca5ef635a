// The limits of one block's own label code, on the stack, so that lookups don't allocate memory.

import CallStoreFormat

/// The limits of a code, by code length.
@safe
struct CodeLimits: ~Copyable {
  private let lengths: UnsafeMutableBufferPointer<CodeLength>

  private init(_ lengths: UnsafeMutableBufferPointer<CodeLength>) {
    unsafe self.lengths = lengths
  }

  /// Calls `body` with limits that exist during the call.
  @inline(__always)
  static func withLimits<Result>(
    _ body: (borrowing CodeLimits) throws(BlockError) -> Result
  ) throws(BlockError) -> Result {
    try unsafe withUnsafeTemporaryAllocation(of: CodeLength.self, capacity: LabelLayout.codeLengthMax + 1) {
      (lengths) throws(BlockError) in
      unsafe lengths.initialize(repeating: CodeLength(limit: 0, toRank: 0))
      return try body(unsafe CodeLimits(lengths))
    }
  }

  /// Sets the limit of a length, 1 to ``LabelLayout/codeLengthMax``.
  func set(_ length: Int, limit: Int, toRank: Int) {
    precondition(length > 0 && length <= LabelLayout.codeLengthMax)
    unsafe lengths[length] = CodeLength(
      limit: UInt32(truncatingIfNeeded: limit), toRank: Int32(truncatingIfNeeded: toRank))
  }

  /// Reads the code at the start of a window, and returns its rank; `Int.max` if there is no such code.
  @inline(__always)
  func rank(_ window: UInt64, longest: Int, _ position: inout Int) -> Int {
    if longest == 0 { return 0 }
    precondition(longest <= LabelLayout.codeLengthMax)
    var length = 1
    while length <= longest {
      let code = Bits.top(window, length)
      // The precondition and the loop's condition keep the length inside the buffer.
      let known = unsafe lengths[length]
      if code < UInt64(known.limit) {
        position &+= length
        return Int(code) &+ Int(known.toRank)
      }
      length &+= 1
    }
    return Int.max
  }
}
