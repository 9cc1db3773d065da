import Foundation
import StoreProtocol

/// A criterion of an order twice: in the language of queries, and in plain Swift.
struct RandomOrder {
  let sort: ModelSort<ContractPerson>
  /// Whether the first person comes before the second; nil if neither does.
  let precedes: (PlainPerson, PlainPerson) -> Bool?

  static func random(_ random: inout RandomSource) -> RandomOrder {
    let nils: QueryOrder.Nils? = random.maybe(oneIn: 2) { $0.pick([.first, .last]) }
    let descends = random.next() & 1 == 0
    switch random.next() % 8 {
    case 0: return make(\.age, { $0.age }, nils, descends) { $0 < $1 }
    case 1: return make(\.height, { $0.height }, nils, descends) { $0 < $1 }
    case 2: return make(\.joined, { $0.joined }, nils, descends) { $0 < $1 }
    case 3: return make(\.anniversary, { $0.anniversary }, nils, descends) { $0 < $1 }
    case 4: return make(\.balance, { $0.balance }, nils, descends) { $0 < $1 }
    case 5:
      return make(\.name, { $0.name }, nils, descends) {
        $0.unicodeScalars.map(\.value).lexicographicallyPrecedes($1.unicodeScalars.map(\.value))
      }
    case 6:
      return make(\.company?.name, { $0.company.name.ignoringCase }, nils, descends) {
        $0.lowercased().unicodeScalars.map(\.value).lexicographicallyPrecedes(
          $1.lowercased().unicodeScalars.map(\.value))
      }
    default: return make({ $0.tags?.count ?? 0 }, { $0.tags.count }, nils, descends) { $0 < $1 }
    }
  }

  private static func make<Value: Comparable>(
    _ value: @escaping (PlainPerson) -> Value?, _ column: (ModelColumns<ContractPerson>) -> QueryColumn<Value>,
    _ nils: QueryOrder.Nils?, _ descends: Bool, _ isLess: @escaping (Value, Value) -> Bool
  ) -> RandomOrder {
    let place = nils ?? (descends ? .last : .first)
    return RandomOrder(
      sort: descends ? .descending(nils: nils, column) : .ascending(nils: nils, column),
      precedes: { left, right in
        switch (value(left), value(right)) {
        case (nil, nil): return nil
        case (nil, _): return place == .first
        case (_, nil): return place == .last
        case (let left?, let right?):
          if isLess(left, right) { return !descends }
          return isLess(right, left) ? descends : nil
        }
      })
  }

  /// Sorts as the slowest and simplest algorithm does that keeps the order of equals.
  static func sorted(_ people: [PlainPerson], by orders: [RandomOrder]) -> [PlainPerson] {
    var sorted: [PlainPerson] = []
    for person in people {
      let place = sorted.firstIndex { other in
        orders.lazy.compactMap { $0.precedes(person, other) }.first == true
      }
      sorted.insert(person, at: place ?? sorted.count)
    }
    return sorted
  }
}
