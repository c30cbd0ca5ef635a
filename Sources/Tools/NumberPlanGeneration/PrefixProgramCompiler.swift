// Compiles a pattern with capturing groups to a backtracking program of 16-bit words, which NumberPlan executes with
// exactly Java's choices. Not for patterns without groups, for which an automaton is faster.

/// The words of a program. The four high bits are the operation, the rest its operand; the operand of `split` and
/// `jump` is relative to the program's start.
enum ProgramWord {
  static let digit: UInt16 = 0x0000
  static let split: UInt16 = 0x1000
  static let jump: UInt16 = 0x2000
  static let save: UInt16 = 0x3000
  static let end: UInt16 = 0x4000
  static let match: UInt16 = 0x5000
  static let operandMax = 0x0FFF
}

/// Compiles `pattern`. Throws if the program is longer than an operand can address.
func compileProgram(_ pattern: MetadataPattern) throws -> [UInt16] {
  var words: [UInt16] = []
  emit(pattern, into: &words)
  words.append(ProgramWord.match)
  guard words.count <= ProgramWord.operandMax else {
    throw GenerationError(
      "a national prefix compiles to \(words.count) words, more than \(ProgramWord.operandMax)")
  }
  return words
}

/// The number of groups that `pattern` captures.
func groupCount(_ pattern: MetadataPattern) -> Int {
  switch pattern {
  case .digit, .end: 0
  case .sequence(let parts), .alternatives(let parts): parts.map(groupCount).max() ?? 0
  case .repeated(let part, _, _): groupCount(part)
  case .group(let number, let part): max(number, groupCount(part))
  }
}

/// The number of digits in the longest match.
func longestMatch(_ pattern: MetadataPattern) -> Int {
  switch pattern {
  case .digit: 1
  case .end: 0
  case .sequence(let parts): parts.reduce(0) { $0 + longestMatch($1) }
  case .alternatives(let branches): branches.map(longestMatch).max() ?? 0
  case .repeated(let part, _, let maximum): maximum * longestMatch(part)
  case .group(_, let part): longestMatch(part)
  }
}

/// The number of digits in the longest match of the group `number`; 0 if there is no such group.
func longestMatch(ofGroup number: Int, in pattern: MetadataPattern) -> Int {
  switch pattern {
  case .digit, .end: 0
  case .sequence(let parts), .alternatives(let parts):
    parts.map { longestMatch(ofGroup: number, in: $0) }.max() ?? 0
  case .repeated(let part, _, _): longestMatch(ofGroup: number, in: part)
  case .group(let own, let part): own == number ? longestMatch(part) : longestMatch(ofGroup: number, in: part)
  }
}

/// The digits with which only branches without a group start: a prefix that starts with one of them captures nothing.
func capturelessDigits(_ pattern: MetadataPattern) -> UInt16 {
  guard case .alternatives(let branches) = pattern else { return 0 }
  let capturing = branches.filter { groupCount($0) > 0 }.reduce(0) { $0 | firstDigits($1) }
  let others = branches.filter { groupCount($0) == 0 }.reduce(0) { $0 | firstDigits($1) }
  return others & ~capturing & 0x3FF
}

// The digits with which a match can start; bit 10 is set if it can be empty.
private func firstDigits(_ pattern: MetadataPattern) -> UInt16 {
  let empty: UInt16 = 1 << 10
  switch pattern {
  case .digit(let set): return set
  case .end: return empty
  case .group(_, let part): return firstDigits(part)
  case .alternatives(let branches): return branches.reduce(0) { $0 | firstDigits($1) }
  case .repeated(let part, let minimum, _): return firstDigits(part) | (minimum == 0 ? empty : 0)
  case .sequence(let parts):
    var result: UInt16 = empty
    for part in parts where result & empty != 0 { result = (result & ~empty) | firstDigits(part) }
    return result
  }
}

private func emit(_ pattern: MetadataPattern, into words: inout [UInt16]) {
  switch pattern {
  case .digit(let set):
    words.append(ProgramWord.digit | set)
  case .end:
    words.append(ProgramWord.end)
  case .sequence(let parts):
    for part in parts { emit(part, into: &words) }
  case .group(let number, let part):
    words.append(ProgramWord.save | UInt16(number * 2 - 2))
    emit(part, into: &words)
    words.append(ProgramWord.save | UInt16(number * 2 - 1))
  case .alternatives(let branches):
    var jumps: [Int] = []
    for branch in branches.dropLast() {
      let split = words.count
      words.append(ProgramWord.split)
      emit(branch, into: &words)
      jumps.append(words.count)
      words.append(ProgramWord.jump)
      words[split] |= operand(words.count)
    }
    emit(branches[branches.count - 1], into: &words)
    for jump in jumps { words[jump] |= operand(words.count) }
  case .repeated(let part, let minimum, let maximum):
    for _ in 0..<minimum { emit(part, into: &words) }
    var splits: [Int] = []
    for _ in minimum..<maximum {
      splits.append(words.count)
      words.append(ProgramWord.split)
      emit(part, into: &words)
    }
    for split in splits { words[split] |= operand(words.count) }
  }
}

// An address that is too large is rejected at the end of compileProgram; until then it must only fit.
private func operand(_ address: Int) -> UInt16 { UInt16(min(address, ProgramWord.operandMax)) }
