import ModelCore
import Testing

@Suite struct `Merging models` {
  @Test func `Merging models takes newer values, except for excluded fields`() {
    let mine = Author(id: 1, name: "Ada")
    let other = Author(id: 2, name: "Bob")
    #expect(mine.merge(from: other, exclude: [mine.id]).compactMap(\.key) == ["name"])
    #expect(mine.name == "Bob")
    #expect(mine.id == 1)
    #expect(mine.merge(from: other).compactMap(\.key) == ["id"])
    #expect(mine.id == 2)
    #expect(mine.merge(from: other).isEmpty)
  }

  @Test func `Merging models accepts excluded and included fields of either model`() {
    let mine = Author(id: 1, name: "Ada")
    let other = Author(id: 2, name: "Bob")
    #expect(mine.merge(from: other, exclude: [other.id, other.books]).compactMap(\.key) == ["name"])
    #expect(mine.merge(from: other, include: [other.id]).compactMap(\.key) == ["id"])
  }

  @Test func `Merging models keeps newer values of the target`() {
    let other = Author(id: 2, name: "Bob")
    let mine = Author(id: 1, name: "Ada")
    #expect(mine.merge(from: other).isEmpty)
    #expect(mine.name == "Ada")
  }

  @Test func `Merging models ignores fields that were not set or not loaded`() {
    let mine = Author(id: 1, name: "Ada")
    let other = Author()
    #expect(mine.merge(from: other).isEmpty)
    other.name.value = "Bob"
    other.name.loadState = .notLoaded
    #expect(mine.merge(from: other).isEmpty)
    #expect(mine.dictionaryValue == ["id": 1, "name": "Ada"])
  }

  @Test func `Merging models can be limited to fields and by a condition`() {
    let mine = Book(id: 1, title: "A")
    let other = Book(id: 2, title: "B")
    other.year.value = 1843
    #expect(mine.merge(from: other, include: [mine.title]).compactMap(\.key) == ["title"])
    #expect(mine.merge(from: other, include: [mine.id, mine.year]) { mine, _ in mine.key != "id" }.count == 1)
    #expect(mine.year == 1843)
    #expect(mine.merge(from: other) { _, other in other.valueType == String.self }.isEmpty)
    #expect(mine.id == 1)
  }

  @Test func `Merging models references the related models of the other model`() {
    let mine = Order()
    let other = Order()
    let book = Book(title: "T")
    other.items.value = [book]
    mine.merge(from: other)
    #expect(mine.items.value == [book])
    #expect(other.items.value == [book])
  }

  @Test func `Merging an edited copy applies its changes`() {
    let firm = Workplace(name: "ACM", employees: [StaffMember(name: "Ada")])
    let draft = firm.copy()
    draft.name.value = "IBM"
    #expect(firm.merge(from: draft).compactMap(\.key) == ["name"])
    #expect(firm.name == "IBM")
    #expect(firm.employees.value?.first?.firm.value === firm)
  }

  @Test func `Merging models notifies observers once all values were taken`() {
    let mine = Author(id: 1, name: "Ada")
    var seen: [String] = []
    mine.id.addObserver(updateImmediately: false) { _, _ in seen.append("\(mine.name.value ?? "")") }
    mine.merge(from: Author(id: 2, name: "Bob"))
    #expect(seen == ["Bob"])
  }

  @Test func `Merging a model with itself takes no values`() {
    let mine = Author(id: 1, name: "Ada")
    #expect(mine.merge(from: mine).isEmpty)
  }

  @Test func `Merging models reports a field of another type with the same key`() {
    let mine = Author(name: "Ada")
    mine << Field<Int>(key: "mismatched")
    let other = Author()
    other << Field<String>("x", key: "mismatched")
    let issues = ReportedIssues.about("mismatched") { #expect(mine.merge(from: other).isEmpty) }
    #expect(issues == ["Field \"mismatched\" keeps its value: it takes Int, not String."])
  }

  @Test func `Merging models without differences takes no values`() {
    let mine = Author(id: 1, name: "Ada")
    let other = mine.copy()
    #expect(mine.differences(from: other).isEmpty)
    other.name.value = "Bob"
    #expect(mine.differences(from: other).compactMap(\.key) == ["name"])
    other.books.add(Book(title: "T"))
    #expect(mine.differences(from: other).compactMap(\.key) == ["name", "books"])
    mine << Field<Int>(key: "extra")
    #expect(mine.differences(from: other).count == 2)
    mine["extra"] = 3
    #expect(mine.differences(from: other).count == 3)
  }

  @Test func `Lists whose members were linked by their inverse differ by their members`() {
    let (mine, other) = (Author(), Author())
    let books = (1...2).map { Book(id: $0, title: "T") }
    books[0].author.value = mine
    books[1].author.value = other
    #expect(mine.differences(from: other).compactMap(\.key) == ["books"])
    withExtendedLifetime(books) {}
  }

  @Test func `A field that is included takes an older value, and is dirty`() throws {
    let (older, newer) = (Book(id: 1, title: "Emma"), try Book.from(dictionaryValue: ["id": 1, "title": "Emily"]))
    #expect(newer.merge(from: older).isEmpty)
    #expect(newer.title.value == "Emily")
    var received: [String?] = []
    newer.title.addObserver(updateImmediately: false) { received.append($1) }
    #expect(newer.merge(from: older, include: [newer.title]).compactMap(\.key) == ["title"])
    #expect(newer.title.value == "Emma")
    #expect(newer.title.isDirty)
    #expect(newer.title.isNewer(than: older.title))
    #expect(newer.merge(from: older, include: [older.title]).compactMap(\.key) == ["title"])
    #expect(received == ["Emma"])
  }

  @Test func `An included relation takes the older related model on both sides`() {
    let (older, newer) = (Book(title: "Emma"), Book(title: "Emma"))
    let (jane, ann) = (Author(name: "Jane"), Author(name: "Ann"))
    older.author.value = jane
    newer.author.value = ann
    #expect(newer.merge(from: older, include: [older.author]).count == 1)
    #expect(newer.author.value === jane)
    #expect(jane.books.value == [older, newer])
    #expect(ann.books.value == [])
  }

  @Test func `An included field that is not loaded in the other model takes no value`() {
    let (mine, other) = (Book(title: "Emma"), Book())
    #expect(mine.merge(from: other, include: [mine.title, mine.year]).isEmpty)
    #expect(mine.title.value == "Emma")
  }
}
