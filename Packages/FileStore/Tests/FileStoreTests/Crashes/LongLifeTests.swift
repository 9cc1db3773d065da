import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore

/// Lets a store live through a long row of random steps. A failure names its seed.
@Suite struct `A journal through many crashes, repairs and compactions` {
  @Test(arguments: [false, true])
  func `A journal through crashes, repairs and compactions has what was acknowledged, for all readers`(hasFaults: Bool)
  {
    for seed in TestEffort.seeds(60) {
      var life = LongLife(seed: seed, hasFaults: hasFaults)
      for _ in 0..<60 where life.failure == nil { life.step() }
      #expect(life.failure == nil)
    }
  }

  @Test func `A journal through crashes and repairs keeps what is written after damage, and is sound after a repair`() {
    // With the first seed, only a damaged first line is left of the last file, after a torn batch behind it is moved
    // aside.
    for seed in [100_354] + TestEffort.seeds(60) {
      var life = LongLife(seed: seed)
      for _ in 0..<5 {
        for _ in 0..<4 + life.below(12) where life.failure == nil { life.step() }
        if life.failure == nil { life.damageAndRepair() }
      }
      #expect(life.failure == nil)
    }
  }
}
