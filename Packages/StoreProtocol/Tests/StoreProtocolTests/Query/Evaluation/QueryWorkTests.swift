import Foundation
import StoreEngine
import Synchronization
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

/// A number that counts comparisons.
private struct CountedNumber: Comparable, JSONConvertible, Sendable {
  static let comparisons = Atomic<Int>(0)
  let number: Int

  init(_ number: Int) { self.number = number }
  init(json: JSONValue) throws { number = try Int(json: json) }
  var json: JSONValue { .int(number) }

  static func < (left: CountedNumber, right: CountedNumber) -> Bool {
    comparisons.add(1, ordering: .relaxed)
    return left.number < right.number
  }
}

private final class Counted: Model {
  let id = Field<Int>()
  let number = Field<CountedNumber>()
  override var identifierField: AnyField? { id }
}

private final class Chart: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var patient: Patient?
  override var identifierField: AnyField? { $id }
}

private final class Patient: Model {
  @Field var id: Int?
  @Field var name: String?
  @ModelField(inverse: \.$patient) var chart: Chart?
  @ModelArrayField(foreignKey: true) var friends: [Patient]?
  override var identifierField: AnyField? { $id }
}

// One test after another, because they count the same comparisons.
@Suite(.serialized) struct `Queries with long conditions or limits` {
  @Test func `A sorted list with a limit compares each record about once`() throws {
    let numbers = (0..<20_000).map { ($0 &* 7_919) % 20_011 }
    let records = numbers.map { ["number": .int($0)] as AttributeDictionary }
    let query = ModelQuery(Counted.self, sort: [.ascending(\.number)], limit: 10, offset: 5)
    let found = try query.apply(to: records, in: .standard)
    #expect(found.map { $0["number"]?.intValue } == Array(numbers.sorted()[5..<15]))
    #expect(CountedNumber.comparisons.load(ordering: .relaxed) < 2 * 20_000 + 5_000)
  }

  @Test func `A store over an engine compares each record about once for the best few`() async throws {
    let store = ShelfStore(ShelfEngine())
    let numbers = (0..<1_500).map { ($0 &* 7_919) % 1_511 }
    try await store.createAll(
      numbers.map { number -> Counted in
        let model = Counted()
        model.number.value = CountedNumber(number)
        return model
      })
    CountedNumber.comparisons.store(0, ordering: .relaxed)
    let found = try await store.list(Counted.self, sort: [.ascending(\.number)], limit: 10, offset: 5)
    #expect(found.map { $0.number.value?.number } == Array(numbers.sorted()[5..<15]))
    // Sorting all of them takes more than 10 comparisons each.
    #expect(CountedNumber.comparisons.load(ordering: .relaxed) < 3 * 1_500)
  }

  #if DEBUG
    @Test func `Planning a long condition takes work in proportion to its length`() throws {
      func work(_ count: Int) throws -> Int {
        var random = RandomSource(seed: 3)
        // Terms of three indexed fields, some exact and some not, joined in changing ways.
        var terms: [QueryExpression] = []
        for number in 0..<count {
          let field = ["age", "name", "id"][Int(random.next() % 3)]
          let value = JSONValue.int(Int(random.next() % 50_000))
          let kinds: [QueryComparison.Operator] = [.equal, .notEqual, .less, .greaterOrEqual]
          let term = QueryExpression.comparison(
            QueryComparison(
              QueryTerm([field]), kinds[number % 4], .value(field == "name" ? .string("n\(number)") : value)))
          terms.append(number % 5 == 0 ? !term : term)
        }
        let groups = stride(from: 0, to: count, by: 10).map { start -> QueryExpression in
          let part = Array(terms[start..<min(start + 10, count)])
          return start % 20 == 0 ? .and(part) : .or(part)
        }
        let fields = try [
          StoredKeyPath(Worker.self, { $0.age }, in: .standard), StoredKeyPath(Worker.self, { $0.name }, in: .standard),
          StoredKeyPath(Worker.self, { $0.id }, in: .standard),
        ]
        // Operators nest a list in another one for every 256 terms.
        func chain(_ join: (QueryExpression, QueryExpression) -> QueryExpression) -> QueryExpression {
          terms.dropFirst().reduce(terms[0], join)
        }
        let chains = [chain { $0 || $1 }, chain { $0 && $1 }]
        var total = 0
        for filter in [QueryExpression.or(groups), .and(groups), .or(terms), .and(terms)] + chains {
          var query = ModelQuery(Worker.self)
          query.filter = filter
          let counter = IndexRanges.WorkCounter()
          IndexRanges.$workCounter.withValue(counter) { _ = QueryPlanner(query, fields: fields) }
          total += counter.count.load(ordering: .relaxed)
        }
        return total
      }
      let (small, large) = (try work(2_000), try work(4_000))
      #expect(small > 2_000)
      #expect(Double(large) < 2.6 * Double(small), "\(small) steps for 2,000 terms, \(large) for 4,000")
      #expect(small < 200 * 2_000, "\(small) steps")
    }
  #endif

  @Test func `A long path through relations that their inverse stores takes work in proportion to its length`()
    async throws
  {
    let store = ShelfStore(ShelfEngine())
    let (patient, other, chart) = (Patient(), Patient(), Chart())
    chart.patient = patient
    try await store.createAll([patient, other])
    try await store.save(chart)
    let query = ModelQuery(Patient.self)
    let path = Array(repeating: ["chart", "patient"], count: 31).flatMap(\.self) + ["id"]
    for (operation, expected) in [(QueryComparison.Operator.equal, [patient]), (.notEqual, [other])] {
      var query = query
      query.filter = .comparison(QueryComparison(QueryTerm(QueryPath(path)), operation, .value(.int(patient.id ?? 0))))
      #expect(try await store.list(query) == expected)
    }
    var longer = query
    longer.filter = .comparison(
      QueryComparison(QueryTerm(QueryPath(["chart", "patient"] + path)), .equal, .value(.int(1))))
    let error = #expect(throws: ModelStoreError.self) { try longer.validate() }
    #expect(error?.message.contains("a path of more than 64 keys") == true)
  }

  @Test func `A condition that follows a list again and again is evaluated once for each model and level`()
    async throws
  {
    let store = ShelfStore(ShelfEngine())
    let patients = (0..<12).map { _ in Patient() }
    try await store.createAll(patients)
    for patient in patients { patient.friends = patients.filter { $0 !== patient } }
    for patient in patients { try await store.save(patient) }
    for (value, count) in [(JSONValue.null, 12), (.string("none"), 0)] {
      var query = ModelQuery(Patient.self)
      var filter = QueryExpression.comparison(QueryComparison(QueryTerm(["name"]), .equal, .value(value)))
      for _ in 0..<40 { filter = .any(["friends"], filter) }
      query.filter = filter
      #expect(try await store.list(query).count == count)
    }
  }

  @Test func `A sorted list with limit and offset is the same part of the whole list`() throws {
    var random = RandomSource(seed: 7)
    for _ in 0..<200 {
      let workers = (0..<60).map { Worker(id: $0, age: Int(random.next() % 8)) }
      var query = ModelQuery(Worker.self, sort: [.descending(\.age)])
      let all = try query.apply(to: workers)
      query.limit = Int(random.next() % 70)
      query.offset = Int(random.next() % 20)
      #expect(try query.apply(to: workers).map(\.id.value) == query.page(of: all).map(\.id.value))
    }
  }

  @Test func `A chain of 30000 alternatives is evaluated`() throws {
    var filter: QueryExpression = .constant(false)
    for age in 0..<30_000 { filter = filter || Self.age(age) }
    var query = ModelQuery(Worker.self)
    query.filter = filter
    #expect(try query.matches(Worker(id: 1, age: 29_999)))
    #expect(try !query.matches(Worker(id: 1, age: 30_000)))
  }

  @Test func `A condition that is negated 100000 times is unchanged`() throws {
    var filter = Self.age(1)
    for _ in 0..<100_000 { filter = !filter }
    #expect(filter == Self.age(1))
  }

  @Test func `A condition that is nested too deeply is rejected`() throws {
    var filter = Self.age(1)
    for age in 0..<100_000 { filter = !(filter && Self.age(age)) }
    var query = ModelQuery(Worker.self)
    query.filter = filter
    let error = #expect(throws: ModelStoreError.self) { try query.validate() }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("500 levels") == true)
  }

  @Test func `A chain with too many terms is rejected with the number that is allowed`() throws {
    var filter: QueryExpression = .constant(false)
    for age in 0..<120_000 { filter = filter || Self.age(age) }
    var query = ModelQuery(Worker.self)
    query.filter = filter
    let error = #expect(throws: ModelStoreError.self) { try query.validate() }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("more than 100000 parts") == true)
  }

  @Test func `A condition that is built by hand and nested too deeply is neither printed nor written`() throws {
    var filter = Self.age(1)
    for _ in 0..<5_000 { filter = .not(filter) }
    var query = ModelQuery(Worker.self)
    query.filter = filter
    #expect("\(filter)".contains("500 levels"))
    #expect("\(query)".contains("500 levels"))
    let error = #expect(throws: ModelStoreError.self) { try query.json }
    #expect(error?.code == .invalid)
  }

  @Test func `A chain of 400 alternating operators is evaluated`() throws {
    var filter = Self.age(0)
    for age in 1...200 { filter = (filter || Self.age(age)) && !Self.age(-age) }
    var query = ModelQuery(Worker.self)
    query.filter = filter
    #expect(try query.matches(Worker(id: 1, age: 200)))
    #expect(try !query.matches(Worker(id: 1, age: 201)))
  }

  private static func age(_ value: Int) -> QueryExpression {
    .comparison(QueryComparison(QueryTerm(["age"]), .equal, .value(.int(value))))
  }
}
