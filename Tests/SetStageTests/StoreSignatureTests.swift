// Stages that read text recognise stores by the first bytes that stores have.

import Records
import StoreWriting
import Testing

@Suite("the signature of stores")
struct StoreSignatureTests {
  @Test("is the one that stages which read text know")
  func signature() {
    let magic = StoreRecords.magic
    let content = BinaryContent(magic.span)
    #expect(content == .store)
    #expect(BinaryContent.store.signature.compactMap { $0 } == StoreRecords.magic)
  }
}
