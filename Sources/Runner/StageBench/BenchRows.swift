// Synthetic rows for benchmarks, determined by a shape and a seed.
//
// Row n depends only on the seed and n, so nothing is stored.

package enum BenchShape: String, CaseIterable, Sendable {
  /// Chinese numbers with twenty labels, as in community lists; one in ten occurs twice.
  case seed
  /// The same in ascending order.
  case sorted
  /// Numbers as people write them: trunk zeros, plus signs, spaces, dashes; one in a hundred is not a number.
  case mixed
  /// Each number four times, with different labels.
  case duplicates
  case labels
  /// Ranges and patterns of a hundred numbers, and single numbers between them.
  case ranges
}

package struct BenchRows {
  /// The value of `--region` for `normalize`.
  package static let region = "CN"

  package let shape: BenchShape
  /// The seed: the same seed generates the same rows.
  package let seed: UInt64
  package let count: UInt64

  /// Describes the rows. The same shape, seed and count generate the same rows.
  package init(shape: BenchShape, seed: UInt64, count: UInt64) {
    self.shape = shape
    self.seed = seed
    self.count = count
  }

  private static let labels = [
    "骚扰电话", "诈骗电话", "广告推销", "房产中介", "快递送餐", "保险理财", "疑似欺诈", "出租车", "教育培训", "招聘猎头",
    "贷款理财", "装修建材", "售后服务", "违法行为", "响一声", "客服电话", "医疗推广", "代开发票", "其他骚扰", "公共服务",
  ]
  /// The operators' prefixes: each is followed by eight digits.
  private static let operators: [UInt64] = [
    130, 131, 132, 133, 135, 136, 137, 138, 139, 150, 151, 152, 155, 157, 158, 159, 170, 176, 177, 178, 180,
    181, 185, 186, 187, 188, 189, 198, 199,
  ]

  /// The mixing function of Steele, Lea and Flood: a pseudo-random value for each row and draw.
  private func lot(_ row: UInt64, _ draw: UInt64) -> UInt64 {
    var word = seed &+ (row &* 8 &+ draw &+ 1) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// A mobile number of eleven digits, without the calling code.
  private func mobile(_ row: UInt64) -> UInt64 {
    let value = lot(row, 0)
    let prefix = Self.operators[Int(value % UInt64(Self.operators.count))]
    return prefix * 100_000_000 + (value >> 16) % 100_000_000
  }

  private func label(_ row: UInt64) -> String { Self.labels[Int(lot(row, 1) % UInt64(Self.labels.count))] }

  /// Appends a row: a line of the list.
  package func append(_ row: UInt64, to text: inout [UInt8]) {
    let (number, label) = fields(row)
    text.append(contentsOf: "{\"".utf8)
    text.append(contentsOf: number.utf8)
    text.append(contentsOf: "\": \"".utf8)
    text.append(contentsOf: label.utf8)
    text.append(contentsOf: "\"},\n".utf8)
  }

  private func fields(_ row: UInt64) -> (number: String, label: String) {
    switch shape {
    case .seed:
      // One in ten repeats the number of an earlier row, with the same label or another one.
      let again = row > 0 && lot(row, 2) % 10 == 0
      return ("86\(mobile(again ? lot(row, 3) % row : row))", label(row))
    case .sorted:
      return ("\(8_613_000_000_000 + row * 7 + lot(row, 0) % 7)", label(row))
    case .mixed:
      return (written(mobile(row), lot(row, 2)), label(row))
    case .duplicates:
      return ("86\(mobile(row / 4 * 7919 % (count / 4 + 1)))", label(row))
    case .labels:
      return ("86\(mobile(row))", "\(label(row)) \(row)")
    case .ranges:
      // Blocks of two hundred numbers; a range is the first half of a block.
      let block = lot(row, 0) % 400_000_000
      let first = 8_613_000_000_000 + block * 200
      switch lot(row, 2) % 4 {
      case 0: return ("\(first / 100)##", label(row))
      case 1: return ("\(first)..\(first + 99)", label(row))
      default: return ("\(first + 100 + lot(row, 3) % 100)", label(row))
      }
    }
  }

  private func written(_ number: UInt64, _ lot: UInt64) -> String {
    let digits = String(number)
    let (a, b, c) = (digits.prefix(3), digits.dropFirst(3).prefix(4), digits.suffix(4))
    switch lot % 100 {
    case 0: return "\(a)"
    case 1..<25: return "\(a) \(b) \(c)"
    case 25..<50: return "+86 \(a)-\(b)-\(c)"
    case 50..<65: return "0\(digits)"
    case 65..<80: return "0755-\(b)\(c)"
    default: return digits
    }
  }
}
