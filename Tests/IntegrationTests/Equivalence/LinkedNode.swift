import ModelKit

/// An embedded model with embedded models.
final class LinkedNote: Model {
  @Required(.notBlank) var text = "empty"
  @ModelArrayField var notes: [LinkedNote]?

  var line: String { "\(text)(\((notes ?? []).map(\.line).joined(separator: ",")))" }
}

/// A class with each kind of relation to itself, so that all links meet in four models.
final class LinkedNode: Model {
  @Field var id: Int?
  @Required var name = "Unnamed"
  @Required var tags: [String] = ["new"]
  @Field var size: Int?
  @ModelField var note: LinkedNote?
  @ModelArrayField var notes: [LinkedNote]?
  let friends: ModelArrayField<LinkedNode> = ModelField(foreignKey: true, inverse: \.friends)*
  let partner: ModelField<LinkedNode> = ModelField(foreignKey: true, inverse: \.partner)
  let children: ModelArrayField<LinkedNode> = ModelField(deleteRule: .cascade)*
  let parent: ModelField<LinkedNode> = ModelField(foreignKey: true, inverse: \.children)
  let previous = ModelField<LinkedNode>()
  let next: ModelField<LinkedNode> = ModelField(foreignKey: true, inverse: \.previous)
  let fans = ModelField<LinkedNode>()*
  let idols: ModelArrayField<LinkedNode> = ModelField(foreignKey: true, inverse: \.fans)*
  /// A list without an inverse.
  let references: ModelArrayField<LinkedNode> = ModelField(foreignKey: true)*
  override var identifierField: AnyField? { $id }

  /// The keys of the relations that only their inverses store.
  static let unstoredKeys: Set<String> = ["children", "previous", "fans"]

  /// The values of all fields. Lists whose order no record has are sorted.
  var lines: [String] {
    func name(_ node: LinkedNode?) -> String { node?.identifier ?? "" }
    func list(_ field: ModelArrayField<LinkedNode>, isOrdered: Bool = false) -> [String] {
      let names = (field.value ?? []).map { name($0) }
      return isOrdered ? names : names.sorted()
    }
    return [
      "name \(self.name)", "tags \(tags)", "size \(size ?? 0)", "note \(note?.line ?? "")",
      "notes \((notes ?? []).map(\.line))", "friends \(list(friends))", "partner \(name(partner.value))",
      "children \(list(children))", "parent \(name(parent.value))", "previous \(name(previous.value))",
      "next \(name(next.value))", "fans \(list(fans))", "idols \(list(idols, isOrdered: true))",
      "references \(list(references, isOrdered: true))",
    ].map { "\(name(self)).\($0)" }
  }
}

/// An edit of one field, which can be repeated on the original or on a copy.
struct LinkedEdit: CustomStringConvertible {
  /// The field that the edit changes; an edit of either side of a relation has the same.
  enum Field: CaseIterable { case name, tags, size, note, notes, friends, partner, tree, order, idols, references }

  var field: Field
  var number, other: Int
  var value: Int
  var removes: Bool
  var isOnInverse: Bool

  init(_ random: inout SplitMix, count: Int) {
    field = Field.allCases.randomElement(using: &random)!
    (number, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
    value = Int.random(in: 0..<60, using: &random)
    (removes, isOnInverse) = (Bool.random(using: &random), Bool.random(using: &random))
  }

  var description: String {
    "\(field) of \(number)\(isOnInverse ? " (inverse)" : ""), \(removes ? "without" : "with") \(other), \(value)"
  }

  func apply(to node: LinkedNode, _ other: LinkedNode) {
    switch field {
    case .name: node.name = "Name \(value % 4)"
    case .tags: node.tags = [["new"], [], ["new", "old"], ["old", "new"]][value % 4]
    case .size: node.size = removes ? nil : value % 3
    case .note: editNote(of: node)
    case .notes: editNotes(of: node)
    case .friends: edit(node.friends, other)
    case .partner: node.partner.value = removes ? nil : other
    case .tree: if isOnInverse { edit(node.children, other) } else { node.parent.value = removes ? nil : other }
    case .order:
      if isOnInverse { node.previous.value = removes ? nil : other } else { node.next.value = removes ? nil : other }
    case .idols: edit(isOnInverse ? node.fans : node.idols, other)
    case .references:
      var list = (node.references.value ?? []).filter { $0 !== other }
      if !removes { list.insert(other, at: value % (list.count + 1)) }
      node.references.value = list
    }
  }

  private func edit(_ list: ModelArrayField<LinkedNode>, _ other: LinkedNode) {
    if removes { list.remove(other) } else { list.add(other) }
  }

  private func makeNote() -> LinkedNote {
    let note = LinkedNote()
    note.text = "Text \(value % 9)"
    if value % 2 == 0 { note.notes = [LinkedNote()] }
    return note
  }

  private func editNote(of node: LinkedNode) {
    guard let note = node.note, isOnInverse else {
      node.note = removes ? nil : makeNote()
      return
    }
    if removes { note.text = "Edit \(value % 5)" } else { note.$notes.add(LinkedNote()) }
  }

  private func editNotes(of node: LinkedNode) {
    var notes = node.notes ?? []
    guard !notes.isEmpty else { return node.notes = [makeNote()] }
    switch value % 4 {
    case 0: notes[value % notes.count].text = "Edit \(value % 5)"
    case 1: node.notes = notes.reversed()
    case 2: notes.remove(at: value % notes.count)
    default: notes.insert(makeNote(), at: value % (notes.count + 1))
    }
    if value % 4 > 1 { node.notes = notes }
  }
}
