import Testing

@testable import FieldKit

@Suite struct `A value domain` {
  @Test func `A value domain of listed values contains these only, and has no replacement for others`() {
    let domain = DiscreteValueDomain(["red", "green"])
    #expect(domain.contains("red"))
    #expect(domain.contains("green"))
    #expect(!domain.contains("blue"))
    #expect(domain.clamp("green") == "green")
    #expect(domain.clamp("blue") == nil)
    #expect(DiscreteValueDomain<Int>([]).clamp(1) == nil)
  }

  @Test(arguments: [(-1, false, 0), (0, true, 0), (7, true, 7), (12, true, 12), (13, false, 12)])
  func `A value domain of a range contains both ends and pins to the nearest`(
    value: Int, isContained: Bool, clamped: Int
  ) {
    let domain = RangeValueDomain(lowerBound: 0, upperBound: 12)
    #expect(domain.contains(value) == isContained)
    #expect(domain.clamp(value) == clamped)
  }

  @Test func `A value domain of a range may lack either end`() {
    let positive = RangeValueDomain(lowerBound: 1)
    #expect(positive.clamp(-3) == 1)
    #expect(positive.clamp(.max) == .max)
    let negative = RangeValueDomain(upperBound: -1)
    #expect(negative.clamp(3) == -1)
    #expect(negative.clamp(.min) == .min)
    #expect(RangeValueDomain<Int>().contains(0))
    #expect(RangeValueDomain(lowerBound: 1, upperBound: 1).clamp(5) == 1)
  }

  @Test func `A value domain of a range does not contain not-a-number`() {
    let domain = RangeValueDomain(lowerBound: 0.0, upperBound: 1.0)
    #expect(!domain.contains(.nan))
    #expect(domain.clamp(.nan) == nil)
    #expect(domain.clamp(.infinity) == 1)
    #expect(domain.clamp(-.infinity) == 0)
  }
}
