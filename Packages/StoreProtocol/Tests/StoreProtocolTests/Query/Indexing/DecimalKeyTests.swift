import Foundation
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

@Suite struct `The index keys of decimal numbers` {
  private static func decimal(_ random: inout RandomSource) -> Decimal {
    let digits = Int(random.next() % 38) + 1
    let text = (0..<digits).map { _ in String(random.next() % 10) }.joined()
    let exponent = Int(random.next() % 5) == 0 ? Int(random.next() % 120) - 60 : Int(random.next() % 6) - digits
    let sign = random.next() % 2 == 0 ? "-" : ""
    return Decimal(string: "\(sign)\(text)e\(exponent)") ?? 0
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `Keys of decimals have the order and the equality of the numbers`(
    seed: UInt64
  ) {
    var random = RandomSource(seed: seed)
    var numbers: [Decimal] = [
      "0", "-0", "1", "1.0", "10", "-1", "-1.2", "-1.25", "0.1", "0.10", "0.01", "1e127", "1e-127",
    ]
    .compactMap { Decimal(string: $0) }
    for _ in 0..<100 { numbers.append(Self.decimal(&random)) }
    for left in numbers {
      for right in numbers {
        guard let first = IndexKey(left), let second = IndexKey(right) else {
          Issue.record("\(left) or \(right) has no key")
          return
        }
        #expect((first < second) == (left < right), "\(left) < \(right)")
        #expect((first == second) == (left == right), "\(left) == \(right)")
      }
    }
    #expect(IndexKey(Decimal.nan) == nil)
  }
}
