import FieldKit
import Foundation
import Testing

@Suite struct `A rule about a range` {
  /// The values that a range of any kind lets pass and the messages for others, computed from its bounds alone.
  private func expected(_ value: Int, minimum: Int?, maximum: Int?, isHalfOpen: Bool) -> String? {
    if let minimum, let maximum, minimum == maximum, !isHalfOpen {
      return value == minimum ? nil : "must be equal to \(minimum)"
    }
    if let minimum, value < minimum { return "must be greater than or equal to \(minimum)" }
    if let maximum, isHalfOpen, value >= maximum { return "must be less than \(maximum)" }
    if let maximum, !isHalfOpen, value > maximum { return "must be less than or equal to \(maximum)" }
    return nil
  }

  @Test func `A rule about a range agrees with the range, whatever its kind and its ends`() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<2_000 {
      let ends = [Int.random(in: -9...9, using: &generator), Int.random(in: -9...9, using: &generator)].sorted()
      let (low, high) = (ends[0], ends[1])
      let value = Int.random(in: -11...11, using: &generator)
      let cases: [(Rule<Int>, Bool, String?)] = [
        (
          .range(low...high), (low...high).contains(value),
          expected(value, minimum: low, maximum: high, isHalfOpen: false)
        ),
        (
          .range(low..<high), (low..<high).contains(value),
          expected(value, minimum: low, maximum: high, isHalfOpen: true)
        ),
        (.range(low...), (low...).contains(value), expected(value, minimum: low, maximum: nil, isHalfOpen: false)),
        (.range(...high), (...high).contains(value), expected(value, minimum: nil, maximum: high, isHalfOpen: false)),
        (.range(..<high), (..<high).contains(value), expected(value, minimum: nil, maximum: high, isHalfOpen: true)),
      ]
      for (rule, passes, message) in cases {
        #expect((rule.violation(of: value) == nil) == passes, "\(rule.arguments) \(value)")
        #expect(rule.violation(of: value)?.message == message)
        #expect(rule.violation(of: nil) == nil)
      }
    }
  }

  @Test func `A rule about a range agrees with the range for lengths and counts too`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<500 {
      let ends = [Int.random(in: 0...6, using: &generator), Int.random(in: 0...6, using: &generator)].sorted()
      let count = Int.random(in: 0...8, using: &generator)
      let text = String(repeating: "é", count: count)
      let list = Array(repeating: 1, count: count)
      let expected = expected(count, minimum: ends[0], maximum: ends[1], isHalfOpen: false)
      #expect(Rule.length(ends[0]...ends[1]).violation(of: text)?.message == expected.map { "length \($0)" })
      #expect(Rule<[Int]>.count(ends[0]...ends[1]).violation(of: list)?.message == expected.map { "count \($0)" })
      #expect((Rule.length(ends[0]..<ends[1]).violation(of: text) == nil) == (ends[0]..<ends[1]).contains(count))
      #expect((Rule<[Int]>.count(..<ends[1]).violation(of: list) == nil) == (count < ends[1]))
    }
  }

  @Test func `A rule about a range takes every kind of number, texts and dates`() {
    func check<Value: Comparable>(_ low: Value, _ high: Value, inside: Value, outside: Value) {
      let rule = Rule<Value>.range(low...high)
      #expect(rule.violation(of: inside) == nil)
      #expect(rule.violation(of: outside)?.message == "must be less than or equal to \(high)")
      #expect(Rule<Value>.range(low..<high).violation(of: outside)?.message == "must be less than \(high)")
      #expect(Rule<Value>.range(..<low).violation(of: inside)?.detail == "below")
      #expect(Rule<Value>.range(high...).violation(of: inside)?.detail == "minimum")
    }
    check(1, 3, inside: 2, outside: 4)
    check(1.5, 3, inside: 2, outside: 4)
    check(Float(1), 3, inside: 2, outside: 4)
    check(Int8(-1), 3, inside: 2, outside: 4)
    check(Int16(-1), 3, inside: 2, outside: 4)
    check(Int32(-1), 3, inside: 2, outside: 4)
    check(Int64(-1), 3, inside: 2, outside: 4)
    check(UInt(1), 3, inside: 2, outside: 4)
    check(UInt8(1), 3, inside: 2, outside: 4)
    check(UInt16(1), 3, inside: 2, outside: 4)
    check(UInt32(1), 3, inside: 2, outside: 4)
    check(UInt64(1), .max - 1, inside: 2, outside: .max)
    check(Decimal(1), 3, inside: 2, outside: 4)
    check("b", "d", inside: "c", outside: "e")
    check(
      Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 3), inside: Date(timeIntervalSince1970: 2),
      outside: Date(timeIntervalSince1970: 4))
  }

  @Test func `A rule about a range does not mix up rules of other types or kinds with the same ends`() {
    #expect(Rule<Int>.range(1...3).violation(of: 4)?.message == "must be less than or equal to 3")
    #expect(Rule<Double>.range(1...3).violation(of: 3.5)?.message == "must be less than or equal to 3.0")
    #expect(Rule<Int>.range(1..<3).violation(of: 3)?.message == "must be less than 3")
    #expect(Rule<Int>.range(3...).violation(of: 1)?.message == "must be greater than or equal to 3")
    #expect(Rule<Int>.range(...3).violation(of: 4)?.message == "must be less than or equal to 3")
    #expect(Rule<Int>.range(0...3).violation(of: -1)?.message == "must be greater than or equal to 0")
    #expect(Rule<Int>.range(...3).violation(of: -1) == nil)
  }

  @Test func `A rule about a range refuses a value that can't be compared`() {
    #expect(Rule<Double>.range(0...1).violation(of: .nan) != nil)
    #expect(Rule<Double>.range(0...).violation(of: .nan) != nil)
    #expect(Rule<Double>.range(..<0).violation(of: .nan) != nil)
    #expect(Rule<Double>.range(0...).violation(of: .infinity) == nil)
    #expect(Rule<Double>.range(0...Double.infinity).arguments["maximum"] == "inf")
  }

  @Test func `A rule about a range of no value at all refuses every value`() {
    #expect(Rule<Int>.range(5..<5).violation(of: 5)?.message == "must be less than 5")
    #expect(Rule<Int>.range(5..<5).violation(of: 4)?.message == "must be greater than or equal to 5")
  }

  /// A kind of range that the library does not know.
  private struct Even: RangeExpression {
    func relative<C: Collection>(to collection: C) -> Range<Int> where C.Index == Int { 0..<0 }
    func contains(_ element: Int) -> Bool { element % 2 == 0 }
  }

  @Test func `A rule about a custom range calls its contains method`() {
    let rule = Rule<Int>.range(Even())
    #expect(rule.violation(of: 2) == nil)
    #expect(rule.violation(of: 3)?.message == "is out of range")
    #expect(rule.arguments.isEmpty)
    #expect(Rule.length(Even()).violation(of: "abc")?.message == "length is out of range")
  }

  @Test func `A rule about a range has its bounds as arguments, each in its own JSON type`() {
    #expect(Rule<Int8>.range((-3)...).arguments == ["minimum": -3])
    #expect(Rule<UInt64>.range(...UInt64.max).arguments["maximum"] == .number("18446744073709551615"))
    #expect(Rule<Float>.range(0.1...).arguments == ["minimum": 0.1])
    #expect(Rule<String>.range("b"..<"d").arguments == ["minimum": "b", "below": "d"])
    #expect(Rule<Date>.range(Date(timeIntervalSince1970: 0)...).arguments == ["minimum": "1970-01-01T00:00:00Z"])
    #expect(Rule<Decimal>.range(...12).arguments == ["maximum": 12])
  }

  @Test func `A rule about a range takes one length or one count`() {
    #expect(Rule.length(3).violation(of: "ab")?.message == "length must be equal to 3")
    #expect(Rule.length(3).violation(of: "abc") == nil)
    #expect(Rule<[Int]>.count(1).violation(of: [])?.message == "count must be equal to 1")
    #expect(Rule<[Int]>.count(1).violation(of: [7]) == nil)
  }
}
