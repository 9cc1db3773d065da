import Foundation
import RESTStore
import StoreProtocolTesting
import Testing

/// The address of the server that `Scripts/rest-contract` starts; nil without it.
private let address = ProcessInfo.processInfo.environment["RESTSTORE_DJANGO_URL"]

@Suite(
  .enabled(if: address != nil, "needs Django REST framework: run Scripts/rest-contract"), .serialized,
  .timeLimit(.minutes(30)))
struct `A REST store on a Django REST server` {
  private static let dialect = DjangoRESTDialect(paging: .pages(size: 7), orderingParameter: "ordering")

  func store(_ prefix: String = "", _ dialect: any RESTDialect = dialect) async throws -> RESTModelStore {
    let url = try #require(address.flatMap { URL(string: $0) })
    _ = try await URLSessionTransport.shared.send(HTTPRequestData(.post, url.appendingPathComponent("reset")))
    return RESTModelStore(baseURL: url.appendingPathComponent(prefix), dialect: dialect)
  }

  func fill(_ store: RESTModelStore, _ count: Int = 20) async throws {
    for number in 1...count {
      let person = ContractPerson()
      person.name.value = "p\(number % 3)"
      if number % 5 != 0 { person.age.value = number }
      try await store.create(person)
    }
  }

  @Test(arguments: ModelStoreContract.checks(without: [.queries, .batches, .transactions, .anyModels]))
  func `A REST store on a Django REST server keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await check.run { try await store() }
  }

  @Test(arguments: [
    ("", DjangoRESTDialect(paging: .pages(size: 7))), ("parts", DjangoRESTDialect(paging: .offset(size: 7))),
    ("cursor", DjangoRESTDialect(paging: .linked)),
  ])
  func `A REST store on a Django REST server reads its three kinds of pages`(
    prefix: String, dialect: DjangoRESTDialect
  ) async throws {
    let store = try await store(prefix, dialect)
    try await fill(store)
    let all = try await store.list(ContractPerson.self)
    #expect(all.map(\.age.value) == (1...20).map { $0 % 5 == 0 ? nil : $0 })
    #expect(
      try await store.list(ContractPerson.self, limit: 5, offset: 9).map(\.id.value) == all[9..<14].map(\.id.value))
    #expect(try await store.count(ContractPerson.self) == 20)
    var streamed = 0
    for try await _ in store.stream(ContractPerson.self) { streamed += 1 }
    #expect(streamed == 20)
  }

  @Test func `A REST store on a Django REST server evaluates conditions and orders as this process does`()
    async throws
  {
    let store = try await store()
    try await fill(store)
    let conditions: [(ModelColumns<ContractPerson>) -> QueryExpression] = [
      { $0.age > 10 }, { $0.age <= 4 && $0.name == "p1" }, { $0.age == nil }, { $0.age != nil && $0.name > "p0" },
      { $0.age.isIn([3, 4, 5]) }, { $0.name.isIn(["p0", "p2"]) && $0.age >= 2 },
    ]
    for condition in conditions {
      for sort in [[], [ModelSort<ContractPerson>.descending(\.age), .ascending(\.id)]] {
        let asked = try await store.list(ContractPerson.self, where: condition, sort: sort, limit: 9)
        let here = try await store.list(
          ContractPerson.self, where: condition, sort: sort, limit: 9, evaluation: .inMemory)
        #expect(asked.map(\.id.value) == here.map(\.id.value))
      }
    }
  }

  @Test func `A REST store on a Django REST server finds a moment and a decimal that it just read`() async throws {
    let store = try await store()
    for (number, fraction) in [0.065_916, 0.000_001, 0.5, 0].enumerated() {
      let person = ContractPerson()
      person.name.value = "p\(number)"
      person.joined.value = Date(timeIntervalSince1970: 1_700_000_000 + fraction)
      try await store.create(person)
    }
    let instance = RESTModelStore(store.handle)
    let people = try await instance.list(ContractPerson.self)
    #expect(people.count == 4)
    for person in people {
      let joined = try #require(person.joined.value)
      #expect(try await instance.list(ContractPerson.self, where: { $0.joined == joined }) == [person])
      let later = try await instance.list(ContractPerson.self, where: { $0.joined >= joined }).map(\.name.value)
      #expect(Set(later) == Set(people.filter { $0.joined.value.map { $0 >= joined } ?? false }.map(\.name.value)))
    }
    for amount in ["12.5", "0.1", "99999999.9999", "-3", "0"] {
      let bill = ContractBill()
      bill.amount.value = Decimal(string: amount)
      try await store.create(bill)
    }
    let bills = try await instance.list(ContractBill.self)
    #expect(bills.map(\.amount.value) == ["12.5", "0.1", "99999999.9999", "-3", "0"].map { Decimal(string: $0) })
    for bill in bills {
      let amount = try #require(bill.amount.value)
      #expect(try await instance.list(ContractBill.self, where: { $0.amount == amount }) == [bill])
      let fewer = try await instance.list(ContractBill.self, where: { $0.amount < amount })
      #expect(fewer == bills.filter { ($0.amount.value ?? 0) < amount })
    }
  }

  @Test func `A REST store on a Django REST server lists the models of a relation`() async throws {
    let store = try await store()
    let company = ContractCompany()
    company.id.value = "acme"
    try await store.create(company)
    let person = ContractPerson()
    person.name.value = "Ada"
    person.company.value = company
    try await store.create(person)
    try await fill(store, 3)
    #expect(try await store.list(in: company.employees) == [person])
  }

  @Test func `A REST store on a Django REST server reports the error of a field`() async throws {
    let store = try await store()
    let person = ContractPerson()
    person.name.value = String(repeating: "x", count: 81)
    let error = try await storeError { try await store.create(person) }
    #expect(error.code == .invalid)
    #expect(error.fields["name"]?.first?.contains("80") == true)
    #expect(person.name.validationState.messages == error.fields["name"])
    #expect(try await store.count(ContractPerson.self) == 0)
  }

  @Test func `A REST store on a Django REST server reports that nothing changed`() async throws {
    let store = try await store()
    try await fill(store, 1)
    let identifier = try #require(try await store.first(ContractPerson.self)?.identifier)
    let instance = RESTModelStore(store.handle)
    let person = try await instance.lookup(ContractPerson.self, identifier: identifier)
    #expect(try await instance.lookup(ContractPerson.self, identifier: identifier) === person)
  }
}
