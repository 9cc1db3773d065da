import Foundation
import RESTStore
import StoreProtocolTesting
import Testing

// In one suite with the plain dialect, because there is one database.
extension `A REST store on a Django REST server` {
  private func jsonAPI(_ change: (inout JSONAPIDialect) -> Void = { _ in }) async throws -> RESTModelStore {
    var dialect = JSONAPIDialect(
      relationships: ["company": "contract_companies", "team": "contract_teams"], filtersByEquality: true,
      lookups: [.less: "lt", .lessOrEqual: "lte", .greater: "gt", .greaterOrEqual: "gte", .isIn: "in"],
      paging: .pages(size: 7, page: "page[number]", sizeParameter: "page[size]"), totalPath: "meta.pagination.count")
    change(&dialect)
    return try await store("jsonapi", dialect)
  }

  @Test(arguments: ModelStoreContract.checks(without: [.queries, .batches, .transactions, .anyModels]))
  func `A REST store on a Django REST server keeps the contract with JSON:API`(check: ModelStoreContract.Check)
    async throws
  {
    try await check.run { try await jsonAPI() }
  }

  @Test func `A REST store on a Django REST server reads pages of JSON:API, and counts without them`()
    async throws
  {
    let store = try await jsonAPI()
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

  @Test func `A Django server answers conditions and orders in JSON:API as this process does`() async throws {
    let store = try await jsonAPI()
    try await fill(store)
    let conditions: [(ModelColumns<ContractPerson>) -> QueryExpression] = [
      { $0.age > 10 }, { $0.age <= 4 && $0.name == "p1" }, { $0.age.isIn([3, 4, 5]) },
      { $0.name.isIn(["p0", "p2"]) && $0.age >= 2 },
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

  @Test func `A Django server includes related models in JSON:API, and only those that are requested`() async throws {
    let store = try await jsonAPI()
    let company = ContractCompany()
    company.id.value = "acme"
    company.name.value = "Acme"
    try await store.create(company)
    let person = ContractPerson()
    person.name.value = "Ada"
    person.age.value = 36
    person.company.value = company
    try await store.create(person)
    let identifier = try #require(person.identifier)
    let dialect = JSONAPIDialect(included: ["company"], fieldSets: ["contract_people": ["name", "company"]])
    let other = RESTModelStore(baseURL: store.handle.baseURL, dialect: dialect)
    let found = try await other.lookup(ContractPerson.self, identifier: identifier)
    #expect(found.name.value == "Ada")
    #expect(found.age.value == nil)
    #expect(found.company.value?.name.value == "Acme")
  }

  @Test func `A REST store on a Django REST server reports the error of a field in JSON:API`() async throws {
    let store = try await jsonAPI()
    let person = ContractPerson()
    person.name.value = String(repeating: "x", count: 81)
    let error = try await storeError { try await store.create(person) }
    #expect(error.code == .invalid)
    #expect(error.fields["name"]?.first?.contains("80") == true)
    #expect(person.name.validationState.messages == error.fields["name"])
    #expect(try await store.count(ContractPerson.self) == 0)
  }
}
