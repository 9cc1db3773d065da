import FieldKit
import Testing

@Suite struct `A value domain` {
  @Test func `A value domain of listed values contains these only, and has nothing to offer instead of others`() {
    let domain: DiscreteValueDomain<String> = ["red", "green"]
    #expect(domain.contains("red"))
    #expect(domain.contains("green"))
    #expect(!domain.contains("blue"))
    #expect(domain.clamp("green") == "green")
    #expect(domain.clamp("blue") == nil)
    #expect(domain == DiscreteValueDomain(["red", "green"]))
    #expect(DiscreteValueDomain<Int>([]).clamp(1) == nil)
  }

  @Test(arguments: [
    (-1, RangeValueDomain<Int>.Containment.below, 0), (0, .within, 0), (7, .within, 7), (12, .within, 12),
    (13, .above, 12),
  ])
  func `A value domain of a range contains both ends and pins to the nearest`(
    value: Int, containment: RangeValueDomain<Int>.Containment, clamped: Int
  ) {
    let domain = RangeValueDomain(0...12)
    #expect(domain.containment(of: value) == containment)
    #expect(domain.contains(value) == (containment == .within))
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
    #expect(positive != negative)
  }

  @Test func `A value domain of a range has no place for a not-a-number`() {
    let domain = RangeValueDomain(0.0...1.0)
    #expect(!domain.contains(.nan))
    #expect(domain.containment(of: .nan) == nil)
    #expect(domain.clamp(.nan) == nil)
    #expect(domain.clamp(.infinity) == 1)
    #expect(domain.clamp(-.infinity) == 0)
  }

  @Test func `A value domain without limits contains everything`() {
    let domain = UnrestrictedValueDomain<Int>.unrestricted
    #expect(domain.contains(.max))
    #expect(domain.clamp(.min) == .min)
  }

  @Test func `A value domain of a range traps when its bounds are swapped`() async {
    await #expect(processExitsWith: .failure) { _ = RangeValueDomain(lowerBound: 2, upperBound: 1) }
  }
}
