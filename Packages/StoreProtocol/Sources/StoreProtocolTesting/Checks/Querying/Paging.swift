import Foundation
import StoreProtocol

extension ModelStoreContract {
  static let paging: [Check] = [
    Check("pages have every model once, and the last page has no mark") { store in
      for number in 0..<7 { try await store.create(ContractPerson.named("n\(number)")) }
      let names = Set((0..<7).map { "n\($0)" })
      for size in [1, 2, 3, 7, 8] {
        let found = try await pages(ModelQuery(ContractPerson.self, limit: size), in: store)
        try require(found.allSatisfy { $0.count <= size }, "a page of \(size) has more models")
        try requireEqual(found.joined().count, 7, "the number of models in pages of \(size)")
        try requireEqual(Set(found.joined().compactMap(\.name.value)), names, "the models in pages of \(size)")
      }
      let whole = try await pages(ModelQuery(ContractPerson.self), in: store)
      try requireEqual(whole.joined().count, 7, "the number of models in pages of the usual size")
      let none = try await pages(ModelQuery(ContractPerson.self, limit: 0), in: store)
      try requireEqual(none.joined().count, 0, "the number of models in pages of 0")
      try requireEqual(try await pages(ModelQuery(ContractTeam.self), in: store).joined().count, 0, "that of no models")
    },
    Check("pages of an ordered list have what the list has, in its order", needs: [.queries]) { store in
      let people = [("b", 2), ("a", 1), ("c", nil), ("B", 2), ("a", 3), ("d", nil), ("e", 1), ("f", 2)]
      try await store.createAll(people.map { ContractPerson.named($0, age: $1) })
      let orders: [[ModelSort<ContractPerson>]] = [
        [.ascending(\.age)], [.descending(\.age)], [.ascending(\.age, nils: .last)], [.descending(\.age, nils: .first)],
        [.descending(\.age), .ascending(\.name)], [.ascending { $0.name.ignoringCase }, .descending(\.age)],
      ]
      for sort in orders {
        for size in 1...4 {
          for offset in [0, 3] {
            let query = ModelQuery(
              ContractPerson.self, where: { $0.name != "f" }, sort: sort, limit: size, offset: offset)
            let found = try await pages(query, in: store).joined()
            let all = try await store.list(ContractPerson.self, where: { $0.name != "f" }, sort: sort, offset: offset)
            try requireEqual(found.map(\.age.value), all.map(\.age.value), "the ages of \(query)")
            try requireEqual(
              Set(found.compactMap(\.id.value)), Set(all.compactMap(\.id.value)), "the models of \(query)")
          }
        }
      }
    },
    Check("a mark is valid after it was written as JSON and read, and with another page size") { store in
      for number in 0..<5 { try await store.create(ContractPerson.named("n\(number)")) }
      var query = ModelQuery(ContractPerson.self, limit: 2)
      let first = try await store.page(query, after: nil)
      guard let next = first.next else { throw ContractViolation("a page of 2 of 5 models has no mark") }
      let mark = try JSONDecoder().decode(ModelPageMark.self, from: JSONEncoder().encode(next))
      try requireEqual(mark, next, "the mark that was read")
      query.limit = 1
      let second = try await store.page(query, after: mark)
      try requireEqual(second.models.count, 1, "the number of models in the second page")
      try requireEqual(Set((first.models + second.models).compactMap(\.id.value)).count, 3, "the number of both")
    },
    Check("a mark that was written as JSON keeps every digit of its sort values", needs: [.queries]) { store in
      let balances = [
        "0.1", "99999999999999999.98", "99999999999999999.99", "12345678901234567890.12345", "-9007199254740991.4",
      ]
      for text in balances {
        let person = ContractPerson.named(text)
        person.balance.value = Decimal(string: text)
        try await store.create(person)
      }
      let query = ModelQuery(ContractPerson.self, sort: [.ascending(\.balance)], limit: 1)
      var (names, mark) = ([String?](), ModelPageMark?.none)
      repeat {
        let page = try await store.page(query, after: mark)
        names += page.models.map(\.name.value)
        mark = try page.next.map { try JSONDecoder().decode(ModelPageMark.self, from: JSONEncoder().encode($0)) }
      } while mark != nil && names.count < 10
      try requireEqual(
        names, [balances[4], balances[0], balances[1], balances[2], balances[3]], "the models of pages of 1")
    },
    Check("page rejects the mark of a query with another order, condition or type", needs: [.queries]) { store in
      try await store.createAll((0..<4).map { (number: Int) in ContractPerson.named("n\(number)", age: number) })
      let page = try await store.page(ModelQuery(ContractPerson.self, sort: [.ascending(\.age)], limit: 2), after: nil)
      guard let mark = page.next else { throw ContractViolation("a page of 2 of 4 models has no mark") }
      try await requireError(.invalid, "another order") {
        _ = try await store.page(ModelQuery(ContractPerson.self, sort: [.descending(\.age)], limit: 2), after: mark)
      }
      try await requireError(.invalid, "another condition") {
        _ = try await store.page(
          ModelQuery(ContractPerson.self, where: { $0.age > 0 }, sort: [.ascending(\.age)], limit: 2), after: mark)
      }
      try await requireError(.invalid, "another type") {
        _ = try await store.page(ModelQuery(ContractCompany.self, limit: 2), after: mark)
      }
    },
    Check(
      "a page continues after the previous one, although its last record was deleted or changed",
      needs: [.queries, .steadyPages]
    ) { store in
      let orders: [[ModelSort<ContractPerson>]] = [
        [], [.ascending(\.age)], [.descending(\.age), .ascending(\.height)],
      ]
      for sort in orders {
        for deletes in [true, false] {
          let people = (0..<8).map { ContractPerson.named("n\($0)", age: $0 / 4) }
          try await store.createAll(people)
          let query = ModelQuery(ContractPerson.self, sort: sort, limit: 3)
          let first = try await store.page(query, after: nil)
          guard let last = first.models.last else { throw ContractViolation("the first page is empty") }
          if deletes {
            for model in first.models { try await store.delete(model) }
          } else {
            last.age.value = 100
            try await store.update(last)
          }
          var (seen, mark) = (Set(first.models.compactMap(\.id.value)), first.next)
          while let next = mark {
            let page = try await store.page(query, after: next)
            for model in page.models where model !== last {
              try require(seen.insert(model.id.value ?? 0).inserted, "a model is in two pages")
            }
            mark = page.next
          }
          try requireEqual(seen.count, 8, "the number of models in all pages")
          try await store.deleteAll(ContractPerson.self)
        }
      }
    },
    Check("pages inside a transaction have what it wrote", needs: [.queries, .transactions, .steadyPages]) { store in
      try await store.createAll((0..<6).map { ContractPerson.named("n\($0)", age: $0 % 3) })
      try await transaction(in: store) { store in
        let all = try await store.list(ContractPerson.self)
        try await store.delete(all[1])
        all[0].age.value = 2
        try await store.update(all[0])
        try await store.createAll((6..<9).map { ContractPerson.named("n\($0)", age: $0 % 3) })
        for sort in [[], [.ascending(\.age)], [.descending(\.age), .ascending(\.name)]] as [[ModelSort<ContractPerson>]]
        {
          let query = ModelQuery(ContractPerson.self, sort: sort, limit: 2)
          let found = try await pages(query, in: store).joined().map(\.id.value)
          let expected = try await store.list(ContractPerson.self, sort: sort).map(\.id.value)
          try requireEqual(found, expected, "the models of \(query)")
        }
      }
    },
  ]

  /// Returns all pages of a query.
  private static func pages<M: Model>(_ query: ModelQuery<M>, in store: some ModelStore) async throws -> [[M]] {
    var pages: [[M]] = []
    var mark: ModelPageMark?
    repeat {
      let page = try await store.page(query, after: mark)
      pages.append(page.models)
      mark = page.next
      try require(pages.count <= 100, "there are more than 100 pages of \(query)")
    } while mark != nil
    return pages
  }

  /// Pages that are read while records are created, changed and deleted.
  ///
  /// - Parameters:
  ///   - count: the number of histories.
  ///   - seed: the same seed gives the same histories.
  public static func randomPages(_ count: Int, seed: UInt64) -> Check {
    Check(
      "pages have every unchanged model once, whatever is done to others (\(count) histories of seed \(seed))",
      needs: [.queries, .steadyPages]
    ) { try await RandomPages.run(count, seed: seed, in: $0) }
  }
}

/// Pages of a random query, and random changes between them.
private struct RandomPages: RandomHistory {
  var random: RandomSource
  private(set) var steps: [String] = []

  init(_ random: RandomSource) { self.random = random }

  mutating func run(in store: some ModelStore) async throws {
    let count = Int.random(in: 0...30, using: &random)
    for _ in 0..<count { try await create(in: store) }
    let orders = (0..<Int.random(in: 0...3, using: &random)).map { _ in RandomOrder.random(&random) }
    var query = ModelQuery(ContractPerson.self, sort: orders.map(\.sort), limit: Int.random(in: 1...6, using: &random))
    if random.next() % 3 == 0 { query.filter = ModelQuery(ContractPerson.self, where: { $0.isActive != false }).filter }
    steps.append("\(query) of \(count)")
    var untouched = Set(try await store.identifiers(query.withoutLimit))
    var seen: [String: Int] = [:]
    var mark: ModelPageMark?
    repeat {
      let page = try await store.page(query, after: mark)
      steps.append("page \(page.models.map { $0.identifier ?? "" })")
      for model in page.models { seen[model.identifier ?? "", default: 0] += 1 }
      mark = page.next
      for _ in 0..<Int.random(in: 0...3, using: &random) { try await change(&untouched, in: store) }
    } while mark != nil && steps.count < 1_000
    for identifier in untouched {
      try requireEqual(seen[identifier] ?? 0, 1, "the number of pages with \(identifier)")
    }
    try await store.deleteAll(ContractPerson.self)
  }

  private mutating func create(in store: some ModelStore) async throws {
    let person = ContractPerson.named(random.pick(["a", "b", "B", "c"]))
    change(person)
    try await store.create(person)
  }

  private mutating func change(_ person: ContractPerson) {
    person.age.value = random.maybe { Int.random(in: 0...3, using: &$0) }
    person.height.value = random.maybe { $0.pick([1, 1.5, 2]) }
    person.isActive.value = random.maybe { $0.next() & 1 == 0 }
    person.tags.value = random.maybe { $0.pick([[], ["x"], ["x", "y"]]) }
  }

  private mutating func change(_ untouched: inout Set<String>, in store: some ModelStore) async throws {
    let all = try await store.list(ContractPerson.self)
    guard random.next() % 3 > 0, !all.isEmpty else {
      steps.append("create")
      return try await create(in: store)
    }
    let person = random.pick(all)
    untouched.remove(person.identifier ?? "")
    if random.next() & 1 == 0 {
      steps.append("delete \(person.identifier ?? "")")
      try await store.delete(person)
    } else {
      steps.append("change \(person.identifier ?? "")")
      change(person)
      try await store.update(person)
    }
  }
}

extension ModelQuery {
  fileprivate var withoutLimit: ModelQuery {
    var query = self
    query.limit = nil
    return query
  }
}
