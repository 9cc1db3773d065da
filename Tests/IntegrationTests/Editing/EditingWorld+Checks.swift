import ModelKit

extension EditingWorld {
  /// Compares the live models, the history and the draft with the reference.
  func check() throws {
    try checkModels()
    try require(undo.canUndo == !past.isEmpty, "canUndo is \(undo.canUndo), expected \(past.count) steps")
    try require(undo.canRedo == !future.isEmpty, "canRedo is \(undo.canRedo), expected \(future.count) steps")
    try checkDraft()
  }

  /// Compares the live models, their inverses and their states with the reference.
  func checkModels() throws {
    try checkValues(live)
    for number in live.numbers(.gallery) {
      let gallery = gallery(number)
      try checkInverse(
        gallery.pictures, gallery.$pictures.count, live.members(of: number, .picture), number, "pictures")
      try checkInverse(gallery.permits, gallery.$permits.count, live.members(of: number, .permit), number, "permits")
      try checkInverse(
        gallery.children, gallery.$children.count, live.sources(of: number, "parent"), number, "children")
    }
    for number in live.numbers(.subject) {
      let galleries = subject(number).galleries
      try checkInverse(galleries.value, galleries.count, live.sources(of: number, "subjects"), number, "galleries")
    }
    for number in live.numbers {
      try require(isPersisted(number) == (stored[number] != nil), "\(number) isPersisted: \(isPersisted(number))")
      guard let record = stored[number], let row = live[number] else { continue }
      let dirty = dirtyKeys(number)
      for (key, value) in row.values where record[key] != value && !dirty.contains(key) {
        throw EditingFault(description: "\(number).\(key) is clean, but \(value), and \(record[key]!) in its record")
      }
    }
  }

  /// Compares the values of models with expected ones.
  func checkValues(_ expected: EditedRecords) throws {
    var found = EditedRecords()
    for number in expected.numbers { if let model = models[number] { found[number] = Self.row(model) } }
    try require(found == expected, "live models differ:\n\(found.differences(from: expected))")
  }

  private func checkInverse(
    _ members: [any Model]?, _ count: Int?, _ expected: Set<Int>, _ number: Int, _ key: String
  ) throws {
    let found = (members ?? []).map(Self.number)
    try require(found.sorted() == expected.sorted(), "\(number).\(key) has \(found), expected \(expected.sorted())")
    if let count { try require(count == expected.count, "\(number).\(key) counts \(count) of \(expected.count)") }
  }

  /// Compares the records, as another store instance reads them, with the reference.
  func checkRecords() async throws {
    let found = try await records(makeStore())
    try require(found == stored, "records differ:\n\(found.differences(from: stored))")
  }

  private func records(_ reader: any ModelStore) async throws -> EditedRecords {
    let all: [any Model] =
      try await reader.list(Gallery.self) + reader.list(Picture.self) + reader.list(Permit.self)
      + reader.list(Subject.self)
    var found = EditedRecords()
    for model in all { found[Self.number(model)] = Self.row(model) }
    return found
  }

  func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw EditingFault(description: message()) }
  }
}
