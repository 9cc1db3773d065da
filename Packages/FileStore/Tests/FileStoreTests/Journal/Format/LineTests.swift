import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import FileStore
@testable import StoreProtocolTesting

@Suite struct `The lines of a journal` {
  @Test func `The lines of a journal have the checksum that RFC 3720 gives`() {
    func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CRC32C.checksum($0) } }
    #expect(checksum(Array("123456789".utf8)) == 0xe306_9283)
    #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8a91_36aa)
    #expect(checksum([UInt8](repeating: 0xff, count: 32)) == 0x62a8_ab43)
    #expect(checksum(Array(0..<32)) == 0x46dd_794e)
    #expect(checksum([]) == 0)
  }

  @Test func `The lines of a journal have the same checksum on a processor without an instruction for it`() {
    var random = RandomSource(seed: 41)
    for count in Array(0...70) + [255, 1_000, 4_099] {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      bytes.withUnsafeBytes { #expect(CRC32C.checksum($0) == CRC32C.checksumByTables($0), "\(count) bytes") }
    }
  }

  @Test(arguments: ["Person", "", "a\"b\\c", "\0\u{1}\n\r\t\u{7f}", "../../x", "👩‍👩‍👧", "é", "e\u{301}", "\u{2028}"])
  func `The lines of a journal give any type and identifier back byte by byte`(text: String) throws {
    var encoder = LineEncoder()
    let value = Array(#"{"a":[1,2,"]"]}"#.utf8)
    let range = encoder.record(.update(text, text + "!", value), revision: .max)
    let line = Array(encoder.bytes[range])
    #expect(encoder.bytes == line + [0x0a])
    #expect(!line.contains(0x0a) && !line.contains(0))
    try line.withUnsafeBytes { line in
      #expect(LineParser.isSound(line))
      guard case .record(let record) = LineParser.parse(line) else {
        Issue.record("the line is no record")
        return
      }
      #expect(record.operation == .update)
      #expect(Array(record.type.string(in: line).utf8) == Array(text.utf8))
      #expect(Array(record.identifier.string(in: line).utf8) == Array((text + "!").utf8))
      #expect(record.revision == .max)
      #expect(Array(line[record.value]) == value)
      let json = try JSONSerialization.jsonObject(with: Data(line)) as? [Any]
      #expect(json?[2] as? String == text)
    }
  }

  @Test(arguments: ["Person", "", "a\"b\\c", "\0\u{1}", "é"])
  func `The lines of a journal that begin as others have the values that a parser finds`(type: String) {
    var random = RandomSource(seed: 7)
    let identifiers = ["1", "12", "", "a\"b", "a\\", "a\\\"b", "\n", "é", "1\",2,{\"b\":3}"]
    var heads = RecordLineHeads()
    var knownCount = 0
    for _ in 0..<2_000 {
      let identifier = identifiers.randomElement(using: &random) ?? ""
      let revision = ([1, 2, 77, 123_456_789_012_345_678, .max] as [UInt64]).randomElement(using: &random) ?? 1
      let value = Array(#"{"a":["\#(identifier.count)"]}"#.utf8)
      var encoder = LineEncoder()
      let isNew = Bool.random(using: &random)
      let range = encoder.record(
        isNew ? .create(type, identifier, value) : .update(type, identifier, value), revision: revision)
      var (expectedIdentifier, expectedRevision) = (identifier, revision)
      if Int.random(in: 0..<4, using: &random) == 0 {
        expectedIdentifier = identifiers.randomElement(using: &random) ?? ""
      }
      if Int.random(in: 0..<4, using: &random) == 0 { expectedRevision = 1 }
      encoder.bytes[range].withUnsafeBytes { line in
        guard case .record(let record) = LineParser.parse(line) else {
          Issue.record("the line is no record")
          return
        }
        type.withBytes { type in
          expectedIdentifier.withBytes { identifier in
            let expected = ExpectedRecord(type: type, identifier: identifier, revision: expectedRevision)
            if let found = heads.value(in: line, of: expected) {
              knownCount += 1
              #expect(found == record.value)
              #expect(expected.matches(record, in: line))
            } else if expected.matches(record, in: line) {
              heads.note(record, in: line)
            }
          }
        }
      }
    }
    #expect(knownCount > 300)
  }

  @Test func `Every flipped bit in a line of a journal is detected`() {
    var encoder = LineEncoder()
    _ = encoder.record(.create("Person", "1", JournalScript.json("x")), revision: 1)
    let line = Array(encoder.bytes.dropLast())
    for bit in 0..<line.count * 8 {
      var damaged = line
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!damaged.withUnsafeBytes { LineParser.isSound($0) }, "bit \(bit)")
    }
  }

  @Test func `The lines of a journal that are long are found whatever the size of the window`() throws {
    let fileSystem = FaultyFileSystem()
    let lines = [0, 1, 15, 16, 17, 64, 1_000, 3].map { [UInt8](repeating: UInt8(ascii: "a"), count: $0) }
    fileSystem.overwrite("/file", with: Array(lines.joined(separator: [0x0a])))
    var scanner = LineScanner(try fileSystem.open("/file", .read), windowSize: 16)
    var found: [[UInt8]] = []
    var offsets: [UInt64] = []
    while let piece = try scanner.next() {
      found.append(Array(piece.bytes))
      offsets.append(piece.offset)
    }
    #expect(found == lines)
    #expect(offsets == [0, 1, 3, 19, 36, 54, 119, 1_120])
  }
}

@Suite struct `The folder of a group` {
  @Test func `The folder of a group is inside its parent and belongs to no other group, whatever its name`() {
    let groups = [
      "", "@default", "%", "a", "A", "..", ".", "../../x", "a/b", "a%2fb", "con.txt", "\0", "é", "e\u{301}", "😀",
      String(repeating: "x", count: 120), String(repeating: "x", count: 121), String(repeating: "x", count: 10_240),
      String(repeating: "x", count: 10_239) + "y", String(repeating: "é", count: 5_000),
    ]
    let names = groups.map(GroupFolder.name)
    #expect(Set(names).count == groups.count)
    for name in names {
      #expect(name.utf8.count <= 120)
      #expect(name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || "-_%@~".contains($0)) }, "\(name)")
      #expect(name == name.lowercased())
    }
    #expect(GroupFolder.name(of: "books-2_b") == "books-2_b")
    #expect(GroupFolder.name(of: "Ä/") == "%c3%84%2f")
  }

  @Test func `The folder of a group is notified apart by a true SHA-256`() {
    func digest(_ text: String) -> String {
      SHA256.digest(of: Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    #expect(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }
}
