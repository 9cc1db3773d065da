import StoreProtocol

/// A model that holds any JSON.
final class ContractPaper: Model {
  let id = Field<String>()
  let content = Field<JSONValue>()
  let weight = Field<Double>()
  override var identifierField: AnyField? { id }
  override class var typeName: String { "ContractPaper" }

  /// Returns a value of so many lists and objects inside each other.
  static func nested(_ depth: Int) -> JSONValue {
    (0..<depth).reduce(.string("innermost")) { $1.isMultiple(of: 2) ? .array([$0]) : .object(["in": $0]) }
  }
}

extension ModelStoreContract {
  /// Every accepted record can be read.
  static let limits: [Check] = [
    Check("an accepted record can be read, and one that could not be read is rejected", needs: [.anyModels]) { store in
      var kept: [JSONValue] = []
      func put(_ content: JSONValue) async throws {
        let paper = ContractPaper()
        paper.id.value = "\(kept.count)"
        paper.content.value = content
        do {
          try await store.create(paper)
          kept.append(content)
        } catch let error as ModelStoreError {
          try requireEqual(error.code, .invalid, "the code for what is rejected")
        }
        // All stored records can be read, whether or not this one was stored.
        let papers = try await store.list(ContractPaper.self)
        try requireEqual(papers.count, kept.count, "the number of models")
        guard let last = kept.indices.last else { return }
        let found = try await store.lookup(ContractPaper.self, identifier: "\(last)")
        try await store.refresh(found)
        try requireEqual(found.content.value, kept[last], "the value that was read")
      }
      for depth in [1, 100, 400, 490, 497, 498, 499, 500, 501, 509, 510, 511, 512, 513] {
        try await put(ContractPaper.nested(depth))
      }
      try require(kept.count >= 2, "only \(kept.count) values were accepted")
      let controls = String(String.UnicodeScalarView((0..<0x20).compactMap { Unicode.Scalar($0) })) + "\u{7f}\u{2028}"
      let edges = "\u{d7ff}\u{e000}\u{fffe}\u{ffff}\u{10ffff}"
      try await put(.object([controls: .string(controls), edges: .string(edges), "": .string("")]))
      try await put(.object([String(repeating: "k", count: 20_000): .string(String(repeating: "v", count: 200_000))]))
      let numbers: [Double] = [.greatestFiniteMagnitude, -.leastNonzeroMagnitude, -0.0, .leastNormalMagnitude, 0.1]
      try await put(.array(numbers.map { .double($0) } + [.int(.max), .int(.min)]))
      for number in [Double.nan, .infinity, -.infinity] { try await put(.array([.double(number)])) }
    },
    Check("a number that JSON can't spell is rejected, and nothing is stored", needs: [.anyModels]) { store in
      for number in [Double.nan, .infinity] {
        let paper = ContractPaper()
        paper.weight.value = number
        try await requireError(.invalid, "create with \(number)") { try await store.create(paper) }
        try requireEqual(try await store.list(ContractPaper.self).count, 0, "the number of models")
      }
    },
    Check("an identifier of any characters and length can be looked up", needs: [.anyModels]) { store in
      let identifiers = ["\u{0}\u{1f}\n\r\t\"\\/", "\u{10ffff}\u{e000}", String(repeating: "k", count: 10_000), " "]
      for identifier in identifiers {
        let paper = ContractPaper()
        paper.id.value = identifier
        try await store.create(paper)
        let found = try await store.lookup(ContractPaper.self, identifier: identifier)
        try await store.refresh(found)
        try requireEqual(found.id.value, identifier, "the identifier")
      }
      // A server may order them by the identifier.
      let found = try await store.list(ContractPaper.self).compactMap(\.id.value).map { Array($0.utf8) }
      try requireEqual(Set(found), Set(identifiers.map { Array($0.utf8) }), "the identifiers")
      try requireEqual(found.count, identifiers.count, "their number")
    },
  ]
}
