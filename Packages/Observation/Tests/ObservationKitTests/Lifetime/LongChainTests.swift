import ObservationKit
import Testing

private let length = 10_000

@Suite struct `A chain of ten thousand on a stack of 512 kB` {
  @Test
  func `A chain of ten thousand on a stack of 512 kB of one-way bindings passes a value to its end, and is released`() {
    let values = onSmallStack {
      let sources = (0..<length).map { _ in ValueSource(0) }
      for (left, right) in zip(sources, sources.dropFirst()) { left --> right }
      sources[0].value = 7
      let first = sources.map(\.value)
      sources[0].value = 8
      return [Set(first), Set(sources.map(\.value))]
    }
    #expect(values == [[7], [8]])
  }

  @Test func `A chain of ten thousand on a stack of 512 kB of two-way bindings passes a value to both ends`() {
    let values = onSmallStack {
      let sources = (0..<length).map { _ in ValueSource(0) }
      for (left, right) in zip(sources, sources.dropFirst()) { left <--> right }
      return [0, length - 1, length / 2].map { index in
        sources[index].value = index + 1
        return Set(sources.map(\.value)) == [index + 1]
      }
    }
    #expect(values == [true, true, true])
  }

  @Test func `A chain of ten thousand on a stack of 512 kB of transforms between sources passes a value to its end`() {
    let last = onSmallStack {
      let sources = (0..<length).map { _ in ValueSource(0) }
      for (left, right) in zip(sources, sources.dropFirst()) { left --> { $0 + 1 } --> right }
      sources[0].value = 100
      return sources[length - 1].value
    }
    #expect(last == 100 + length - 1)
  }

  @Test func `A chain of ten thousand bindings, pairs and transforms passes a value to its end`() {
    let last = onSmallStack {
      let sources = (0..<length).map { _ in ValueSource(0) }
      for (index, (left, right)) in zip(sources, sources.dropFirst()).enumerated() {
        switch index % 3 {
        case 0: left --> right
        case 1: left <--> right
        default: left --> { $0 + 1 } --> right
        }
      }
      sources[0].value = 5
      return sources[length - 1].value
    }
    #expect(last == 5 + (length - 1) / 3)
  }

  @Test func `A chain of ten thousand observables without stamps passes a value to its end`() {
    let last = onSmallStack {
      let thermostats = (0..<length).map { _ in Thermostat(0) }
      for (left, right) in zip(thermostats, thermostats.dropFirst()) { left --> right }
      thermostats[0].value = 5
      return thermostats[length - 1].value
    }
    #expect(last == 5)
  }

  @Test func `A chain of ten thousand maps passes a value to its end, even if only the end is retained`() {
    let result = onSmallStack {
      let source = ValueSource(0)
      var last = source.map { $0 + 1 }
      for _ in 1..<length { last = last.map { $0 + 1 } }
      var values: [Int] = []
      let token = last --> { values.append($0) }
      source.value = 5
      token.cancel()
      source.value = 6
      return values + [last.value]
    }
    #expect(result == [length, length + 5, length + 6])
  }

  @Test func `A chain of ten thousand maps is released with its token`() {
    let result = onSmallStack {
      let (source, token, reference) = observedMaps()
      source.value = 5
      let wasThere = reference.object != nil
      token.cancel()
      source.value = 6
      return [wasThere, reference.object == nil, source.observations.isEmpty]
    }
    #expect(result == [true, true, true])
  }

  @Test func `A chain of ten thousand maps is released with its root`() {
    let result = onSmallStack {
      var root: ValueSource<Int>?
      let (token, reference): (ObservationToken, Weak)
      (root, token, reference) = observedMaps()
      root?.value = 5
      let wasThere = reference.object != nil
      root = nil
      return withExtendedLifetime(token) { [wasThere, reference.object == nil] }
    }
    #expect(result == [true, true])
  }

  @Test func `A chain of ten thousand on a stack of 512 kB in a ring reaches every one and ends`() {
    let isSettled = onSmallStack {
      let sources = (0..<length).map { _ in ValueSource(Double.zero) }
      for (index, source) in sources.enumerated() { source --> sources[(index + 1) % length] }
      sources[length / 2].value = .nan
      return sources.allSatisfy(\.value.isNaN)
    }
    #expect(isSettled == true)
  }

  @Test func `A chain of ten thousand on a stack of 512 kB in a transaction passes a value to its end`() {
    let result = onSmallStack {
      let sources = (0..<length).map { _ in ValueSource(0) }
      for (left, right) in zip(sources, sources.dropFirst()) { left --> right }
      var values: [Int] = []
      sources[length - 1].addObserver(updateImmediately: false) { values.append($1) }
      transaction {
        sources[0].value = 1
        sources[0].value = 2
      }
      return values
    }
    #expect(result == [2])
  }
}

/// A root whose ten thousand maps are held by an observation alone; the reference points to the object its closure
/// retains.
private func observedMaps() -> (ValueSource<Int>, ObservationToken, Weak) {
  let source = ValueSource(0)
  var last = source.map { $0 + 1 }
  for _ in 1..<length { last = last.map { $0 + 1 } }
  let canary = Canary()
  let token = last --> { [canary] _ in withExtendedLifetime(canary) {} }
  return (source, token, Weak(canary))
}

@Suite struct `A long run of bindings` {
  @Test func `A long run of bindings does not keep the start of the previous run`() {
    // The end of the run is bound again after the start of the first run was deallocated.
    let sources = (0..<130).map { _ in ValueSource(0) }
    for (left, right) in zip(sources, sources.dropFirst()) { left --> right }
    do {
      let root = ValueSource(1)
      root --> sources[0]
      root.value = 2
    }
    for index in [62, 63, 64, 65, 129] {
      let ends = (0..<130).map { _ in ValueSource(0) }
      for (left, right) in zip(ends, ends.dropFirst()) { left --> right }
      sources[index] --> ends[0]
      #expect(ends.allSatisfy { $0.value == 2 })
    }
    #expect(sources.allSatisfy { $0.value == 2 })
  }

  @Test func `A long run of bindings copies at once when a binding is made far down in it`() {
    let sources = (0..<200).map { _ in ValueSource(0) }
    for (left, right) in zip(sources, sources.dropFirst()) { left --> right }
    for (index, source) in sources.enumerated() {
      let target = ValueSource(0)
      source.addObserver(updateImmediately: false) { _, new in
        source --> target
        if target.value != new { Issue.record("The binding made at hop \(index) has not copied.") }
      }
    }
    sources[0].value = 9
  }

  @Test func `A long run of bindings calls no observer that was cancelled before its turn`() {
    let sources = (0..<100).map { _ in ValueSource(0) }
    for (left, right) in zip(sources, sources.dropFirst()) { left --> right }
    let far = ValueSource(0)
    var transforms = 0
    let derived = sources[66].map { value in
      transforms += 1
      return value
    }
    let token = sources[66].addObserver(far)
    sources[0].addObserver(updateImmediately: false) { _, _ in
      token.cancel()
      sources[66].removeAllObservers()
    }
    sources[0].value = 1
    #expect(far.value == 0)
    #expect(transforms == 1)
    #expect(derived.value == 0)
    #expect(sources[66].value == 1)
    #expect(sources[67].value == 0)
  }

  @Test func `A long run of bindings that is set again from its middle ends on the last value everywhere`() {
    let sources = (0..<300).map { _ in ValueSource(0) }
    let derived = sources.map { source in source.map { $0 * 10 } }
    for (left, right) in zip(sources, sources.dropFirst()) { left --> right }
    sources[150].addObserver(updateImmediately: false) { _, new in
      if new < 5 { sources[0].value = new + 1 }
    }
    sources[100].addObserver(updateImmediately: false) { _, new in
      if new == 5 { sources[90].value = 50 }
    }
    sources[0].value = 1
    #expect(sources[..<90].allSatisfy { $0.value == 5 })
    #expect(sources[90...].allSatisfy { $0.value == 50 })
    #expect(zip(sources, derived).allSatisfy { $0.value * 10 == $1.value })
  }
}
