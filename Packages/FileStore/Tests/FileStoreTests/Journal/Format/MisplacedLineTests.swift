import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore

/// Lines with right checksums in the wrong places.
@Suite struct `A file store whose lines are in the wrong places` {
  private final class Book: Model {
    let id = Field<String>()
    let title = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Book" }
  }

  private let titles = ["Emma", "Lady", "Love", "Persuasion"]

  private func segment(_ directory: URL) -> URL { directory.appending(path: "groups/@default/000001.journal") }

  /// Four books, of which the first three have lines of one length.
  private func makeStore(_ directory: URL, checkpointInterval: UInt64 = 8 << 20) async throws -> FileModelStore {
    var options = FileEngineOptions()
    options.journal.checkpointInterval = checkpointInterval
    let path = directory.path(percentEncoded: false)
    let feeds = FileChangeFeeds()
    let handle = FileStoreHandle(
      directory: directory, options: FileStoreOptions(), engine: FileEngine(directory: path, options: options),
      feeds: feeds)
    let store = FileModelStore(handle)
    for (number, title) in titles.enumerated() {
      let book = Book()
      book.id.value = "\(number + 1)"
      book.title.value = title
      try await store.create(book)
    }
    return store
  }

  /// Swaps the lines of two books.
  private func swap(_ first: String, _ second: String, in file: URL) throws {
    var lines = try Data(contentsOf: file).split(separator: 0x0a, omittingEmptySubsequences: false)
    func line(_ title: String) throws -> Int {
      try #require(lines.firstIndex { $0.range(of: Data(title.utf8)) != nil })
    }
    lines.swapAt(try line(first), try line(second))
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data(lines.joined(separator: [0x0a])))
    try handle.close()
  }

  @Test func `A lookup never returns another model whose line is at the position of the record`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try await makeStore(directory)
      try await store.index(\Book.title)
      try swap("Emma", "Lady", in: segment(directory))
      let instance = FileModelStore(store.handle)
      for identifier in ["1", "2"] {
        let error = await #expect(throws: ModelStoreError.self) {
          _ = try await instance.lookup(Book.self, identifier: identifier)
        }
        #expect(error?.code == .corrupt)
        #expect(error?.identifier == identifier)
        #expect(error?.message.contains("000001.journal' is damaged at offset") == true)
        #expect(error?.message.contains("that of Book \"\(identifier == "1" ? "2" : "1")\", revision 1") == true)
      }
      await #expect(throws: ModelStoreError.self) {
        _ = try await instance.list(Book.self, where: { $0.title == "Emma" })
      }
      let chunk = try await store.handle.engine.readChunk("Book")
      #expect(chunk.rows.map(\.identifier) == ["3", "4"])
      await #expect(throws: ModelStoreError.self) { try await store.compact() }
      #expect(try await instance.lookup(Book.self, identifier: "3").title.value == "Love")
      try await store.close()
    }
  }

  @Test func `A record of an older revision at the position of the newest is damage`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try await makeStore(directory)
      let book = try await store.lookup(Book.self, identifier: "4")
      for title in ["Emma 1", "Emma 2"] {
        book.title.value = title
        try await store.update(book)
      }
      try swap("Emma 1", "Emma 2", in: segment(directory))
      await #expect(throws: ModelStoreError.self) {
        _ = try await FileModelStore(store.handle).lookup(Book.self, identifier: "4")
      }
      try await store.close()
    }
  }

  @Test(arguments: [("Emma", "Lady"), ("Emma", "Persuasion")])
  func `Checking a store finds lines that were swapped while it was open, and a repair moves them aside`(
    first: String, second: String
  ) async throws {
    try await withTemporaryDirectory { directory in
      let store = try await makeStore(directory)
      try swap(first, second, in: segment(directory))
      let issues = try await store.verify()
      #expect(!issues.isEmpty)
      #expect(issues.allSatisfy { $0.kind == .damage && $0.file.hasSuffix("000001.journal") })
      let repair = try await store.repair()
      #expect(
        Set(repair.losses.map(\.identifier)).isSuperset(of: ["1", first == "Emma" && second == "Lady" ? "2" : "4"]))
      #expect(repair.recoveredCount == 2)
      let quarantine = try String(contentsOf: try #require(repair.quarantine), encoding: .utf8)
      #expect(quarantine.contains(first) && quarantine.contains(second))
      #expect(try await store.verify() == [])
      let books = try await FileModelStore(store.handle).list(Book.self)
      #expect(Set(books.compactMap(\.title.value)) == Set(titles).subtracting([first, second]))
      for book in books { #expect(book.title.value == titles[(Int(book.id.value ?? "") ?? 0) - 1]) }
      try await store.close()
    }
  }

  @Test func `A checkpoint of other files is found out, and every model can be read`() async throws {
    for isLongerFile in [false, true] {
      try await withTemporaryDirectory { directory in
        let other = directory.appending(path: "other")
        let mine = directory.appending(path: "mine")
        let store = try await makeStore(mine, checkpointInterval: 1)
        try await store.close()
        if isLongerFile {
          let longer = try await makeStore(other, checkpointInterval: 1)
          for number in 5...20 {
            let book = Book()
            book.id.value = "other\(number)"
            try await longer.create(book)
          }
          try await longer.close()
          try FileManager.default.removeItem(at: segment(mine))
          try FileManager.default.copyItem(at: segment(other), to: segment(mine))
        } else {
          try swap("Emma", "Persuasion", in: segment(mine))
        }
        let again = FileModelStore(directory: mine)
        if !isLongerFile {
          #expect(try await again.open().allSatisfy { $0.kind == .damage })
          #expect(try await again.repair().recoveredCount == 2)
        }
        #expect(try await again.list(Book.self).count == (isLongerFile ? 20 : 2))
        #expect(try await again.verify() == [])
        try await again.close()
      }
    }
  }

  @Test func `Checking compares the entries of a checkpoint with older files`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: 300, checkpointInterval: 1)
    for batch in JournalScript.batches { try journal.write(batch) }
    for number in 1...20 { try journal.write([.create("Tag", "tag\(number)", JournalScript.json("t"))]) }
    try journal.writeDueCheckpoint()
    try journal.close()
    let path = try #require(
      fileSystem.paths.first {
        $0.hasSuffix(".journal")
          && String(decoding: fileSystem.bytes($0) ?? [], as: UTF8.self).contains(#""Author","2",1,"#)
      })
    var lines = try #require(fileSystem.bytes(path)).split(separator: 0x0a)
    // Two records of one batch, of different lengths.
    let first = try #require(lines.firstIndex { String(decoding: $0, as: UTF8.self).contains(#""Author","2",1,"#) })
    lines.swapAt(first, first - 1)
    fileSystem.overwrite(path, with: Array(lines.joined(separator: [0x0a])) + [0x0a])
    let again = try Journal.scripted(fileSystem, segmentSize: 300)
    #expect(throws: FileEngineError.self) { try again.snapshot() }
    let issues = try JournalReader.verify(
      group: "books", folder: JournalScript.folder, upTo: again.extent,
      comparing: again.contents.withIndex { $0.withoutFieldIndexes },
      fileSystem)
    #expect(issues.map(\.file) == [path])
    let repair = try again.repair()
    #expect(repair.losses.map(\.identifier) == ["2"])
    #expect(try again.snapshot().types["Book"]?.count == 3)
    #expect(try again.repair().losses == [])
  }
}

/// Lines with right checksums that were written to the wrong places while the journal was closed.
@Suite struct `A journal whose lines were moved while it was closed` {
  private let path = JournalScript.folder + "/000001.journal"

  /// Models that are updated, deleted and created again, with lines of few lengths.
  private func makeJournal() throws -> (fileSystem: FaultyFileSystem, truth: Snapshot) {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 0)
    for (number, text) in ["a", "b", "c"].enumerated() {
      try journal.write([
        .create("Book", "\(number)", JournalScript.json(text)), .create("Tag", "\(number)", [0x7b, 0x7d]),
      ])
      try journal.write([.update("Book", "\(number)", JournalScript.json(text.uppercased()))])
    }
    try journal.write([.delete("Book", "1"), .create("Book", "3", JournalScript.json("d"))])
    try journal.write([.create("Book", "1", JournalScript.json("e"))])
    try journal.write([.update("Book", "0", JournalScript.json("f")), .update("Book", "2", JournalScript.json("g"))])
    let truth = try journal.snapshot()
    try journal.close()
    return (fileSystem, truth)
  }

  private func lines(_ bytes: [UInt8]) -> [Range<Int>] {
    var start = 0
    return bytes.split(separator: 0x0a).map { line in
      defer { start += line.count + 1 }
      return start..<start + line.count
    }
  }

  private func models(in bytes: [UInt8], _ ranges: [Range<Int>]) -> Set<String> {
    Set(
      ranges.compactMap { range in
        bytes[range].withUnsafeBytes { line in
          guard case .record(let record) = LineParser.parse(line) else { return nil }
          return "\(record.type.string(in: line)) \(record.identifier.string(in: line))"
        }
      })
  }

  private func rows(_ snapshot: Snapshot) -> [String: Snapshot.Row] {
    var rows: [String: Snapshot.Row] = [:]
    for (type, all) in snapshot.types { for row in all { rows["\(type) \(row.identifier)"] = row } }
    return rows
  }

  /// Checks that each changed line is reported, that no record is replaced by another line, and that the others stay.
  private func check(_ edited: [UInt8], changed: [Range<Int>]) throws {
    let (fileSystem, truth) = try makeJournal()
    let original = try #require(fileSystem.bytes(path))
    let hit = models(in: original, changed)
    fileSystem.overwrite(path, with: edited)
    let journal = try Journal.scripted(fileSystem)
    let comment = Comment(rawValue: "\(changed.map { String(decoding: original[$0], as: UTF8.self) })")
    for range in changed {
      #expect(
        journal.contents.issues.contains { issue in
          issue.file == path && issue.kind == .damage && issue.offset <= range.lowerBound
            && issue.offset + issue.length >= range.upperBound
        }, comment)
    }
    #expect(
      try JournalReader.verify(
        group: "books", folder: JournalScript.folder, upTo: journal.extent, fileSystem) == journal.contents.issues,
      comment)
    let (expected, found) = (rows(truth), rows(try journal.snapshot()))
    for (model, row) in expected where !hit.contains(model) { #expect(found[model] == row, comment) }
    for (model, row) in found where !hit.contains(model) { #expect(expected[model] == row, comment) }
    let repair = try journal.repair()
    #expect(!repair.losses.isEmpty, comment)
    #expect(rows(try journal.snapshot()) == found, comment)
    #expect(try journal.repair().losses == [], comment)
  }

  @Test func `A line copied over another of its length is damage, and replaces no record`() throws {
    let bytes = try #require(try makeJournal().fileSystem.bytes(path))
    let lines = lines(bytes)
    var count = 0
    for from in lines {
      for to in lines where from != to && from.count == to.count && bytes[from] != bytes[to] {
        var edited = bytes
        edited.replaceSubrange(to, with: bytes[from])
        try check(edited, changed: [to])
        count += 1
      }
    }
    #expect(count > 40)
  }

  @Test func `Two lines of one length that were swapped are damage, and replace no record`() throws {
    let bytes = try #require(try makeJournal().fileSystem.bytes(path))
    let lines = lines(bytes)
    for (number, one) in lines.enumerated() {
      for other in lines[(number + 1)...] where one.count == other.count {
        var edited = bytes
        edited.replaceSubrange(one, with: bytes[other])
        edited.replaceSubrange(other, with: bytes[one])
        try check(edited, changed: [one, other])
      }
    }
  }

  /// Returns the bytes with the lines of a range moved behind those up to a position.
  private func moving(_ moved: Range<Int>, behind place: Int, in bytes: [UInt8], _ lines: [Range<Int>]) -> [UInt8] {
    let block = lines[moved.lowerBound].lowerBound...lines[moved.upperBound - 1].upperBound
    let end = lines[place].upperBound
    return Array(bytes[..<block.lowerBound]) + bytes[(block.upperBound + 1)...end] + bytes[block] + bytes[(end + 1)...]
  }

  @Test func `Lines that were moved behind later ones replace no newer record`() throws {
    let bytes = try #require(try makeJournal().fileSystem.bytes(path))
    let lines = lines(bytes)
    for first in 1..<lines.count {
      for end in first + 1..<lines.count {
        for place in end..<lines.count {
          let (fileSystem, truth) = try makeJournal()
          fileSystem.overwrite(path, with: moving(first..<end, behind: place, in: bytes, lines))
          let journal = try Journal.scripted(fileSystem)
          let comment = Comment(rawValue: "lines \(first)..<\(end) behind \(place)")
          #expect(!journal.contents.issues.isEmpty, comment)
          let expected = rows(truth)
          for (model, row) in rows(try journal.snapshot()) where expected[model] != row {
            let name = model.split(separator: " ").map(String.init)
            #expect(
              journal.contents.loss(of: name[0], name[1]) != nil,
              "\(row), not \(String(describing: expected[model])), \(comment.rawValue)")
          }
        }
      }
    }
  }

  @Test(arguments: ["x", "x\n"])
  func `Bytes that were added to a compacted journal damage one line, and the others are read`(added: String) throws {
    let compacted = FaultyFileSystem()
    let journal = try Journal.scripted(compacted, preallocation: 0)
    for number in 1...12 {
      try journal.write([.create("Book", "\(number)", JournalScript.json(String(repeating: "t", count: number)))])
    }
    try journal.compact()
    try journal.close()
    let path = try #require(compacted.paths.first { $0.hasSuffix(".journal") && compacted.bytes($0)?.count ?? 0 > 500 })
    let bytes = try #require(compacted.bytes(path))
    // A single moved line proves nothing, so the last one is left out.
    for line in lines(bytes).dropFirst().dropLast(2) {
      for offset in [line.lowerBound, line.lowerBound + 20, line.upperBound] {
        compacted.overwrite(path, with: Array(bytes[..<offset]) + Array(added.utf8) + bytes[offset...])
        let again = try Journal.scripted(compacted)
        let hit = models(in: bytes, [line])
        let found = Set(rows(try again.snapshot()).keys)
        let all = Set((1...12).map { "Book \($0)" })
        #expect(found.isSuperset(of: all.subtracting(hit)), "\(offset)")
        #expect(!again.contents.issues.isEmpty, "\(offset)")
      }
    }
  }

  @Test func `A batch that was removed behind a damaged record is a loss of its own`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 0)
    try journal.write([.create("Book", "1", JournalScript.json("a"))])
    try journal.write([.create("Tag", "1", JournalScript.json("a"))])
    try journal.write([.update("Book", "1", JournalScript.json("b"))])
    try journal.write([.update("Tag", "1", JournalScript.json("b"))])
    try journal.write([.create("Book", "2", JournalScript.json("c"))])
    try journal.close()
    var bytes = try #require(fileSystem.bytes(path))
    let lines = lines(bytes)
    bytes[lines[6].upperBound - 4] ^= 0x01
    bytes.removeSubrange(lines[7].lowerBound...lines[8].upperBound)
    fileSystem.overwrite(path, with: bytes)
    let again = try Journal.scripted(fileSystem)
    #expect(again.contents.loss(of: "Book", "1") != nil)
    #expect(again.contents.loss(of: "Tag", "1") != nil)
    #expect(rows(try again.snapshot())["Book 2"] != nil)
  }

  @Test func `A repair names the models of all damaged lines in a row`() throws {
    let (fileSystem, _) = try makeJournal()
    var bytes = try #require(fileSystem.bytes(path))
    // The records of the first batch: a book and a tag.
    for line in lines(bytes)[2...3] {
      bytes[line.upperBound - 3] ^= 0x04
      bytes[line.upperBound - 2] ^= 0x04
    }
    fileSystem.overwrite(path, with: bytes)
    let repair = try Journal.scripted(fileSystem).repair()
    #expect(repair.losses.compactMap(\.typeName) == ["Book", "Tag"])
    #expect(repair.losses.compactMap(\.identifier) == ["0", "0"])
    let lines = repair.description.split(separator: "\n")
    #expect(lines.count == 2)
    let end = #"It had records of 2 models, from Book "0" to Tag "0": no revision of 1 of them is left."#
    #expect(lines.last?.hasSuffix(end) == true, "\(repair)")
  }

  @Test func `A flipped bit in the frame of a line concerns the model of this line only`() throws {
    let original = try #require(try makeJournal().fileSystem.bytes(path))
    // The first line of the last batch, which has no record.
    let line = try #require(lines(original).last { String(decoding: original[$0], as: UTF8.self).contains("batch") })
    for index in [0, 1, 10, 11] {
      for bit in 0..<7 where original[line.lowerBound + index] ^ 1 << UInt8(bit) != 0x0a {
        let (fileSystem, truth) = try makeJournal()
        var bytes = original
        bytes[line.lowerBound + index] ^= 1 << UInt8(bit)
        fileSystem.overwrite(path, with: bytes)
        let journal = try Journal.scripted(fileSystem)
        #expect(rows(try journal.snapshot()) == rows(truth), "\(index) \(bit)")
        #expect(journal.contents.withIndex { $0.losses.isEmpty }, "\(index) \(bit)")
      }
    }
  }

  @Test func `A copy of a part of a batch before the batch does not replace it`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 0)
    try journal.write([.create("Book", "1", JournalScript.json(String(repeating: "x", count: 200)))])
    try journal.write([.create("Book", "2", JournalScript.json("b")), .create("Book", "3", JournalScript.json("c"))])
    try journal.write([.create("Book", "4", JournalScript.json("d"))])
    try journal.close()
    var bytes = try #require(fileSystem.bytes(path))
    let lines = lines(bytes)
    // The first line of batch 2 and its first record, over the record of batch 1.
    let copy = Array(bytes[lines[3].lowerBound...lines[4].upperBound])
    bytes.replaceSubrange(lines[2].lowerBound..<lines[2].lowerBound + copy.count, with: copy)
    fileSystem.overwrite(path, with: bytes)
    let again = try Journal.scripted(fileSystem)
    #expect(again.contents.issues.first?.offset == UInt64(lines[2].lowerBound))
    #expect(again.contents.issues.allSatisfy { $0.kind == .damage && $0.offset < lines[3].lowerBound })
    #expect(try again.snapshot().types["Book"]?.map(\.identifier) == ["2", "3", "4"])
    #expect(try again.repair().recoveredCount == 3)
  }

  @Test(arguments: [128, 256])
  func `A block that was written to the position of another is damage, and replaces no record`(size: Int) throws {
    let bytes = try #require(try makeJournal().fileSystem.bytes(path))
    let blocks = stride(from: size, to: bytes.count - size, by: size).map { $0..<$0 + size }
    for from in blocks {
      for to in blocks where from != to {
        var edited = bytes
        edited.replaceSubrange(to, with: bytes[from])
        try check(edited, changed: lines(bytes).filter { $0.overlaps(to) })
      }
    }
  }
}
