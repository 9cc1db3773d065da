import Foundation
import StoreProtocol

/// A person without any library: the reference of random queries.
struct PlainPerson {
  struct Company: Equatable {
    var id: String
    var name: String?
  }

  var id: Int
  var name: String
  var age: Int?
  var height: Double?
  var isActive: Bool?
  var tags: [String]?
  var color: ContractColor?
  var birthday: Date?
  var joined: Date?
  var anniversary: Day?
  var balance: Decimal?
  var nickname: String?
  var company: Company?

  static let names = [
    "Ada", "ada", "Bob", "Zoë", "Zoe\u{308}", "Łukasz", "", "Ab", "a b", "\u{1F40D}", "10", "9", "Bobby",
  ]
  static let tags = ["x", "y", "red", "Red", "reduce", ""]
  static let days = [-86_400 * 400, -86_400, 0, 86_400, 86_400 * 20_000].map { Date(timeIntervalSince1970: $0) }
  static let moments = [-0.5, 0, 0.25, 1_700_000_000.123_456, 1_700_000_000.123_457].map {
    Date(timeIntervalSinceReferenceDate: $0)
  }
  static let anniversaries = [Day(1900, 3, 1), Day(1969, 12, 31), Day(2024, 2, 29), Day(2024, 3, 1), Day(2026, 10, 1)]
  /// Some are equal as `Double`s.
  static let balances = ["-12.50", "0", "0.1", "0.1000000000000000001", "0.3", "9007199254740992", "9007199254740993"]
    .compactMap { Decimal(string: $0) }
  static let heights = [-1.5, 0, 1, 1.65, 1.7, 2e10]
  static let companies = [
    Company(id: "acme", name: "Acme"), Company(id: "b-2", name: nil), Company(id: "Äpfel & Co", name: "Äpfel"),
  ]

  init(id: Int, _ random: inout RandomSource) {
    self.id = id
    // Rules forbid people without a name.
    name = random.pick(Self.names.filter { !$0.isEmpty })
    age = random.maybe { Int.random(in: 0...12, using: &$0) }
    height = random.maybe { $0.pick(Self.heights) }
    isActive = random.maybe { $0.next() & 1 == 0 }
    let count = Int.random(in: 0...3, using: &random)
    tags = random.maybe { random in (0..<count).map { _ in random.pick(Self.tags) } }
    color = random.maybe { $0.pick(ContractColor.allCases) }
    birthday = random.maybe { $0.pick(Self.days) }
    joined = random.maybe { $0.pick(Self.moments) }
    anniversary = random.maybe { $0.pick(Self.anniversaries) }
    balance = random.maybe { $0.pick(Self.balances) }
    nickname = random.maybe { $0.pick(Self.names) }
    company = random.maybe(oneIn: 3) { $0.pick(Self.companies) }
  }

  /// Returns a model with the same values. Nil is written sometimes as nil and sometimes by not setting the field.
  func model(_ companies: [String: ContractCompany], _ random: inout RandomSource) -> ContractPerson {
    let person = ContractPerson()
    func set<Value>(_ field: Field<Value>, _ value: Value?, _ random: inout RandomSource) {
      if value != nil || random.next() & 1 == 0 { field.value = value }
    }
    person.id.value = id
    person.name.value = name
    set(person.age, age, &random)
    set(person.height, height, &random)
    set(person.isActive, isActive, &random)
    // A list that was never set is empty, not nil.
    person.tags.value = tags
    set(person.color, color, &random)
    set(person.birthday, birthday, &random)
    set(person.joined, joined, &random)
    set(person.anniversary, anniversary, &random)
    set(person.balance, balance, &random)
    set(person.nickname, nickname, &random)
    set(person.company, company.flatMap { companies[$0.id] }, &random)
    return person
  }
}
