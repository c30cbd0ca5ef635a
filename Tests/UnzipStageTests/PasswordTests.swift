// Encrypted members: PKWARE's traditional encryption and WinZip's AES, and wrong passwords.

import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import InputStages

@Suite("encrypted members")
struct PasswordTests {
  static let rows = "b''.join(b'%d,label\\n' % (8613800000000 + i * 7919) for i in range(5000))"
  static let files = "files = [('a.csv', \(rows)), ('b.csv', b'last row')]\n"

  static let archives: [(String, String)] =
    (isInstalled("zip")
      ? [
        ("Info-ZIP", "out.write(made(files, 'zip', '-q', '-P', 'secret word', 'out.zip', 'a.csv', 'b.csv'))")
      ]
      : [])
    + (isInstalled("7zz", "7z")
      ? ["ZipCrypto", "AES128", "AES192", "AES256"].flatMap { method in
        ["Deflate", "Copy", "BZip2"].map { packing in
          (
            "7z \(method) \(packing)",
            """
            out.write(made(files, seven(), 'a', '-bso0', '-psecret word', '-mem=\(method)', '-mm=\(packing)',
                'out.zip', 'a.csv', 'b.csv'))
            """
          )
        }
      } : [])

  private func options(_ directory: TemporaryDirectory, _ text: String) throws -> UnzipOptions {
    let path = directory.path + "/password"
    try write(Array(text.utf8), to: path)
    var options = UnzipOptions()
    options.passwordFile = path
    return options
  }

  @Test("are unpacked with their password, the first line of a file", arguments: archives)
  func unpacked(name: String, program: String) throws {
    let bytes = try python(Self.files + program)
    let expected = try python(Self.files + "out.write(files[0][1] + files[1][1])")
    let directory = try TemporaryDirectory()
    for text in ["secret word", "secret word\n", "secret word\r\nand another line\n"] {
      let options = try options(directory, text)
      #expect(try unzip(bytes, options: options).bytes == expected, "\(name)")
    }
  }

  @Test("need a password, and are named before anything is written", arguments: archives)
  func none(name: String, program: String) throws {
    let bytes = try python(Self.files + program)
    let (outcome, count) = try outcome(bytes)
    #expect(outcome == .failed(.encrypted(name: "a.csv")) && count == 0)
  }

  @Test("with a wrong password no output is complete, and the member is named", arguments: archives)
  func wrong(name: String, program: String) throws {
    let bytes = try python(Self.files + program)
    let directory = try TemporaryDirectory()
    var detected = 0
    // The salts are random. The traditional encryption checks 8 bits of a password: of 300 wrong ones, each passes at
    // first with a chance of 1/256, and the chance that 50 do is below 1e-50. AES checks 16 bits, and is slow on purpose:
    // of 6 wrong passwords, the chance that 3 pass at first is below 20 / 65,536^3 < 1e-13.
    let (tries, missedMax) = name.contains("AES") ? (6, 2) : (300, 49)
    for number in 0..<tries {
      let options = try options(directory, "wrong \(number)\n")
      switch try outcome(bytes, options: options) {
      case (.failed(let failure), let count) where failure == zip(.wrongPassword(name: "a.csv")):
        detected += 1
        #expect(count == 0)
      case (.failed(let failure), _) where failure == zip(.wrongPasswordOrDamaged(name: "a.csv")): break
      case let other: Issue.record("\(name), password \(number): \(other)")
      }
    }
    #expect(tries - detected <= missedMax, "\(detected) of \(tries)")
  }

  @Test("a password file that can't be used is named")
  func passwordFile() throws {
    let directory = try TemporaryDirectory()
    let bytes = try python("out.write(archive([('a', b'not encrypted')]))")
    let path = directory.path + "/password"
    let empty = "its first line is empty"
    for (text, reason) in [
      ("", empty), ("\nsecret\n", empty), ("\r\n", empty),
      (String(repeating: "x", count: 1025), "its first line is longer than \(Figures.grouped(1024)) bytes"),
      ("a\0b\n", "its first line contains a zero byte"),
    ] {
      let options = try options(directory, text)
      let (outcome, count) = try outcome(bytes, options: options)
      #expect(outcome == .failed(.badPasswordFile(path: path, reason)) && count == 0)
    }
    let longest = try options(directory, String(repeating: "x", count: 1024) + "\r\nmore")
    #expect(try unzip(bytes, options: longest).text == "not encrypted")
    var options = UnzipOptions()
    options.passwordFile = path + ".none"
    do {
      _ = try unzip(bytes, options: options)
      Issue.record("it did not fail")
    } catch let failure as Failure {
      #expect(
        failure.systemError
          == SystemError(.openInput, path + ".none", .noSuchFileOrDirectory))
    }
  }

  @Test(
    "an unsupported encryption is refused with the member's name, before anything is written",
    arguments: [5, 6, 13])
  func unsupported(bit: Int) throws {
    let bytes = try python(
      """
      data = archive([('plain.txt', b'x'), ('odd', b'some bytes')])
      for place in (data.index(b'odd') - 30 + 6, data.rindex(b'odd') - 46 + 8):
          struct.pack_into('<H', data, place, 1 | 1 << \(bit))
      out.write(data)
      """)
    let (outcome, count) = try outcome(bytes)
    #expect(outcome == .failed(zip(.unsupportedEncryption(name: "odd"))) && count == 0)
  }
}
