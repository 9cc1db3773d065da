@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

/// Random edits of drafts and of their originals, compared with a merge of plain values.
@Suite struct `Random histories of drafts` {
  private struct Snapshot: Equatable {
    var titles: [String?]
    /// The index of the author of each book.
    var authors: [Int?]
  }

  private final class World {
    let scope = ModelScope()
    let authors: [Author], books: [Book]

    init() throws {
      let scope = scope
      authors = try Author.list(
        fromJSON: Data(#"[{"id": 0, "books": [{"id": 0}, {"id": 1}, {"id": 2}]}, {"id": 1, "books": []}]"#.utf8),
        in: scope)
      books = authors.flatMap { $0.books.value ?? [] }
    }

    var snapshot: Snapshot {
      Snapshot(
        titles: books.map(\.title.value),
        authors: books.map { book in authors.firstIndex { $0 === book.author.value } })
    }

    /// Whether each link has its inverse, and every model of a link is one of the scope.
    var isConsistent: Bool {
      authors.allSatisfy { author in
        let members = author.books.value ?? []
        return Set(members).count == members.count
          && Set(members) == Set(books.filter { $0.author.value === author })
      }
    }

    static func edit(_ book: Book, _ author: Author?, _ random: inout SeededGenerator) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: book.title.value = ["x", "y", "z", nil].randomElement(using: &random) ?? nil
      case 1: book.author.value = nil
      case 2: book.author.value = author
      case 3: author?.books.add(book)
      default: book.author.value = book.author.value === author ? nil : author
      }
    }
  }

  @Test(arguments: TestEffort.seeds(100))
  func `A draft of one model is merged as its values are, and every link keeps its inverse`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World()
    for _ in 0..<6 {
      let index = Int.random(in: 0..<world.books.count, using: &random)
      let book = world.books[index]
      let draft = book.draft()
      let base = world.snapshot
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        if Bool.random(using: &random) {
          draft.title.value = ["x", "y", "z", nil].randomElement(using: &random) ?? nil
        } else {
          draft.author.value = (world.authors + [nil]).randomElement(using: &random) ?? nil
        }
      }
      let mine = (title: draft.model.title.value, author: world.authors.firstIndex { $0 === draft.model.author.value })
      #expect(world.snapshot == base && world.isConsistent, "seed \(seed)")
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        World.edit(
          world.books.randomElement(using: &random) ?? book, world.authors.randomElement(using: &random), &random)
      }
      let theirs = world.snapshot
      var expected = theirs
      var conflicts: Set<String> = []
      func merge<Value: Equatable>(_ base: Value, _ mine: Value, _ theirs: Value, _ key: String) -> Value {
        if mine == base { return theirs }
        if theirs != base, theirs != mine { conflicts.insert(key) }
        return mine
      }
      expected.titles[index] = merge(base.titles[index], mine.title, theirs.titles[index], "title")
      expected.authors[index] = merge(base.authors[index], mine.author, theirs.authors[index], "author")
      #expect(Set(draft.conflicts.map(\.key)) == conflicts, "seed \(seed)")
      switch Int.random(in: 0..<3, using: &random) {
      case 0: draft.discard()
      case 1 where conflicts.isEmpty:
        try draft.apply()
        #expect(world.snapshot == expected, "seed \(seed)")
      case 1:
        #expect(throws: ModelDraftError.self, "seed \(seed)") { try draft.apply() }
        #expect(world.snapshot == theirs, "seed \(seed)")
        continue
      default:
        try draft.apply { _ in .mine }
        #expect(world.snapshot == expected, "seed \(seed)")
      }
      #expect(world.isConsistent && !draft.isDirty, "seed \(seed)")
      #expect(draft.model.title.value == book.title.value && draft.model.author.value === book.author.value)
    }
  }

  @Test(arguments: TestEffort.seeds(100))
  func `A draft of a whole graph is applied as its edits would be, or discarded without a trace`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World()
    let reference = try World()
    weak var copy: ModelObject?
    for _ in 0..<4 {
      let author = world.authors[0]
      // The models that can be reached when the draft is created, by identifier.
      let draft = author.draft(including: world.authors.map(\.books) + world.books.map(\.author))
      copy = draft.model
      let copies = draft.model.books.value ?? []
      let before = world.snapshot
      let orders = world.authors.map { $0.books.value ?? [] }
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        guard let drafted = copies.randomElement(using: &random) else { break }
        let other = [draft.model, nil].randomElement(using: &random) ?? nil
        var same = random
        World.edit(drafted, other, &random)
        let index = world.books.firstIndex { $0.identifier == drafted.identifier }
        if let index { World.edit(reference.books[index], other == nil ? nil : reference.authors[0], &same) }
      }
      #expect(world.snapshot == before && world.isConsistent, "seed \(seed)")
      #expect(world.authors.map { $0.books.value ?? [] } == orders, "seed \(seed)")
      try draft.apply()
      #expect(world.snapshot == reference.snapshot, "seed \(seed)")
      #expect(world.isConsistent && !draft.isDirty, "seed \(seed)")
      let discarded = author.draft(including: [author.books])
      for book in discarded.model.books.value ?? [] {
        // An author outside of the draft may be referenced, but does not get a copy as a member.
        book.author.value = world.authors.randomElement(using: &random)
        World.edit(book, Bool.random(using: &random) ? discarded.model : nil, &random)
      }
      discarded.discard()
      #expect(world.snapshot == reference.snapshot && world.isConsistent && !discarded.isDirty, "seed \(seed)")
      #expect(discarded.model.books.value?.map(\.identifier) == author.books.value?.map(\.identifier))
    }
    #expect(copy == nil, "seed \(seed)")
    let unsaved = Set(world.scope.unsavedModels)
    #expect(unsaved.isSubset(of: Set<ModelObject>(world.authors).union(world.books)), "seed \(seed)")
  }
}
