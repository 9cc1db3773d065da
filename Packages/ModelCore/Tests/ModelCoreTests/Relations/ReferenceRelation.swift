/// A plain model of the rules of a relation, for models numbered from 0, to compare the implementation with.
struct ReferenceRelation {
  /// One side: for every model, the numbers of its related models. To-one sides have nil or one number.
  struct Side {
    var isMany: Bool
    var lists: [[Int]?]
  }

  enum Operation {
    case set(Int, Int?)
    case add(Int, Int)
    case remove(Int, Int)
    case assign(Int, [Int]?)
  }

  private(set) var sides: [Side]
  /// Whether both sides are one field, as for spouses and friends.
  let isSymmetric: Bool

  init(isMany: [Bool], counts: [Int], isSymmetric: Bool) {
    sides = zip(isMany, counts).map { isMany, count in
      Side(isMany: isMany, lists: Array(repeating: isMany ? [] : nil, count: count))
    }
    self.isSymmetric = isSymmetric
  }

  mutating func perform(_ operation: Operation, on side: Int) {
    switch operation {
    case .set(let model, let other?), .add(let model, let other): link(model, other, on: side)
    case .set(let model, nil): assign(model, nil, on: side)
    case .remove(let model, let other): cut(model, other, on: side)
    case .assign(let model, let others): assign(model, others, on: side)
    }
  }

  func isLinked(_ model: Int, _ other: Int, on side: Int) -> Bool { sides[side].lists[model]?.contains(other) ?? false }

  private func opposite(_ side: Int) -> Int { isSymmetric ? side : 1 - side }

  private mutating func link(_ model: Int, _ other: Int, on side: Int) {
    guard !isLinked(model, other, on: side) else { return }
    makeRoom(model, on: side)
    makeRoom(other, on: opposite(side))
    append(other, to: model, on: side)
    if !isSymmetric || model != other { append(model, to: other, on: opposite(side)) }
  }

  private mutating func makeRoom(_ model: Int, on side: Int) {
    guard !sides[side].isMany, let old = sides[side].lists[model]?.first else { return }
    cut(model, old, on: side)
  }

  private mutating func append(_ other: Int, to model: Int, on side: Int) {
    sides[side].lists[model] = (sides[side].lists[model] ?? []) + [other]
  }

  private mutating func cut(_ model: Int, _ other: Int, on side: Int) {
    guard isLinked(model, other, on: side) else { return }
    drop(other, from: model, on: side)
    drop(model, from: other, on: opposite(side))
  }

  private mutating func drop(_ other: Int, from model: Int, on side: Int) {
    sides[side].lists[model]?.removeAll { $0 == other }
    if !sides[side].isMany, sides[side].lists[model] == [] { sides[side].lists[model] = nil }
  }

  private mutating func assign(_ model: Int, _ others: [Int]?, on side: Int) {
    var unique: [Int] = []
    for other in others ?? [] where !unique.contains(other) { unique.append(other) }
    for old in sides[side].lists[model] ?? [] where !unique.contains(old) { cut(model, old, on: side) }
    for other in unique { link(model, other, on: side) }
    sides[side].lists[model] = others == nil ? nil : unique
  }
}

/// A generator of random numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
