/// An embedded model as a plain value.
struct PlaqueValue: Hashable, CustomStringConvertible {
  var text: Int
  var marks: [Int] = []

  var description: String { marks.isEmpty ? "\(text)" : "\(text)\(marks)" }
}

/// A field as a plain value. Models are numbers.
enum EditedValue: Hashable, CustomStringConvertible {
  case size(Int)
  case plaques([PlaqueValue])
  case link(Int?)
  case links([Int])

  var description: String {
    switch self {
    case .size(let size): "\(size)"
    case .plaques(let plaques): "\(plaques)"
    case .link(let number): number.map { "\($0)" } ?? "none"
    case .links(let numbers): "\(numbers)"
    }
  }

  /// The numbers of the models that the field references.
  var targets: [Int] {
    switch self {
    case .link(let number?): [number]
    case .links(let numbers): numbers
    default: []
    }
  }

  /// The value without references to some models.
  func without(_ numbers: Set<Int>) -> EditedValue {
    switch self {
    case .link(let number?) where numbers.contains(number): .link(nil)
    case .links(let links): .links(links.filter { !numbers.contains($0) })
    default: self
    }
  }
}

/// A model as plain values, by the keys of its fields.
struct EditedRow: Equatable {
  enum Kind: String, CaseIterable { case gallery, picture, permit, subject }

  let kind: Kind
  var values: [String: EditedValue]

  subscript(key: String) -> EditedValue? {
    get { values[key] }
    set { values[key] = newValue }
  }

  var size: Int { if case .size(let size)? = values["size"] { size } else { 0 } }
  var sign: PlaqueValue? {
    get { if case .plaques(let plaques)? = values["sign"] { plaques.first } else { nil } }
    set { values["sign"] = .plaques(newValue.map { [$0] } ?? []) }
  }
  var plaques: [PlaqueValue] {
    get { if case .plaques(let plaques)? = values["plaques"] { plaques } else { [] } }
    set { values["plaques"] = .plaques(newValue) }
  }
  var subjects: [Int] {
    get { values["subjects"]?.targets ?? [] }
    set { values["subjects"] = .links(newValue) }
  }
  func target(_ key: String) -> Int? { values[key]?.targets.first }
  var targets: [Int] { values.values.flatMap(\.targets) }
}

/// The reference: models as a plain dictionary, by number, with the delete rules.
struct EditedRecords: Equatable {
  var rows: [Int: EditedRow] = [:]

  subscript(number: Int) -> EditedRow? {
    get { rows[number] }
    set { rows[number] = newValue }
  }

  var numbers: [Int] { rows.keys.sorted() }

  func numbers(_ kind: EditedRow.Kind) -> [Int] { numbers.filter { rows[$0]?.kind == kind } }

  /// The models with a link to one, by the key of the link.
  func sources(of number: Int, _ key: String) -> Set<Int> {
    Set(rows.filter { $0.value[key]?.targets.contains(number) == true }.keys)
  }

  /// The pictures and the permits of a gallery.
  func members(of gallery: Int, _ kind: EditedRow.Kind) -> Set<Int> {
    sources(of: gallery, "gallery").filter { rows[$0]?.kind == kind }
  }

  /// The models that a deletion removes, and whether a rule denies it.
  func removal(of number: Int) -> (numbers: Set<Int>, isDenied: Bool) {
    guard rows[number]?.kind == .gallery else { return ([number], false) }
    return (members(of: number, .picture).union([number]), !members(of: number, .permit).isEmpty)
  }

  /// Removes models, and the links to them.
  mutating func remove(_ numbers: Set<Int>) {
    rows = rows.filter { !numbers.contains($0.key) }
    for (number, row) in rows where !numbers.isDisjoint(with: row.targets) {
      rows[number]?.values = row.values.mapValues { $0.without(numbers) }
    }
  }

  /// The links to a model, as pairs of the referencing model and the key.
  func links(to number: Int) -> Set<String> {
    var links: Set<String> = []
    for (source, row) in rows {
      for (key, value) in row.values where value.targets.contains(number) { links.insert("\(source) \(key)") }
    }
    return links
  }

  /// The lines in which these rows differ from others.
  func differences(from expected: EditedRecords) -> String {
    let numbers = Set(rows.keys).union(expected.rows.keys).sorted().filter { rows[$0] != expected[$0] }
    return numbers.map { number in
      guard let row = rows[number] else { return "  \(number) is missing" }
      guard let other = expected[number] else { return "  \(row.kind) \(number) is left over" }
      let keys = row.values.keys.filter { row[$0] != other[$0] }.sorted()
      return keys.map { key in
        "  \(row.kind) \(number).\(key) is \(row[key].map { "\($0)" } ?? "-"), not \(other[key].map { "\($0)" } ?? "-")"
      }.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
