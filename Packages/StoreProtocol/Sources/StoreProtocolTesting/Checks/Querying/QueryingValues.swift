public import Foundation
public import StoreProtocol

/// A value that writes itself as JSON, for the checks.
public struct ContractMoney: Hashable, JSONConvertible, Sendable {
  /// The amount.
  public var cents: Int

  /// Creates a value.
  public init(cents: Int) { self.cents = cents }

  /// Reads a value.
  public init(json: JSONValue) throws { cents = try Int(json: json["cents"] ?? .null) }

  /// The value as JSON.
  public var json: JSONValue { ["cents": .int(cents)] }
}

/// A value with a raw value, for the checks.
public struct ContractTag: RawRepresentable, Hashable, Sendable {
  /// The text.
  public var rawValue: String

  /// Creates a value.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// A model with values of types that are not those of JSON.
public final class ContractBill: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written as a number.
  public let amount = Field<Decimal>()
  /// Written as an object.
  public let price = Field<ContractMoney>()
  /// Written as a text.
  public let tag = Field<ContractTag>()
  /// The integer.
  public override var identifierField: AnyField? { id }
  /// The name of the type.
  public override class var typeName: String { "ContractBill" }
}

extension ModelStoreContract {
  /// Conditions about values that are written in another form.
  static let queryingValues: [Check] = [
    Check("a condition about a decimal compares all of its digits", needs: [.queries, .anyModels]) { store in
      let amounts = ["10", "9.5", "0.1", "0.10000000000000000001", "-3", "12345678901234567890.5", "0.10"]
      let values = amounts.map { Decimal(string: $0) ?? 0 }
      try await createBills(values, in: store) { $0.amount.value = $1 }
      for value in values {
        try await requireBills({ $0.amount == value }, values, { $0 == value }, "equal to \(value)", in: store)
        try await requireBills({ $0.amount != value }, values, { $0 != value }, "other than \(value)", in: store)
        try await requireBills({ $0.amount < value }, values, { $0 < value }, "less than \(value)", in: store)
        try await requireBills({ $0.amount >= value }, values, { $0 >= value }, "at least \(value)", in: store)
        let both = [value, 10]
        try await requireBills({ $0.amount.isIn(both) }, values, { both.contains($0) }, "in \(both)", in: store)
      }
      let sorted = try await store.list(ContractBill.self, sort: [.ascending(\.amount)], limit: 4)
      try requireEqual(sorted.map(\.amount.value), values.sorted().prefix(4).map { $0 }, "the smallest amounts")
    },
    Check("a condition about a JSON-convertible value finds equal ones", needs: [.queries, .anyModels]) { store in
      let values = [3, 1, 3, 2].map(ContractMoney.init)
      try await createBills(values, in: store) { $0.price.value = $1 }
      let (one, three) = (ContractMoney(cents: 1), ContractMoney(cents: 3))
      try await requireBills({ $0.price == three }, values, { $0 == three }, "equal to one", in: store)
      try await requireBills({ $0.price != three }, values, { $0 != three }, "other than one", in: store)
      try await requireBills({ $0.price.isIn([one, three]) }, values, { $0 != .init(cents: 2) }, "in two", in: store)
      try await requireBills({ $0.price == nil }, values, { _ in false }, "equal to nil", in: store)
    },
    Check("a condition about a value with a raw value finds equal ones", needs: [.queries, .anyModels]) { store in
      let values = ["a", "b", "é", "a"].map(ContractTag.init)
      try await createBills(values, in: store) { $0.tag.value = $1 }
      for value in values {
        try await requireBills({ $0.tag == value }, values, { $0 == value }, "equal to \(value)", in: store)
        try await requireBills({ !($0.tag == value) }, values, { $0 != value }, "other than \(value)", in: store)
      }
    },
    Check("a query for the value of a field that is written in part finds its record", needs: [.queries]) { store in
      // Written as a day, so that the hour is lost.
      let noon = Date(timeIntervalSince1970: 43_200.25)
      let person = ContractPerson.named("Ada")
      person.birthday.value = noon
      try await store.create(person)
      let other = ContractPerson.named("Bob")
      other.birthday.value = noon + 86_400
      try await store.create(other)
      let own = person.birthday.value
      func names(_ filter: @escaping (ModelColumns<ContractPerson>) -> QueryExpression) async throws -> [String?] {
        try await store.list(ContractPerson.self, where: filter).map(\.name.value)
      }
      try requireEqual(try await names { $0.birthday == noon }, ["Ada"], "those with the value that was set")
      try requireEqual(try await names { $0.birthday == own }, ["Ada"], "those with the value of the model")
      try requireEqual(try await names { $0.birthday != own }, ["Bob"], "those with another value")
      try requireEqual(try await names { $0.birthday >= noon }, ["Ada", "Bob"], "those from the value on")
      try requireEqual(try await names { $0.birthday < noon }, [], "those before the value")
      try requireEqual(try await names { $0.birthday.isIn([noon]) }, ["Ada"], "those with one of the values")
      try requireEqual(
        try await store.count(ModelQuery(ContractPerson.self, where: { $0.birthday == own })), 1, "the number")
    },
    Check("conditions test for one of several elements of a list, and for all", needs: [.queries]) { store in
      let company = ContractCompany.named("Acme")
      company.id.value = "acme"
      try await store.create(company)
      for (number, tags) in [["a", "b"], ["b"], [], nil].enumerated() {
        let person = ContractPerson.named("\(number)", age: 10 * number)
        person.tags.value = tags
        if number == 2 { person.company.value = company }
        try await store.create(person)
      }
      func names(_ filter: @escaping (ModelColumns<ContractPerson>) -> QueryExpression) async throws -> [String?] {
        try await store.list(ContractPerson.self, where: filter, sort: [.ascending(\.name)]).map(\.name.value)
      }
      try requireEqual(try await names { $0.tags.contains(anyOf: ["a", "c"]) }, ["0"], "those with a or c")
      try requireEqual(try await names { $0.tags.contains(anyOf: []) }, [], "those with one of no elements")
      let people = try await store.list(ContractPerson.self, sort: [.ascending(\.name)])
      let unsaved = ContractPerson.named("new")
      try requireEqual(
        try await store.count(
          ContractCompany.self, where: { $0.employees.contains(anyOf: [people[0], people[2], unsaved]) }), 1,
        "the companies of one of several people")
      try requireEqual(
        try await store.count(ContractCompany.self, where: { $0.employees.contains(anyOf: [people[1], unsaved]) }), 0,
        "the companies of none of several people")
      try requireEqual(
        try await names { $0.tags.allSatisfy { $0 == "b" } }, ["1", "2", "3"], "those that have only b")
      try requireEqual(
        try await store.count(ContractCompany.self, where: { $0.employees.allSatisfy { $0.age > 10 } }), 1,
        "the companies of people older than 10")
      try requireEqual(
        try await store.count(ContractCompany.self, where: { $0.employees.allSatisfy { $0.age > 20 } }), 0,
        "the companies of people older than 20")
    },
    Check("a condition of more than 100,000 parts is refused by every call", needs: [.queries]) { store in
      try await store.create(ContractPerson.named("Ada", age: 1))
      let query = ModelQuery(ContractPerson.self) { columns in
        func ages(_ range: Range<Int>) -> QueryExpression {
          if range.count == 1 { return columns.age == range.lowerBound }
          let middle = range.lowerBound + range.count / 2
          return ages(range.lowerBound..<middle) || ages(middle..<range.upperBound)
        }
        return ages(0..<100_001)
      }
      let filter = query.filter ?? .constant(true)
      let calls: [(String, () async throws -> Void)] = [
        ("list", { _ = try await store.list(query) }), ("count", { _ = try await store.count(query) }),
        ("identifiers", { _ = try await store.identifiers(query) }),
        ("page", { _ = try await store.page(query, after: nil) }),
        ("sum", { _ = try await store.sum(ContractPerson.self, of: \.age, where: { _ in filter }) }),
        ("stream", { for try await _ in store.stream(ContractPerson.self, where: { _ in filter }) {} }),
      ]
      for (name, call) in calls {
        let error = try await requireError(.invalid, "\(name) with 100,001 parts", call)
        try require(error.message.contains("100000 parts"), "\(name): \(error.message)")
      }
    },
  ]

  private static func createBills<Value>(
    _ values: [Value], in store: any ModelStore, _ set: (ContractBill, Value) -> Void
  ) async throws {
    try await store.createAll(
      values.enumerated().map { number, value -> ContractBill in
        let bill = ContractBill()
        bill.id.value = number
        set(bill, value)
        return bill
      })
  }

  private static func requireBills<Value>(
    _ filter: @escaping (ModelColumns<ContractBill>) -> QueryExpression, _ values: [Value], _ holds: (Value) -> Bool,
    _ what: String, in store: any ModelStore
  ) async throws {
    let expected = values.indices.filter { holds(values[$0]) }
    let query = ModelQuery(ContractBill.self, where: filter)
    try requireEqual(try await store.list(query).map(\.id.value), expected, "the bills with values \(what)")
    try requireEqual(try await store.count(query), expected.count, "the number of bills with values \(what)")
  }
}
