// A buffer for the limits of one block's own label code, so that lookups don't allocate memory.

import CallStoreFormat

/// The limits of a code, by code length. They are written through a borrowed store, which is why a store belongs to one
/// thread at a time.
@safe
struct CodeLimits: ~Copyable {
  private let lengths: UnsafeMutableBufferPointer<CodeLength>

  init() {
    unsafe lengths = .allocate(capacity: LabelLayout.codeLengthMax + 1)
    unsafe lengths.initialize(repeating: CodeLength(limit: 0, toRank: 0))
  }

  deinit { unsafe lengths.deallocate() }

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
