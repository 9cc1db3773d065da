import ObservationKit
import Testing

/// The participants of an observation: a source, a target, an observer object, an owner, and an object that every
/// closure retains.
private struct Cast {
  let source = ValueSource(1)
  let other = ValueSource(2)
  let target = ValueSource(0)
  let optional = ValueSource<Int?>(0)
  let recorder = Recorder<Int>()
  let thermostats = (Thermostat(1), Thermostat(2))
  let dial = ValueSource(1.0)
  let screen = Screen()
  let canary = Canary()

  var members: [(name: String, object: AnyObject)] {
    [
      ("source", source), ("other", other), ("target", target), ("optional", optional), ("recorder", recorder),
      ("left", thermostats.0), ("right", thermostats.1), ("dial", dial), ("screen", screen), ("canary", canary),
    ]
  }
}

/// A way to observe or to bind, and what it makes that a caller may keep.
struct Way: Sendable, CustomTestStringConvertible {
  let testDescription: String
  fileprivate let observe: @Sendable (Cast) -> [AnyObject]

  fileprivate init(_ name: String, _ observe: @escaping @Sendable (Cast) -> [AnyObject]) {
    testDescription = name
    self.observe = observe
  }
}

private let ways: [Way] = [
  Way("closure") { cast in [cast.source.addObserver { [c = cast.canary] _, _ in _ = c }] },
  Way("closure for every set") { cast in
    [cast.source.addObserver(requiresChange: false, updateImmediately: false) { [c = cast.canary] _, _ in _ = c }]
  },
  Way("owner's closure") { cast in [cast.source.addObserver(cast.screen) { [c = cast.canary] _ in _ = c }] },
  Way("observer object") { cast in [cast.source.addObserver(cast.recorder)] },
  Way("--> closures") { cast in
    let c = cast.canary
    return [cast.source --> { _ = c }, cast.source --> { _ in _ = c }, cast.source --> { _, _ in _ = c }]
  },
  Way("--> owner, both forms") { cast in
    let c = cast.canary
    return [
      cast.source --> cast.screen { _ in _ = c },
      cast.source
        --> cast.screen { screen, value in
          _ = c
          screen.shown.append(value)
        },
    ]
  },
  Way("--> and <-- object") { cast in [cast.source --> cast.recorder, cast.recorder <-- cast.source] },
  Way("--> optional") { cast in [cast.source --> cast.optional] },
  Way("--> and <-- target") { cast in [cast.source --> cast.target, cast.target <-- cast.source] },
  Way("pair") { cast in [cast.source <--> cast.target] },
  Way("pair of own classes") { cast in [cast.thermostats.0 <--> cast.thermostats.1, cast.dial <--> cast.thermostats.0]
  },
  Way("chain") { cast in [cast.source --> cast.other --> cast.target --> cast.recorder] },
  Way("ring") { cast in
    cast.source --> cast.other --> cast.target --> cast.source
    return [cast.source --> cast.source]
  },
  Way("transform to target") { cast in
    let c = cast.canary
    cast.source
      --> { value in
        _ = c
        return value + 1
      } --> cast.target
    return []
  },
  Way("transform to object and owner") { cast in
    let c = cast.canary
    let derived = cast.source.map { value in
      _ = c
      return value + 1
    }
    return [derived --> cast.recorder, derived --> cast.screen { screen, value in screen.shown.append(value) }]
  },
  Way("map, filter, removeDuplicates, combineLatest") { cast in
    let c = cast.canary
    let derived = cast.source.map { value in (c, value).1 }.filter { value in (c, value).1 > 0 }
      .removeDuplicates { ($0, c).0 == $1 }.combineLatest(cast.other)
    return [derived, derived --> { _ in _ = c }, derived.map { $0.first }]
  },
  Way("mute filter") { cast in
    let c = cast.canary
    let derived = cast.source.filter { value in (c, value).1 > 1_000 }.map { value in (c, value).1 }
    return [derived, derived --> cast.target, derived.combineLatest(cast.other)]
  },
  Way("derived and never observed") { cast in
    let c = cast.canary
    return [cast.source.map { value in (c, value).1 }]
  },
  Way("derived ring") { cast in
    cast.source --> { $0 + 1 } --> cast.target --> { $0 + 1 } --> cast.source
    return []
  },
  Way("transaction") { cast in
    cast.source <--> cast.target
    let token = cast.source.combineLatest(cast.other) --> { [c = cast.canary] _ in _ = c }
    transaction {
      cast.source.value = 8
      cast.other.value = 9
      cast.target.value = 10
    }
    return [token]
  },
]

@Suite struct `Leaks of observables` {
  /// All of it is released with the last reference of the user. The user may keep the result of the path, except a
  /// derived observable, which retains its sources.
  @Test(arguments: ways, [true, false])
  func `Nothing leaks from any way to observe or bind`(way: Way, keepsTokens: Bool) {
    var kept: [AnyObject] = []
    let references = leftovers(of: way) { cast, made in
      cast.source.value += 1
      if keepsTokens { kept = made.filter { $0 is ObservationToken } }
    }
    withExtendedLifetime(kept) {
      #expect(references.filter { $0.1.object != nil }.map(\.0) == [])
    }
  }

  @Test(arguments: ways, ["source", "target", "recorder", "screen"])
  func `No path leaks if one of its parts stays retained`(way: Way, survivor: String) {
    var held: AnyObject?
    var dial: ValueSource<Int>?
    let references = leftovers(of: way) { cast, _ in
      held = cast.members.first { $0.name == survivor }?.object
      dial = survivor == "source" ? cast.source : nil
    }
    // A closure may wait with its source for the next change.
    dial?.value = 77
    dial?.removeAllObservers()
    #expect(references.filter { $0.1.object != nil }.map(\.0) == [survivor])
    withExtendedLifetime(held) {}
  }

  @Test(arguments: ways)
  func `Nothing leaks from any way after its tokens were cancelled and its observers removed`(way: Way) {
    let cast = Cast()
    for made in way.observe(cast) { (made as? ObservationToken)?.cancel() }
    for source in [cast.source, cast.other, cast.target] {
      for (_, object) in cast.members { source -/-> object }
      source.removeAllObservers()
      #expect(source.observations.isEmpty)
    }
  }

  private func leftovers(of way: Way, _ use: (Cast, [AnyObject]) -> Void) -> [(String, Weak)] {
    let cast = Cast()
    use(cast, way.observe(cast))
    return cast.members.map { ($0.name, Weak($0.object)) }
  }

  @Test func `Nothing leaks with a bound target, not even its binding target`() {
    weak var end: AnyObject?
    do {
      let (source, target) = (ValueSource(1), ValueSource(2))
      source <--> target
      end = target.bindingTarget
      #expect(end != nil)
    }
    #expect(end == nil)
  }

  @Test func `Nothing leaks of a chain when its token is cancelled or its target is deallocated`() {
    var canaries: [Weak] = []
    func chain(from source: ValueSource<Int>) -> DerivedObservable<Int> {
      let canary = Canary()
      canaries.append(Weak(canary))
      return source.map { ($0, canary).0 + 1 }.filter { $0 != 0 }.map { ($0, canary).0 + 1 }
    }
    let source = ValueSource(1)
    let token = chain(from: source) --> { _ in }
    #expect(canaries[0].object != nil)
    token.cancel()
    source.value = 2
    #expect(canaries[0].object == nil)

    var target: ValueSource<Int>? = ValueSource(0)
    if let target { chain(from: source) --> target }
    source.value = 3
    #expect(target?.value == 5)
    target = nil
    // One change for the end of the chain to notice, one for its beginning.
    source.value = 4
    #expect(canaries[1].object != nil)
    source.value = 5
    #expect(canaries[1].object == nil)
  }

  @Test func `Nothing leaks of a chain held by its root and observers only when the root is deallocated`() {
    var root: ValueSource<Int>? = ValueSource(1)
    let other = ValueSource(1)
    var references: [Weak] = []
    let target = ValueSource(0)
    if let root {
      let canaries = (Canary(), Canary(), Canary())
      references = [Weak(canaries.0), Weak(canaries.1), Weak(canaries.2)]
      root.map { $0 + 1 }.filter { $0 != 0 } --> { [canary = canaries.0] _ in _ = canary }
      root --> { [canary = canaries.1] in ($0, canary).0 + 1 } --> target
      root.combineLatest(other) --> { [canary = canaries.2] _ in _ = canary }
    }
    root?.value = 2
    #expect(references.allSatisfy { $0.object != nil })
    root = nil
    #expect(references.map { $0.object == nil } == [true, true, false])
    other.removeAllObservers()
    #expect(references[2].object == nil)
  }

  @Test func `The closure of a released owner or derived observable is released by the next change`() {
    let source = ValueSource(1)
    var canary: Canary? = Canary()
    weak let reference = canary
    do {
      let screen = Screen()
      source --> screen { [canary] _ in _ = canary }
      _ = source.map { [canary] value in (canary, value).1 }
    }
    canary = nil
    #expect(reference != nil)
    source.value = 2
    #expect(reference == nil)
    #expect(source.observations.isEmpty)
  }
}
