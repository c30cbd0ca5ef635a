// Numbers that begin alike are read alike: what the rules made of one text of plain digits tells what they make of the
// next that agrees with it in length and in the digits that decided. Most rows of a list are read here, in a tenth of the
// time that the rules take.
//
// Nothing is known beforehand, and nothing is guessed: NumberReading reads the first text of each beginning, and says
// which digits it did not look at (UnseenDigits). Not for anything but digits, nor for rejects.

import BasicContainers
import CallRecord
import NumberPlan

/// What texts of 8 to 15 ASCII digits, perhaps behind a plus sign, are read as under fixed options: for every length
/// and every beginning of six digits what the number is more or less than the digits.
///
/// To take digits off in front and to put a calling code there is to add, for a given beginning and length, always
/// the same.
struct PrefixCache: ~Copyable {
  /// A beginning's place: the group of its first three digits, and the other three.
  private struct Place {
    var group: Int
    var rest: Int
  }

  private static let lengthMin = Decimal.wholeDigitsMin
  private static let lengthMax = PhoneNumber.digitsMax
  /// The digits of a beginning: calling code and what tells a kind of number behind it. More would be known of fewer
  /// texts at a time.
  private static let digits = 6
  private static let groupDigitsReach = 1000
  /// Groups for each three digits: one for each length, twice, with and without a plus sign.
  private static let groupsPerHead = 16
  /// Groups that can have known beginnings, 1,000 bytes each. One country's numbers need a few for each length; of a list
  /// from all over the world the rest is read by the rules.
  private static let groupsMax = 128
  /// What an answer can be besides a place in `shifts`: not read yet, or to be read each time.
  private static let unknown: UInt8 = 0
  private static let open: UInt8 = 1
  /// Different shifts; a region has one for each length and way of writing a number.
  private static let shiftsMax = 250

  private let reading: NumberReading
  /// By first three digits, plus sign and length: which thousand of `answers` is theirs; 0 for the empty one.
  private var groups = RigidArray<UInt8>(repeating: 0, count: groupDigitsReach * groupsPerHead)
  /// By group and second three digits: the shift's place.
  private var answers = RigidArray<UInt8>(capacity: (groupsMax + 1) * groupDigitsReach)
  /// What is added to the digits, wrapping around.
  private var shifts = RigidArray<UInt64>(capacity: shiftsMax)
  /// By length, from ``lengthMin`` on.
  private var behind = RigidArray<Decimal.TailFactors>(capacity: lengthMax - lengthMin + 1)

  init(_ reading: NumberReading) {
    self.reading = reading
    // The first thousand is everybody's who has none, and stays unknown.
    for _ in 0..<Self.groupDigitsReach { answers.append(Self.unknown) }
    shifts.append(0)
    shifts.append(0)
    for length in Self.lengthMin...Self.lengthMax { behind.append(Decimal.TailFactors(count: length)) }
  }

  /// Reads the texts of rows from `row` on, as many as begin in a known way, and appends their numbers. Returns the first
  /// row that it did not read.
  ///
  /// - Complexity: O(rows read), some ninety instructions each.
  borrowing func read(
    _ rows: borrowing RawRowBatch, from row: Int, into numbers: inout RigidArray<UInt64>
  ) -> Int {
    precondition(row >= 0)
    let texts = unsafe rows.allTexts.bytes
    let ends = rows.allTextEnds
    let behind = behind.span
    let groups = groups.span
    let answers = answers.span
    let shifts = shifts.span
    var row = row
    var start = row == 0 ? 0 : Int(ends[row - 1])
    numbers.append(addingCount: ends.count - row) { output in
      while row < ends.count {
        let end = Int(ends[row])
        guard let (place, value) = Self.place(texts, start, end, behind) else { break }
        // Six digits are below a million, `remember` gives a group its thousand answers, and an answer its shift.
        let group = unsafe Int(groups[unchecked: place.group])
        let answer = unsafe answers[unchecked: group &* Self.groupDigitsReach &+ place.rest]
        if answer <= Self.open { break }
        output.append(unsafe value &+ shifts[unchecked: Int(answer)])
        start = end
        row &+= 1
      }
    }
    return row
  }

  /// Reads one text by the rules, and remembers how it begins. Throws why it is no number.
  mutating func read(_ text: Span<UInt8>) throws(NormalizeReject) -> UInt64 {
    let texts = unsafe text.bytes
    guard let (place, value) = Self.place(texts, 0, text.count, behind.span) else {
      return try reading.read(text)
    }
    let answer = answers[Int(groups[place.group]) * Self.groupDigitsReach + place.rest]
    if answer == Self.open { return try reading.read(text) }
    if answer > Self.open { return value &+ shifts[Int(answer)] }
    var unseen = UnseenDigits()
    let number = try reading.read(text, &unseen)
    let hasPlus = text[0] == UInt8(ascii: "+")
    let count = hasPlus ? text.count - 1 : text.count
    remember(place, isDecided: unseen.count >= count - Self.digits && number != 0, number &- value)
    return number
  }

  private mutating func remember(_ place: Place, isDecided: Bool, _ shift: UInt64) {
    if groups[place.group] == 0 {
      guard answers.freeCapacity >= Self.groupDigitsReach else { return }
      groups[place.group] = UInt8(answers.count / Self.groupDigitsReach)
      for _ in 0..<Self.groupDigitsReach { answers.append(Self.unknown) }
    }
    var answer = Self.open
    if isDecided {
      var index = Int(Self.open) + 1
      while index < shifts.count, shifts[index] != shift { index += 1 }
      if index == shifts.count, shifts.freeCapacity > 0 { shifts.append(shift) }
      if index < shifts.count { answer = UInt8(index) }
    }
    answers[Int(groups[place.group]) * Self.groupDigitsReach + place.rest] = answer
  }

  /// The place of the text from `start` to `end`, and its digits as a number; nil when it is not of the usual form.
  @inline(__always)
  private static func place(
    _ texts: RawSpan, _ start: Int, _ end: Int, _ behind: Span<Decimal.TailFactors>
  ) -> (place: Place, value: UInt64)? {
    // From here on every byte from `start` to `end` is known to be there, and eight of them at least.
    guard start >= 0, end <= texts.byteCount, end &- start >= lengthMin else { return nil }
    let first = unsafe texts.unsafeLoad(fromUncheckedByteOffset: start, as: UInt8.self)
    let plus = first == UInt8(ascii: "+") ? 1 : 0
    let count = end &- start &- plus
    guard count >= lengthMin, count <= lengthMax,
      let (eight, all) = unsafe Decimal.readWhole(
        texts, from: start &+ plus, count: count, behind[unchecked: count &- lengthMin])
    else { return nil }
    // Eight digits fit 32 bits, in which dividing is one multiplication.
    let beginning = Int(UInt32(truncatingIfNeeded: eight) / 100)
    let head = Int(UInt32(truncatingIfNeeded: eight) / 100_000)
    let group = head &* groupsPerHead &+ (count &- lengthMin) &* 2 &+ plus
    return (Place(group: group, rest: beginning &- head &* groupDigitsReach), all)
  }
}
