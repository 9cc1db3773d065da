import Foundation
import StoreProtocol

extension ModelStoreContract {
  static let aggregating: [Check] = [
    Check("aggregates leave nil out, and are nil without a value") { store in
      for (number, age) in [30, nil, 10, 10].enumerated() {
        let person = ContractPerson.named("\(number)", age: 0)
        person.age.value = age
        try await store.create(person)
      }
      try requireEqual(try await store.sum(ContractPerson.self, of: \.age), 50, "the sum")
      try requireEqual(try await store.average(ContractPerson.self, of: \.age), 50.0 / 3, "the average")
      try requireEqual(try await store.minimum(ContractPerson.self, of: \.age), 10, "the minimum")
      try requireEqual(try await store.maximum(ContractPerson.self, of: \.name), "3", "the maximum of a text")
      try requireEqual(try await store.count(ContractPerson.self, distinct: { $0.age }), 2, "the different ages")
      try requireEqual(try await store.sum(ContractPerson.self, of: \.height), nil, "the sum of no values")
      try requireEqual(try await store.maximum(ContractPerson.self, of: \.joined), nil, "the maximum of no values")
    },
    Check("aggregates with a condition that is evaluated in memory") { store in
      for age in [10, 20, 30] { try await store.create(ContractPerson.named("\(age)", age: age)) }
      let query = ModelQuery(ContractPerson.self, where: { $0.age > 15 }, evaluation: .inMemory)
      try requireEqual(try await store.sum(query, of: \.age), 50, "the sum")
      try requireEqual(try await store.values(query, of: \.name), ["20", "30"], "the names")
      let groups = try await store.groups(query, by: { $0.age }) { $0.count }
      try requireEqual(groups.map(\.key), [20, 30], "the keys of the groups")
      try requireEqual(
        try await store.average(ContractPerson.self, of: \.age, where: { $0.age < 25 }, evaluation: .inMemory), 15,
        "the average")
    },
    Check("texts that ignore case are lowercase in groups, values and aggregates") { store in
      for name in ["Rome", "rome", "Oslo"] { try await store.create(ContractPerson.named(name)) }
      let groups = try await store.groups(ContractPerson.self, by: { $0.name.ignoringCase }) { $0.count }
      try requireEqual(groups.map(\.key), ["rome", "oslo"], "the keys")
      try requireEqual(groups.map(\.values), [2, 1], "the counts")
      let values = try await store.values(ContractPerson.self, of: { $0.name.ignoringCase })
      try requireEqual(values, ["rome", "rome", "oslo"], "the values")
      try requireEqual(
        try await store.count(ContractPerson.self, distinct: { $0.name.ignoringCase }), 2, "the different texts")
    },
    Check("aggregates, values and pages have what is stored, without local changes", needs: [.queries]) { store in
      for number in 1...4 { try await store.create(ContractPerson.named("\(number)", age: number)) }
      let query = ModelQuery(ContractPerson.self, sort: [.ascending(\.age)], limit: 2)
      let first = try await store.page(query, after: nil)
      guard let last = try await store.list(ContractPerson.self, where: { $0.age == 4 }).first else {
        throw ContractViolation("a list with a condition lacks a model")
      }
      last.age.value = 0
      try requireEqual(try await store.sum(ContractPerson.self, of: \.age), 10, "the sum")
      try requireEqual(
        try await store.values(ContractPerson.self, of: \.age, sort: [.ascending(\.age)]), [1, 2, 3, 4], "the values")
      let second = try await store.page(query, after: first.next)
      try requireEqual(second.models.map(\.name.value), ["3", "4"], "the names of the second page")
      try require(second.next == nil && last.age.value == 0, "there is a third page, or the local change is gone")
    },
    Check("groups have a key of each value, even of nil") { store in
      for (number, color) in [ContractColor.red, nil, .blue, .red].enumerated() {
        let person = ContractPerson.named("\(number)", age: 10 * number)
        person.color.value = color
        try await store.create(person)
      }
      let groups = try await store.groups(ContractPerson.self, by: { $0.color }) { ($0.count, $0.sum(\.age)) }
      try requireEqual(groups.map(\.key), [.red, nil, .blue], "the keys")
      try requireEqual(groups.map(\.values.0), [2, 1, 1], "the counts")
      try requireEqual(groups.map(\.values.1), [30, 10, 20], "the sums")
    },
    Check("groups are sorted by their values, and limited") { store in
      for (number, color) in [ContractColor.red, nil, .blue, .red, .green, nil].enumerated() {
        let person = ContractPerson.named("\(number)", age: 10 * number)
        person.color.value = color
        if color == .green { person.age.value = nil }
        try await store.create(person)
      }
      for _ in 1...3 {
        let bySum = try await store.groups(
          ContractPerson.self, by: { $0.color }, sort: { [.descending($0.sum(\.age))] }
        ) { ($0.count, $0.sum(\.age)) }
        try requireEqual(bySum.map(\.key), [nil, .red, .blue, .green], "the keys by descending sum")
        try requireEqual(bySum.map(\.values.1), [60, 30, 20, nil], "the sums")
        let byCount = try await store.groups(
          ContractPerson.self, by: { $0.color }, sort: { [.ascending($0.count), .descending($0.maximum(\.name))] },
          limit: 3
        ) { $0.count }
        try requireEqual(byCount.map(\.key), [.green, .blue, nil], "the keys by count and name")
        let byName = try await store.groups(
          ContractPerson.self, by: { $0.name }, sort: { [.descending($0.minimum(\.name))] }, limit: 2
        ) { $0.count }
        try requireEqual(byName.map(\.key), ["5", "4"], "the keys in descending order")
      }
      let query = ModelQuery(ContractPerson.self, limit: 3, evaluation: .inMemory)
      let first = try await store.groups(query, by: { $0.color }, limit: 2) { $0.count }
      try requireEqual(first.map(\.key), [.red, nil], "the keys of the first two groups of three models")
      try await requireError(.invalid, "groups") {
        _ = try await store.groups(ContractPerson.self, by: { $0.color }, limit: -1) { $0.count }.count
      }
    },
    Check("a sum that does not fit its type is an error", needs: [.transactions]) { store in
      for number in 1...2 {
        let person = ContractPerson.named("\(number)", age: 30)
        person.id.value = Int.max - number
        try await store.create(person)
      }
      let error = try await requireError(.invalid, "sum") {
        _ = try await store.sum(ContractPerson.self, of: \.id)
      }
      try require(error.message.contains("id"), "the error does not name the column: \(error.message)")
      try requireEqual(try await store.maximum(ContractPerson.self, of: \.id), Int.max - 1, "the maximum")
    },
    Check("a relation is no column, but its identifier is one", needs: [.transactions, .queries]) { store in
      let first = ContractStop(), last = ContractStop()
      try await store.create(first)
      last.previous = first
      try await store.create(last)
      let identifiers = try await store.values(ContractStop.self, of: { $0.previous.id })
      try requireEqual(Set(identifiers), [nil, first.id], "the identifiers")
      let queries = [ModelQuery(ContractStop.self), ModelQuery(ContractStop.self, where: { $0.previous == nil })]
      for query in queries {
        try await requireError(.unsupported, "values") {
          _ = try await store.values(query, of: { $0.previous })
        }
        try await requireError(.unsupported, "values of two columns") {
          _ = try await store.values(query, of: { ($0.id, $0.previous) })
        }
        try await requireError(.unsupported, "groups") {
          let groups = try await store.groups(query, by: { $0.previous }) { $0.count }
          _ = groups.count
        }
        try await requireError(.unsupported, "count") {
          _ = try await store.count(query, distinct: { $0.previous })
        }
      }
    },
    Check("columns of related models that are not live are those of their records", needs: [.queries, .anyModels]) {
      store in
      try await storePeople(in: store)
      let rows = try await store.values(ContractPerson.self, of: { ($0.name, $0.company.name) })
      try requireEqual(rows.map(\.0), ["Ada", "Bob", "Cleo"], "the names")
      try requireEqual(rows.map(\.1), ["Acme", nil, "Acme"], "the names of the companies")
      let groups = try await store.groups(ContractPerson.self, by: { $0.company.name }) { $0.count }
      try requireEqual(groups.map(\.key), ["Acme", nil], "the keys")
      try requireEqual(groups.map(\.values), [2, 1], "the counts")
      try requireEqual(
        try await store.maximum(ContractPerson.self, of: { $0.company.name }), "Acme", "the maximum of the companies")
    },
    Check("groups by a column of a related model read its record", needs: [.transactions]) { store in
      let company = ContractCompany.with(identifier: "acme", in: store.scope)
      company.name.value = "Acme"
      try await store.create(company)
      for (name, company) in [("Ada", company), ("Bob", nil)] {
        let person = ContractPerson.named(name, age: 30)
        person.company.value = company
        try await store.create(person)
      }
      let groups = try await store.groups(ContractPerson.self, by: { $0.company.name }) { $0.count }
      try requireEqual(groups.map(\.key), ["Acme", nil], "the keys")
      try requireEqual(groups.map(\.values), [1, 1], "the counts")
      let rows = try await store.values(ContractPerson.self, of: { ($0.name, $0.company.name) })
      try requireEqual(rows.map(\.0), ["Ada", "Bob"], "the names")
      try requireEqual(rows.map(\.1), ["Acme", nil], "the names of the companies")
    },
  ]

  /// Stores two people of a company, and one without, which are not live afterwards.
  private static func storePeople(in store: any ModelStore) async throws {
    let company = ContractCompany.named("Acme")
    company.id.value = "acme"
    try await store.create(company)
    for name in ["Ada", "Bob", "Cleo"] {
      let person = ContractPerson.named(name)
      if name != "Bob" { person.company.value = company }
      try await store.create(person)
    }
  }

  /// Returns a check that aggregates, groups and columns of random data equal those computed in plain Swift.
  ///
  /// - Parameters:
  ///   - count: the number of queries.
  ///   - seed: the beginning of the random numbers; a violation names it.
  public static func randomAggregates(_ count: Int, seed: UInt64) -> Check {
    Check("random aggregates and groups are those of plain Swift", needs: [.queries]) { store in
      var random = RandomSource(seed: seed)
      let people = try await fill(store, &random)
      for number in 1...max(count, 1) {
        let (query, expected) = randomQuery(people, &random)
        let what = "of \(query), query \(number) of seed \(seed),"
        // A store may keep the columns of a query that is repeated.
        for _ in 0..<(number.isMultiple(of: 4) ? 3 : 1) {
          try await checkAggregates(of: query, expected, in: store, what)
          try await checkSums(of: query, expected, in: store, what)
          try await checkGroups(of: query, expected, in: store, what)
        }
      }
    }
  }

  private static func checkAggregates(
    of query: ModelQuery<ContractPerson>, _ expected: [PlainPerson], in store: any ModelStore, _ what: String
  ) async throws {
    let rows = try await store.values(query, of: { ($0.id, $0.name, $0.age, $0.joined) })
    try requireEqual(rows.map(\.0), expected.map(\.id), "the identifiers \(what)")
    try requireEqual(rows.map(\.1), expected.map(\.name), "the names \(what)")
    try requireEqual(rows.map(\.2), expected.map(\.age), "the ages \(what)")
    try requireEqual(rows.map(\.3), expected.map(\.joined), "the moments \(what)")
    try requireEqual(
      try await store.minimum(query, of: \.height), expected.compactMap(\.height).min(), "the minimum \(what)")
    try requireEqual(
      try await store.maximum(query, of: \.birthday), expected.compactMap(\.birthday).max(), "the maximum \(what)")
    try requireEqual(
      try await store.count(query, distinct: { $0.name }), Set(expected.map { Array($0.name.utf8) }).count,
      "the different names \(what)")
  }

  private static func checkSums(
    of query: ModelQuery<ContractPerson>, _ expected: [PlainPerson], in store: any ModelStore, _ what: String
  ) async throws {
    let (ages, heights) = (expected.compactMap(\.age), expected.compactMap(\.height))
    let balances = expected.compactMap(\.balance)
    try requireEqual(
      try await store.sum(query, of: \.age), ages.isEmpty ? nil : ages.reduce(0, +), "the sum of integers \(what)")
    try requireEqual(
      try await store.average(query, of: \.age),
      ages.isEmpty ? nil : Double(ages.reduce(0, +)) / Double(ages.count), "the average of integers \(what)")
    try requireEqual(
      try await store.sum(query, of: \.balance), balances.isEmpty ? nil : balances.reduce(0, +),
      "the sum of decimals \(what)")
    try requireEqual(
      try await store.average(query, of: \.balance),
      balances.isEmpty ? nil : balances.reduce(0, +) / Decimal(balances.count), "the average of decimals \(what)")
    let sum = try await store.sum(query, of: \.height)
    try require(isClose(sum, heights.isEmpty ? nil : heights.reduce(0, +)), "the sum of doubles is \(sum ?? 0) \(what)")
    let average = try await store.average(query, of: \.height)
    try require(
      isClose(average, heights.isEmpty ? nil : heights.reduce(0, +) / Double(heights.count)),
      "the average of doubles is \(average ?? 0) \(what)")
  }

  /// Returns whether numbers are the same, apart from their rounding.
  private static func isClose(_ left: Double?, _ right: Double?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return abs(left - right) <= 1e-3 + 1e-12 * abs(right)
  }

  private static func checkGroups(
    of query: ModelQuery<ContractPerson>, _ expected: [PlainPerson], in store: any ModelStore, _ what: String
  ) async throws {
    let utc = gregorianCalendar
    let groups = try await store.groups(query, by: { ($0.color, $0.isActive) }) {
      ($0.count, $0.maximum(\.age), $0.sum(\.balance), $0.average(\.age))
    }
    struct Key: Hashable {
      let color: ContractColor?
      let isActive: Bool?
    }
    let plain = Dictionary(grouping: expected) { Key(color: $0.color, isActive: $0.isActive) }
    try requireEqual(groups.count, plain.count, "the number of groups \(what)")
    for (key, values) in groups {
      let members = plain[Key(color: key.0, isActive: key.1)] ?? []
      let (ages, balances) = (members.compactMap(\.age), members.compactMap(\.balance))
      try requireEqual(values.0, members.count, "the count of the group \(key) \(what)")
      try requireEqual(values.1, ages.max(), "the maximum of the group \(key) \(what)")
      try requireEqual(
        values.2, balances.isEmpty ? nil : balances.reduce(0, +), "the sum of the group \(key) \(what)")
      try requireEqual(
        values.3, ages.isEmpty ? nil : Double(ages.reduce(0, +)) / Double(ages.count),
        "the average of the group \(key) \(what)")
    }
    let months = try await store.groups(query, by: { $0.joined.month(in: utc) }) { $0.count }
    let plainMonths = Dictionary(grouping: expected) { person in
      person.joined.flatMap { utc.dateInterval(of: .month, for: $0)?.start }
    }
    try requireEqual(months.count, plainMonths.count, "the number of months \(what)")
    for (key, count) in months {
      let start = key.flatMap { utc.date(from: DateComponents(year: $0.year, month: $0.month, day: $0.day)) }
      try requireEqual(count, plainMonths[start]?.count, "the count of a month \(what)")
    }
    let companies = try await store.groups(
      query, by: { $0.company.name }, sort: { [.descending($0.count), .ascending($0.minimum(\.id))] }, limit: 2
    ) { ($0.count, $0.sum(\.age), $0.minimum(\.id)) }
    let plainCompanies = Dictionary(grouping: expected) { $0.company?.name }.map { name, members in
      let ages = members.compactMap(\.age)
      return (name, members.count, ages.isEmpty ? nil : ages.reduce(0, +), members.map(\.id).min() ?? 0)
    }.sorted { ($1.1, $0.3) < ($0.1, $1.3) }.prefix(2)
    try requireEqual(companies.map(\.key), plainCompanies.map(\.0), "the companies \(what)")
    try requireEqual(companies.map(\.values.0), plainCompanies.map(\.1), "the counts of companies \(what)")
    try requireEqual(companies.map(\.values.1), plainCompanies.map(\.2), "the sums of companies \(what)")
  }

  private static var gregorianCalendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }
}

/// A model with a reference to another one of its class.
private final class ContractStop: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var previous: ContractStop?
  override var identifierField: AnyField? { $id }
}
