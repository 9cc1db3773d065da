import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Synchronization
import Testing

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
  let number = Field<CountedNumber>()
}

@Suite struct `Queries with long conditions or limits` {
  @Test func `A sorted list with a limit compares each record about once`() throws {
    let numbers = (0..<20_000).map { ($0 &* 7_919) % 20_011 }
    let records = numbers.map { ["number": .int($0)] as AttributeDictionary }
    let query = ModelQuery(Counted.self, sort: [.ascending(\.number)], limit: 10, offset: 5)
    let found = try query.apply(to: records, in: .standard)
    #expect(found.map { $0["number"]?.intValue } == Array(numbers.sorted()[5..<15]))
    #expect(CountedNumber.comparisons.load(ordering: .relaxed) < 2 * 20_000 + 5_000)
  }

  @Test func `A sorted list with limit and offset is the same part of the whole list`() throws {
    var random = RandomNumbers(seed: 7)
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
