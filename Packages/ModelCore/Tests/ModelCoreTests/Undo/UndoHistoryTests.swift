@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

private final class Line: Model {
  let text = Field<String>()
  let part = ModelField<Line>()
}

/// A model that embeds others.
private final class Basket: Model {
  let id = Field<Int>()
  let lines = ModelField<Line>()*
  let gift = ModelField<Line>()
  override var identifierField: AnyField? { id }
}

/// Random edits, with saves and reads from elsewhere in between.
@Suite struct `Random histories of edits` {
  private final class World {
    let scope = ModelScope()
    let authors: [Author], books: [Book], students: [Student], courses: [Course], albums: [Album], tracks: [Track]
    let baskets: [Basket], lines: [[Line]], gifts: [Line]

    init() throws {
      let scope = scope
      authors = try Author.list(
        fromJSON: Data(#"[{"id": 1, "name": "A", "books": [{"id": 1}, {"id": 2}]}, {"id": 2, "books": []}]"#.utf8),
        in: scope)
      books =
        (authors[0].books.value ?? []) + [try Book.from(dictionaryValue: ["id": 3, "title": "C"], in: scope)]
      students = try (1...3).map { try Student.from(dictionaryValue: ["id": .int($0)], in: scope) }
      courses = try (1...3).map { try Course.from(dictionaryValue: ["id": .int($0)], in: scope) }
      // Lists with a foreign key: of the first one only some members are known.
      tracks = try ["a", "b", "c"].map {
        try Track.from(dictionaryValue: ["id": .string($0), "album": $0 == "c" ? .null : 1], in: scope)
      }
      albums = [
        Album.with(identifier: "1", in: scope),
        try Album.from(dictionaryValue: ["id": 2, "title": "Two", "tracks": []], in: scope),
      ]
      baskets = try (1...2).map {
        try Basket.from(
          dictionaryValue: [
            "id": .int($0), "gift": ["text": "gift"], "lines": [["text": "a"], ["text": "b", "part": ["text": "p"]]],
          ], in: scope)
      }
      lines = baskets.map { $0.lines.value ?? [] }
      gifts = baskets.compactMap(\.gift.value)
    }

    var models: [ModelObject] { authors + books + students + courses + albums + tracks + baskets + embedded }

    private var embedded: [ModelObject] { lines.flatMap { $0 + $0.compactMap(\.part.value) } + gifts }

    func edit(_ random: inout SeededGenerator) {
      let book = books.randomElement(using: &random), author = authors.randomElement(using: &random)
      let student = students.randomElement(using: &random), course = courses.randomElement(using: &random)
      let track = tracks.randomElement(using: &random), album = albums.randomElement(using: &random)
      guard let book, let author, let student, let course, let track, let album else { return }
      switch Int.random(in: 0..<19, using: &random) {
      case 0: book.title.value = ["x", "y", nil].randomElement(using: &random) ?? nil
      case 1: book.year.value = Int.random(in: 0..<3, using: &random)
      case 2: book.author.value = Bool.random(using: &random) ? author : nil
      case 3: author.books.add(book)
      case 4: author.books.remove(book)
      case 5: author.books.value = books.shuffled(using: &random).dropLast(Int.random(in: 0...3, using: &random))
      case 6: student.courses.add(course)
      case 7: course.students.remove(student)
      case 8: course.students.value = students.shuffled(using: &random)
      case 9: track.album.value = Bool.random(using: &random) ? album : nil
      case 10: album.tracks.add(track)
      case 11: album.tracks.remove(track)
      case 12: author.books.add(Book(title: "new"))
      case 13: book.revert()
      default: editBasket(&random)
      }
    }

    private func editBasket(_ random: inout SeededGenerator) {
      let number = Int.random(in: 0..<2, using: &random)
      let basket = baskets[number], line = lines[number][Int.random(in: 0..<2, using: &random)]
      let text = ["x", "y", nil].randomElement(using: &random) ?? nil
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: line.text.value = text
      case 2: line.part.value?.text.value = text
      case 3: basket.lines.add(line)
      case 4: basket.lines.remove(line)
      case 5: basket.lines.value = lines[number].shuffled(using: &random)
      case 6: basket.gift.value = Bool.random(using: &random) ? gifts[number] : nil
      case 7: gifts[number].text.value = text
      default: basket.lines.add(Line())
      }
    }

    /// The values and states, which do not depend on how often they are read.
    func snapshot(dirty: Bool) -> [String] {
      models.map { $0.stateForTest(dirty: dirty) }
    }
  }

  @Test(arguments: TestEffort.seeds(60))
  func `Undoing all is the beginning, without a dirty field, and redoing all is the end`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World()
    let undo = ModelUndo(world.scope)
    let beginning = world.snapshot(dirty: true)
    for _ in 0..<Int.random(in: 1...25, using: &random) {
      if Bool.random(using: &random) {
        world.edit(&random)
      } else {
        undo.step("Step") { for _ in 0..<3 { world.edit(&random) } }
      }
      if Int.random(in: 0..<4, using: &random) == 0, undo.canUndo {
        try undo.undo()
        if Bool.random(using: &random) { try undo.redo() }
      }
    }
    while undo.canRedo { try undo.redo() }
    // A redo after a revert leaves a field clean whose value is the one last read.
    let end = world.snapshot(dirty: false)
    for _ in 0..<2 {
      while undo.canUndo { try undo.undo() }
      #expect(world.snapshot(dirty: true) == beginning, "seed \(seed)")
      #expect(world.models.allSatisfy { !$0.dirtyForTest }, "seed \(seed)")
      #expect(world.scope.unsavedModels.isEmpty, "seed \(seed)")
      while undo.canRedo { try undo.redo() }
      #expect(world.snapshot(dirty: false) == end, "seed \(seed)")
    }
  }

  @Test(arguments: TestEffort.seeds(60))
  func `With saves in between, undoing and redoing restores all values`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World()
    let undo = ModelUndo(world.scope)
    let beginning = world.snapshot(dirty: false)
    var history = [beginning]
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      undo.step { for _ in 0..<2 { world.edit(&random) } }
      if Bool.random(using: &random), let model = world.models.randomElement(using: &random),
        model.storedIdentifier != nil
      {
        model.markSaved(model.dirtyFields, asOf: .next())
      }
      // A field that no edit concerns is read from elsewhere.
      try world.authors[0].read(["name": .string("read \(Int.random(in: 0..<9, using: &random))")])
      history.append(world.snapshot(dirty: false))
    }
    let end = world.snapshot(dirty: false)
    while undo.canUndo {
      try undo.undo()
      #expect(history.contains(world.snapshot(dirty: false)), "seed \(seed)")
    }
    #expect(world.snapshot(dirty: false) == beginning, "seed \(seed)")
    while undo.canRedo { try undo.redo() }
    #expect(world.snapshot(dirty: false) == end, "seed \(seed)")
  }
}

extension ModelObject {
  fileprivate var dirtyForTest: Bool { fieldsForDictionaryValue().contains { $0.isDirty } }

  fileprivate func stateForTest(dirty: Bool) -> String {
    fieldsForDictionaryValue().filter { dirty || $0.key != "name" }.map { field in
      let value: String
      if let relation = field as? any RelationField {
        let members = relation.relatedModels.map { $0.storedIdentifier ?? "new \(ObjectIdentifier($0))" }
        value = members.joined(separator: " ")
      } else {
        value = field.anyValue.map { "\($0)" } ?? "nil"
      }
      return "\(field.key ?? "")=\(value)" + (dirty ? (field.isDirty ? "*" : "") : "")
    }.joined(separator: ",")
  }
}
