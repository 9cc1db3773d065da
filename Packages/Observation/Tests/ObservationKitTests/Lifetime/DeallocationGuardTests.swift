import Foundation
import ObservationKit
import Testing

/// A reference passed from the thread that created it to the one that releases it.
private final class Parcel: @unchecked Sendable {
  // Filled before the threads start and emptied by one of them; no other code accesses it.
  var targets: [ValueSource<Int>?]
  init(_ targets: [ValueSource<Int>?]) { self.targets = targets }
}

@Suite struct `A target deallocated on another thread` {
  /// Only the last reference may be released elsewhere: here while the source delivers.
  @Test func `A target deallocated on another thread receives a value completely or not at all`() {
    for round in 0..<20 {
      let source = ValueSource(0)
      var references: [Weak] = []
      let parcel = Parcel(
        (0..<200).map { _ in
          let target = ValueSource(0)
          references.append(Weak(target))
          source --> target
          return target
        })
      let (start, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let thread = Thread {
        start.wait()
        for index in parcel.targets.indices { parcel.targets[index] = nil }
        done.signal()
      }
      thread.start()
      start.signal()
      for value in 1...200 { source.value = value }
      done.wait()
      source.value = -round
      #expect(references.allSatisfy { $0.object == nil })
      #expect(source.observations.isEmpty)
    }
  }

  @Test func `A target deallocated on another thread lets tokens be cancelled and targets be removed meanwhile`() {
    let source = ValueSource(0)
    var tokens: [ObservationToken] = []
    let parcel = Parcel(
      (0..<2_000).map { _ in
        let target = ValueSource(0)
        tokens.append(source.addObserver(target))
        return target
      })
    let (start, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      start.signal()
      for index in parcel.targets.indices { parcel.targets[index] = nil }
      done.signal()
    }
    thread.start()
    start.wait()
    for token in tokens.reversed() {
      source -/-> source
      token.cancel()
    }
    done.wait()
    #expect(source.observations.isEmpty)
  }
}
