import Dispatch
import Synchronization
import Testing

@testable import ModelCore

private class Base<Content>: Model {
  let id = Field<Int>()
  let content = Field<Content>()
}

private final class Derived<Content>: Base<Content> {
  let extra = Field<String>()
}

@Suite struct `The first instance of a class` {
  /// Creates instances on many threads that all start at the same moment.
  private func race<M: Model>(_ type: M.Type, threads: Int = 4) -> [Bool] {
    let waiting = Atomic(threads)
    let results = Mutex<[Bool]>([])
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      waiting.subtract(1, ordering: .acquiringAndReleasing)
      var spins = 0
      while waiting.load(ordering: .acquiring) > 0, spins < 1_000_000 { spins += 1 }
      let model = M()
      let isRight = model.fields.count == 3 && model.fields.allSatisfy { $0.owner === model && $0.key != nil }
      results.withLock { $0.append(isRight) }
    }
    return results.withLock { $0 }
  }

  @Test func `The first instance of a class may be created by several threads at once`() {
    for results in [
      race(Derived<Int>.self), race(Derived<String>.self), race(Derived<Bool>.self), race(Derived<Double>.self),
      race(Derived<[Int]>.self), race(Derived<[String]>.self), race(Derived<Int8>.self), race(Derived<UInt>.self),
      race(Derived<[[Int]]>.self), race(Derived<Int?>.self), race(Derived<Float>.self), race(Derived<Character>.self),
    ] {
      #expect(results == [true, true, true, true])
    }
  }

  @Test func `The first instance of a class creates one layout for all threads`() {
    let layouts = Mutex<Set<ObjectIdentifier>>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let layout = ObjectIdentifier(Derived<Unicode.Scalar>().layout)
      layouts.withLock { _ = $0.insert(layout) }
    }
    #expect(layouts.withLock { $0.count } == 1)
  }
}
