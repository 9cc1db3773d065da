import Foundation
import Testing

@testable import FileStore

/// Lets a store live through a long row of random steps, by a seed.
///
/// `MODELKIT_LONG_LIVES` is how many lives each test tries, 60 if it is not set. A failure names its seed:
/// `MODELKIT_LONG_LIFE_SEED` begins with that one.
@Suite struct `A journal through many crashes, repairs and compactions` {
  private static let count = ProcessInfo.processInfo.environment["MODELKIT_LONG_LIVES"].flatMap(UInt64.init) ?? 60
  private static let first = ProcessInfo.processInfo.environment["MODELKIT_LONG_LIFE_SEED"].flatMap(UInt64.init) ?? 1

  @Test(arguments: [false, true])
  func `holds what was acknowledged, shows it to all readers, and finds nothing wrong`(hasFaults: Bool) {
    for seed in Self.first..<Self.first + Self.count {
      var life = LongLife(seed: seed, hasFaults: hasFaults)
      for _ in 0..<60 where life.failure == nil { life.step() }
      #expect(life.failure == nil)
    }
  }

  @Test func `keeps what is written after its files were damaged, and is sound after a repair`() {
    for seed in Self.first..<Self.first + Self.count {
      var life = LongLife(seed: seed)
      for _ in 0..<5 {
        for _ in 0..<4 + life.below(12) where life.failure == nil { life.step() }
        if life.failure == nil { life.damageAndRepair() }
      }
      #expect(life.failure == nil)
    }
  }
}
