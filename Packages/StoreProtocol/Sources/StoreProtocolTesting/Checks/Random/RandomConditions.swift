import Foundation
import StoreProtocol

/// A condition twice: in the language of queries, and in plain Swift.
struct RandomCondition {
  typealias Columns = ModelColumns<ContractPerson>

  let query: (Columns) -> QueryExpression
  let holds: (PlainPerson) -> Bool

  init(_ query: @escaping (Columns) -> QueryExpression, _ holds: @escaping (PlainPerson) -> Bool) {
    self.query = query
    self.holds = holds
  }

  /// Returns a condition of at most this depth.
  static func random(_ random: inout RandomSource, depth: Int) -> RandomCondition {
    if depth > 0, random.next() % 3 != 0 {
      let first = self.random(&random, depth: depth - 1)
      switch random.next() % 5 {
      case 0, 1:
        let second = self.random(&random, depth: depth - 1)
        return RandomCondition({ first.query($0) && second.query($0) }) { first.holds($0) && second.holds($0) }
      case 2, 3:
        let second = self.random(&random, depth: depth - 1)
        return RandomCondition({ first.query($0) || second.query($0) }) { first.holds($0) || second.holds($0) }
      default:
        return RandomCondition({ !first.query($0) }) { !first.holds($0) }
      }
    }
    switch random.next() % 17 {
    case 0: return comparison({ $0.age }, \.age, random.maybe { Int.random(in: 0...12, using: &$0) }, &random)
    case 1: return comparison({ $0.height }, \.height, random.maybe { $0.pick(PlainPerson.heights) }, &random)
    case 2: return comparison({ $0.birthday }, \.birthday, random.maybe { $0.pick(PlainPerson.days) }, &random)
    case 3: return comparison({ $0.joined }, \.joined, random.maybe { $0.pick(PlainPerson.moments) }, &random)
    case 4: return text({ $0.name }, \.name, &random)
    case 5: return text({ $0.nickname }, \.nickname, &random)
    case 6: return text({ $0.company.name }, \.company?.name, &random)
    case 7: return list(&random)
    case 8: return choice(&random)
    case 9: return member(&random)
    case 10: return range(&random)
    case 11: return regex(&random)
    case 12: return RandomCondition({ $0.isActive }) { $0.isActive == true }
    case 13:
      return comparison({ $0.anniversary }, \.anniversary, random.maybe { $0.pick(PlainPerson.anniversaries) }, &random)
    case 14: return comparison({ $0.balance }, \.balance, random.maybe { $0.pick(PlainPerson.balances) }, &random)
    case 15: return words(&random)
    default: return related(&random)
    }
  }

  private static func comparison<Value: Comparable>(
    _ column: @escaping (Columns) -> QueryColumn<Value>, _ path: KeyPath<PlainPerson, Value?>, _ operand: Value?,
    _ random: inout RandomSource
  ) -> RandomCondition {
    func ordered(_ compare: @escaping (Value, Value) -> Bool) -> (PlainPerson) -> Bool {
      { person in
        guard let value = person[keyPath: path], let operand else { return false }
        return compare(value, operand)
      }
    }
    switch random.next() % 6 {
    case 0: return RandomCondition({ column($0) == operand }) { $0[keyPath: path] == operand }
    case 1: return RandomCondition({ column($0) != operand }) { $0[keyPath: path] != operand }
    case 2: return RandomCondition({ column($0) < operand }, ordered(<))
    case 3: return RandomCondition({ column($0) <= operand }, ordered(<=))
    case 4: return RandomCondition({ column($0) > operand }, ordered(>))
    default: return RandomCondition({ column($0) >= operand }, ordered(>=))
    }
  }

  /// Text compares by Unicode scalars; Swift's own comparison takes different spellings of a letter for the same.
  private static func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

  private static func text(
    _ column: @escaping (Columns) -> QueryColumn<String>, _ path: KeyPath<PlainPerson, String?>,
    _ random: inout RandomSource
  ) -> RandomCondition {
    text(column, { $0[keyPath: path] }, &random)
  }

  private static func text(
    _ column: @escaping (Columns) -> QueryColumn<String>, _ path: KeyPath<PlainPerson, String>,
    _ random: inout RandomSource
  ) -> RandomCondition {
    text(column, { $0[keyPath: path] }, &random)
  }

  private static func text(
    _ plainColumn: @escaping (Columns) -> QueryColumn<String>, _ value: @escaping (PlainPerson) -> String?,
    _ random: inout RandomSource
  ) -> RandomCondition {
    let form = random.next() % 8
    let column: (Columns) -> QueryColumn<String> = {
      form == 0 ? plainColumn($0).ignoringCaseAndAccents : form == 1 ? plainColumn($0).ignoringCase : plainColumn($0)
    }
    let fold: (String) -> String = { form == 0 ? folded($0) : form == 1 ? $0.lowercased() : $0 }
    let operand = random.pick(PlainPerson.names + ["a", "o", "b", "B"])
    let expected = scalars(fold(operand))
    func holds(_ compare: @escaping ([UInt32], [UInt32]) -> Bool) -> (PlainPerson) -> Bool {
      { person in value(person).map { compare(scalars(fold($0)), expected) } ?? false }
    }
    func contains(_ text: [UInt32], _ part: [UInt32]) -> Bool {
      part.isEmpty
        || text.indices.contains { text[$0...].starts(with: part) }
    }
    switch random.next() % 9 {
    case 0: return RandomCondition({ column($0) == operand }, holds(==))
    case 1:
      let equal = holds(==)
      return RandomCondition({ column($0) != operand }) { !equal($0) }
    case 2: return RandomCondition({ column($0) < operand }, holds { $0.lexicographicallyPrecedes($1) })
    case 3: return RandomCondition({ column($0) >= operand }, holds { !$0.lexicographicallyPrecedes($1) })
    case 4: return RandomCondition({ column($0).hasPrefix(operand) }, holds { $0.starts(with: $1) })
    case 5:
      return RandomCondition({ column($0).hasSuffix(operand) }, holds { $0.reversed().starts(with: $1.reversed()) })
    case 6: return RandomCondition({ column($0).contains(operand) }, holds(contains))
    case 7:
      let others = [operand, random.pick(PlainPerson.names)]
      return RandomCondition({ column($0).isIn(others) }) { person in
        guard let text = value(person).map({ scalars(fold($0)) }) else { return false }
        return others.contains { scalars(fold($0)) == text }
      }
    default: return RandomCondition({ column($0) == nil }) { value($0) == nil }
    }
  }

  /// Returns a text without case and accents. It is enough for the texts of random people.
  private static func folded(_ text: String) -> String {
    let scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      !(0x300...0x36F).contains($0.value)
    }
    return String(String.UnicodeScalarView(scalars)).lowercased()
  }

  private static func words(_ random: inout RandomSource) -> RandomCondition {
    let pieces = PlainPerson.names + ["zo*", "B*", "b", "BOB*", "łu*", "*", "a*", "1", "1*", "RED*", "x"]
    let count = Int.random(in: 1...2, using: &random)
    let search = (0..<count).map { _ in random.pick(pieces) }.joined(separator: " ")
    func holds(_ text: String?) -> Bool {
      guard let text else { return false }
      let found = folded(text).split { !$0.isLetter && !$0.isNumber }
      return folded(search).split(separator: " ").allSatisfy { word in
        let letters = word.filter { $0.isLetter || $0.isNumber }
        return letters.isEmpty || found.contains { word.hasSuffix("*") ? $0.hasPrefix(letters) : $0 == letters }
      }
    }
    switch random.next() % 4 {
    case 0: return RandomCondition({ $0.name.matches(words: search) }) { holds($0.name) }
    case 1: return RandomCondition({ $0.nickname.matches(words: search) }) { holds($0.nickname) }
    case 2: return RandomCondition({ $0.company.name.matches(words: search) }) { holds($0.company?.name) }
    default: return RandomCondition({ $0.tags.matches(words: search) }) { $0.tags?.contains(where: holds) ?? false }
    }
  }

  private static func list(_ random: inout RandomSource) -> RandomCondition {
    let tag = random.pick(PlainPerson.tags)
    let count = Int.random(in: 0...3, using: &random)
    switch random.next() % 6 {
    case 0: return RandomCondition({ $0.tags.contains(tag) }) { $0.tags?.contains(tag) ?? false }
    case 1:
      return RandomCondition({ $0.tags.contains { $0.hasPrefix("re") && $0 != tag } }) {
        $0.tags?.contains { $0.hasPrefix("re") && $0 != tag } ?? false
      }
    case 2: return RandomCondition({ $0.tags.isEmpty }) { $0.tags?.isEmpty ?? true }
    case 3: return RandomCondition({ $0.tags.count > count }) { ($0.tags?.count ?? 0) > count }
    case 4: return RandomCondition({ $0.tags == [tag] }) { $0.tags == [tag] }
    default: return RandomCondition({ $0.tags == nil }) { $0.tags == nil }
    }
  }

  private static func choice(_ random: inout RandomSource) -> RandomCondition {
    let color = random.maybe { $0.pick(ContractColor.allCases) }
    let colors = [random.pick(ContractColor.allCases), random.pick(ContractColor.allCases)]
    switch random.next() % 4 {
    case 0: return RandomCondition({ $0.color == color }) { $0.color == color }
    case 1: return RandomCondition({ $0.color != color }) { $0.color != color }
    case 2: return RandomCondition({ $0.isActive == false }) { $0.isActive == false }
    default: return RandomCondition({ $0.color.isIn(colors) }) { $0.color.map(colors.contains) ?? false }
    }
  }

  private static func member(_ random: inout RandomSource) -> RandomCondition {
    let ids = (0..<3).map { _ in Int.random(in: 1...60, using: &random) }
    switch random.next() % 3 {
    case 0: return RandomCondition({ $0.id.isIn(ids) }) { ids.contains($0.id) }
    case 1: return RandomCondition({ ids.contains($0.age) }) { $0.age.map(ids.contains) ?? false }
    default: return RandomCondition({ $0.id == ids[0] }) { $0.id == ids[0] }
    }
  }

  private static func range(_ random: inout RandomSource) -> RandomCondition {
    let low = Int.random(in: 0...12, using: &random)
    let high = Int.random(in: low...13, using: &random)
    switch random.next() % 4 {
    case 0: return RandomCondition({ $0.age.isIn(low...high) }) { $0.age.map((low...high).contains) ?? false }
    case 1: return RandomCondition({ (low..<high).contains($0.age) }) { $0.age.map((low..<high).contains) ?? false }
    case 2: return RandomCondition({ $0.age.isIn(..<high) }) { $0.age.map { $0 < high } ?? false }
    default: return RandomCondition({ $0.age == $0.id }) { $0.age == $0.id }
    }
  }

  private static func regex(_ random: inout RandomSource) -> RandomCondition {
    switch random.next() % 3 {
    case 0: return RandomCondition({ $0.name.matches(/[A-Z][a-z]+/) }) { $0.name.wholeMatch(of: /[A-Z][a-z]+/) != nil }
    case 1: return RandomCondition({ $0.name.contains(/[0-9]/) }) { $0.name.contains(/[0-9]/) }
    default:
      return RandomCondition({ $0.nickname.ignoringCase.matches(/b.*/) }) {
        $0.nickname?.lowercased().wholeMatch(of: /b.*/) != nil
      }
    }
  }

  private static func related(_ random: inout RandomSource) -> RandomCondition {
    let company = random.pick(PlainPerson.companies)
    switch random.next() % 5 {
    case 0: return RandomCondition({ $0.company.id == company.id }) { $0.company?.id == company.id }
    case 1: return RandomCondition({ $0.company == nil }) { $0.company == nil }
    case 2: return RandomCondition({ $0.company != nil }) { $0.company != nil }
    case 3: return RandomCondition({ $0.company.name == $0.name }) { $0.company?.name == $0.name }
    default: return RandomCondition({ $0.company.id != company.id }) { $0.company?.id != company.id }
    }
  }
}
