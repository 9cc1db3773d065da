@_spi(ModelKitInternals) import FileStore
import Foundation
@_spi(ModelKitInternals) import StoreEngine
import Testing

@testable import StoreProtocolTesting

/// Repeated aggregates of a file store read columns in memory instead of the files.
@Suite struct `Columns of a file store` {
  private func withStore(_ body: (FileModelStore) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      try await store.createAll((0..<50).map(person))
      try await body(store)
      try await store.close()
    }
  }

  private func person(_ number: Int) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = "n\(number % 7)"
    person.age.value = number % 10 == 0 ? nil : number
    return person
  }

  /// Returns the number of records that a query of the ages reads; nil if it reads no columns.
  private func readCount(_ store: FileModelStore) async throws -> Int? {
    let query = ModelQuery(ContractPerson.self, where: { $0.name != "n1" })
    let report = try await store.explain(query, columns: { $0.age })
    return report.usesColumns ? report.readCount : nil
  }

  private func total(_ store: FileModelStore) async throws -> Int {
    try await store.sum(ContractPerson.self, of: \.age) ?? 0
  }

  @Test func `Repeated requests of the same columns read no records until another store instance writes`() async throws
  {
    try await withStore { store in
      #expect(try await readCount(store) == 50)
      #expect(try await readCount(store) == 0)
      #expect(try await readCount(store) == 0)
      try await FileModelStore(store.handle).create(person(51))
      #expect(try await readCount(store) == 51)
      #expect(try await readCount(store) == 0)
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `Repeated sums and groups are those of the records after random writes`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    try await withStore { store in
      let writer = FileModelStore(store.handle)
      let companies = try await writer.createAll(
        (0..<3).map { (number: Int) -> ContractCompany in
          let company = ContractCompany.with(identifier: "c\(number)", in: writer.scope)
          company.name.value = "company \(number)"
          return company
        })
      for _ in 0..<60 {
        let people = try await writer.list(ContractPerson.self)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try await writer.create(person(Int.random(in: 0..<100, using: &random)))
        case 1: if let person = people.randomElement(using: &random) { try await writer.delete(person) }
        case 2:
          guard let person = people.randomElement(using: &random) else { continue }
          person.age.value = Int.random(in: 0..<100, using: &random)
          person.company.value = companies.randomElement(using: &random)
          try await writer.update(person)
        case 3: try await store.compact()
        case 4:
          guard let company = companies.randomElement(using: &random) else { continue }
          company.name.value = "company \(Int.random(in: 0..<4, using: &random))"
          try await writer.update(company)
        default: break
        }
        let kept = try await writer.list(ContractPerson.self).filter { $0.name.value != "n1" }
        let ages = kept.compactMap(\.age.value)
        let sum = try await store.sum(ContractPerson.self, of: \.age, where: { $0.name != "n1" })
        #expect(sum == (ages.isEmpty ? nil : ages.reduce(0, +)))
        let groups = try await store.groups(ContractPerson.self, by: { $0.name }, where: { $0.name != "n1" }) {
          ($0.count, $0.sum(\.age))
        }
        var expected: [String?] = []
        for person in kept where !expected.contains(person.name.value) { expected.append(person.name.value) }
        #expect(groups.map(\.key) == expected)
        for group in groups {
          let members = kept.filter { $0.name.value == group.key }
          let ages = members.compactMap(\.age.value)
          #expect(group.values.0 == members.count)
          #expect(group.values.1 == (ages.isEmpty ? nil : ages.reduce(0, +)))
        }
        let counts = try await store.groups(ContractPerson.self, by: { $0.company.name }) { $0.count }
        let stored = try await writer.list(ContractPerson.self)
        let expectedCounts = Dictionary(grouping: stored) { $0.company.value?.name.value }.mapValues(\.count)
        #expect(counts.count == expectedCounts.count)
        for count in counts { #expect(expectedCounts[count.key] == count.values) }
      }
    }
  }

  final class Writer: Model {
    @Field var id: Int?
    @Field var name: String?
    @Field var year: Int?
    override var identifierField: AnyField? { $id }
  }

  final class Letter: Model {
    @Field var id: Int?
    @ModelField(foreignKey: true) var writer: Writer?
    override var identifierField: AnyField? { $id }
  }

  @Test func `A damaged related model is reported once by each query that needs it`() async throws {
    try await withTemporaryDirectory { directory in
      let reports = Lock<[String]>([])
      let options = FileStoreOptions(unreadable: .skip { record in reports.withLock { $0.append(record.identifier) } })
      let store = FileModelStore(directory: directory, options: options)
      let writers = (1...3).map { number in
        let writer = Writer()
        (writer.name, writer.year) = ("writer \(number)", number)
        return writer
      }
      try await store.createAll(writers)
      for writer in writers + writers {
        let letter = Letter()
        letter.writer = writer
        try await store.create(letter)
      }
      let file = directory.appending(path: "groups/@default/000001.journal")
      var data = try Data(contentsOf: file)
      let place = try #require(data.range(of: Data("writer 2".utf8)))
      data[place.lowerBound] ^= 1
      try data.write(to: file)
      let reader = FileModelStore(store.handle)
      for _ in 0..<3 {
        let all = try await reader.groups(Letter.self, by: { ($0.writer.name, $0.writer.year) }) { $0.count }
        #expect(all.map(\.values) == [2, 2, 2])
        #expect(reports.withLock(\.self) == ["2"])
        reports.withLock { $0 = [] }
        let others = try await reader.groups(
          Letter.self, by: { ($0.writer.name, $0.writer.year) }, where: { $0.id != 2 && $0.id != 5 }
        ) { $0.count }
        #expect(others.map(\.key.0) == ["writer 1", "writer 3"])
        #expect(reports.withLock(\.self) == [])
      }
      try await store.close()
    }
  }

  @Test func `A transaction reads its own writes, and not the columns without them`() async throws {
    try await withStore { store in
      let before = try await total(store)
      for _ in 0..<2 { #expect(try await total(store) == before) }
      try await store.transaction { store in
        #expect(try await total(store) == before)
        try await store.create(person(77))
        for _ in 0..<3 { #expect(try await total(store) == before + 77) }
      }
      for _ in 0..<3 { #expect(try await total(store) == before + 77) }
    }
  }

  final class Note: Model {
    @Field var id: Int?
    @Field var name: String?
    @Field var amount: Int?
    @Field var text: String?
    override var identifierField: AnyField? { $id }
  }

  private func note(_ number: Int) -> Note {
    let note = Note()
    note.name = "n\(number % 7)"
    note.amount = number
    return note
  }

  /// Records longer and shorter than one read call, and with gaps between them that are read along or not.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `Scans in parts have all records in the order of creation`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      for _ in 0..<8 {
        let created = (0..<random.below(120)).map { _ in
          let note = note(random.below(1_000))
          let length = random.pick([0, 0, 0, 30, 5_000, random.below(60) == 0 ? 1_300_000 : 1])
          note.text = String(repeating: random.pick(["a", "ü", "\"", "\n", "[{"]), count: length)
          return note
        }
        try await store.createAll(created)
        for note in created where random.below(4) == 0 { try await store.delete(note) }
        if random.below(3) == 0 { try await store.compact() }
        if let note = try await store.list(Note.self).randomElement(using: &random) {
          note.amount = random.below(100)
          try await store.update(note)
        }
      }
      let expected = try await store.list(Note.self).map { ($0.id, $0.text) }
      for isPinned in [false, true] {
        let snapshot = try await store.handle.snapshot(pinned: isPinned)
        for count in 1...5 {
          var found: [(Int?, String?)] = []
          for scan in try snapshot.scans(of: Note.typeName, inParts: count) {
            let isReadable = try await scan.forEach { bytes in
              let record = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
              found.append((record?["id"] as? Int, record?["text"] as? String))
              return true
            }
            #expect(isReadable)
          }
          #expect(found.map(\.0) == expected.map(\.0))
          #expect(found.map(\.1) == expected.map(\.1))
        }
        for scan in try snapshot.scans(of: Note.typeName, inParts: 2) {
          var count = 0
          let isReadable = try await scan.forEach { _ in
            count += 1
            return count < 3
          }
          #expect(isReadable)
          #expect(count <= 3)
        }
      }
      #expect(try await store.handle.snapshot(pinned: false).scans(of: "Nothing", inParts: 2).isEmpty)
      try await store.close()
    }
  }

  @Test func `The first sum of many records is that of one moment`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      try await store.createAll((0..<34_000).map(note))
      try await store.deleteAll(Note.self, where: { $0.amount >= 16_990 && $0.amount < 17_020 })
      let kept = (0..<34_000).filter { !(16_990..<17_020).contains($0) }
      #expect(try await FileModelStore(store.handle).sum(Note.self, of: \.amount) == kept.reduce(0, +))
      let groups = try await FileModelStore(store.handle).groups(Note.self, by: { $0.name }) { $0.count }
      #expect(groups.reduce(0) { $0 + $1.values } == kept.count)
      try await store.close()
    }
  }
}
