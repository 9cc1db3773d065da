import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore

/// Lets a store live through a long row of random steps. A failure names its seed.
@Suite struct `A journal through many crashes, repairs and compactions` {
  @Test(arguments: [false, true])
  func `After crashes, repairs and compactions a journal has all acknowledged changes, for all readers`(hasFaults: Bool)
  {
    for seed in TestEffort.seeds(60) {
      var life = LongLife(seed: seed, hasFaults: hasFaults)
      for _ in 0..<60 where life.failure == nil { life.step() }
      #expect(life.failure == nil)
    }
  }

  @Test
  func
    `After crashes and repairs a journal keeps the changes that were written after damage, and a repair leaves no damage`()
  {
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
