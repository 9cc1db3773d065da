import ObservationKit
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct `Stamps` {
  @Test func `Stamps increase strictly`() {
    var last = ChangeStamp.never
    for _ in 0..<100_000 {
      let next = ChangeStamp.next()
      #expect(last < next)
      last = next
    }
  }

  @Test func `Stamps increase strictly on each of eight threads and are never equal`() async {
    let stamps = await withTaskGroup(of: [ChangeStamp].self) { group in
      for _ in 0..<8 {
        group.addTask { @concurrent in (0..<20_000).map { _ in ChangeStamp.next() } }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for ofOneThread in stamps {
      #expect(zip(ofOneThread, ofOneThread.dropFirst()).allSatisfy { $0 < $1 })
    }
    #expect(Set(stamps.joined()).count == 160_000)
  }

  @Test func `Stamps count nanoseconds since 1970 by the wall clock`() {
    let before = Date().timeIntervalSince1970
    let stamp = Double(ChangeStamp.next().nanoseconds) / 1e9
    #expect(stamp >= before - 0.001)
    #expect(stamp < before + 60)
  }

  @Test func `Stamps are newer than never`() {
    #expect(ChangeStamp.never < ChangeStamp.next())
    #expect(ChangeStamp.never == ChangeStamp(nanoseconds: 0))
    #expect(!(ChangeStamp.never < ChangeStamp.never))
  }
}
