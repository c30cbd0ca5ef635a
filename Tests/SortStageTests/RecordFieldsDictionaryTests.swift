// The record fields with IDs: until the dictionary is full, and after thousands of misses.

import Records
import Testing

@testable import RecordStages

@Suite("RecordFieldsDictionary")
struct RecordFieldsDictionaryTests {
  private static func label(_ index: Int) -> [UInt8] { Array("label \(index)".utf8) }

  @Test("a full dictionary still finds its entries, after thousands that it does not have")
  func full() {
    var dictionary = RecordFieldsDictionary()
    let most = RecordFieldsDictionary.countMax
    var areInOrder = true
    for index in 0..<most {
      areInOrder = dictionary.id(of: Self.label(index).span) == UInt32(index) && areInOrder
    }
    #expect(areInOrder && dictionary.count == most)
    for index in [0, 17, most - 1] {
      #expect(dictionary.id(of: Self.label(most + index).span) == RecordFieldsDictionary.absent)
      #expect(dictionary.id(of: Self.label(index).span) == UInt32(index))
    }
    var absent = 0
    for index in most..<most + 20_000
    where dictionary.id(of: Self.label(index).span) == RecordFieldsDictionary.absent {
      absent += 1
    }
    #expect(absent == 20_000)
    // An entry may not be found for some time, but never gets another entry's ID.
    var asked = 0
    while asked < 100, dictionary.id(of: Self.label(17).span) == RecordFieldsDictionary.absent { asked += 1 }
    #expect(asked < 100)
    for index in 0..<100 { #expect(dictionary.id(of: Self.label(index).span) == UInt32(index)) }
  }
}
