import FieldKit
import Foundation
import Testing

@testable import SyncStore

@Suite struct `A lane` {
  private func lane(_ base: AttributeDictionary?, _ local: AttributeDictionary?) -> Lane {
    Lane(entry: OutboxEntry("Book", "1", base: base, since: Date(milliseconds: 0)), local: local)
  }

  @Test func `An update sends the changed members`() {
    var lane = lane(["a": 1, "b": 1], ["a": 2, "b": 1])
    #expect(lane.request { "key" }?.body == ["a": 2])
  }

  @Test func `A request whose outcome is unknown keeps its key and body after another edit`() {
    var lane = lane(["a": 1], ["a": 2])
    let first = lane.request { "first" }
    #expect(lane.take(.none, hasKeys: true, random: 0) == .retry(after: 1_000))
    lane.local = ["a": 3]
    #expect(lane.request { "second" } == first)
  }

  @Test func `An edit after a creation survives the nulls of the answer`() {
    var lane = lane(nil, ["a": 1])
    _ = lane.request { "key" }
    lane.local = ["a": 1, "b": 2]
    #expect(lane.take(.stored(["a": 1, "b": .null]), hasKeys: true, random: 0) == .wait)
    #expect(lane.local?["b"] == 2 && lane.discarded.isEmpty)
    #expect(lane.request { "next" }?.body == ["b": 2])
  }

  @Test func `An own request that arrives after it was given up is no change of another client`() {
    var lane = lane(["a": 1], ["a": 2])
    _ = lane.request { "first" }
    _ = lane.take(.none, hasKeys: false, random: 0)
    lane.read(["a": 1], after: .silence)
    lane.local = ["a": 3]
    _ = lane.request { "second" }
    #expect(lane.take(.refused(status: 412), hasKeys: false, random: 0) == .read)
    lane.read(["a": 2], after: .refusal)
    #expect(lane.local?["a"] == 3 && lane.discarded.isEmpty)
    #expect(lane.request { "third" }?.body == ["a": 3])
  }

  @Test func `The first of two creations that were given up is no change of another client`() {
    var lane = lane(nil, ["a": 1])
    for value in 1...2 {
      lane.local = ["a": .int(value)]
      _ = lane.request { "key" }
      _ = lane.take(.none, hasKeys: false, random: 0)
      lane.read(nil, after: .silence)
    }
    lane.local = ["a": 3]
    lane.entry = lane.entry.flatMap { try? OutboxEntry(bytes: $0.bytes()) }
    _ = lane.request { "key" }
    _ = lane.take(.none, hasKeys: false, random: 0)
    lane.read(["a": 1], after: .silence)
    #expect(lane.local == ["a": 3] && lane.discarded.isEmpty)
    #expect(lane.request { "key" }?.body == ["a": 3])
  }

  @Test func `An answer is not believed if the record was pulled since the request was made`() {
    var lane = lane(["a": 1], ["a": 2])
    _ = lane.request { "key" }
    lane.rebase(on: ["a": 3])
    #expect(lane.take(.stored(["a": 2]), hasKeys: true, random: 0) == .read)
    lane.read(["a": 3], after: .success)
    #expect(lane.local?["a"] == 3 && lane.entry == nil)
  }

  @Test func `An edit that is undone before it is sent needs no request`() {
    var lane = lane(["a": 1], ["a": 1])
    #expect(lane.request { "key" } == nil)
    #expect(lane.entry == nil)
  }

  @Test func `An edit made during a request stays dirty when the answer arrives`() {
    var lane = lane(["a": 1], ["a": 2])
    _ = lane.request { "key" }
    lane.local = ["a": 3]
    #expect(lane.take(.stored(["a": 2]), hasKeys: true, random: 0) == .wait)
    #expect(lane.local?["a"] == 3)
    #expect(lane.entry?.base == ["a": 2])
    #expect(lane.discarded == [])
  }

  @Test func `Edits of different members are merged without a loss`() {
    var lane = lane(["a": 1, "b": 1], ["a": 2, "b": 1])
    lane.rebase(on: ["a": 1, "b": 5])
    #expect(lane.local == ["a": 2, "b": 5])
    #expect(lane.discarded == [])
  }

  @Test func `A local value that loses against the server's is reported`() {
    var lane = lane(["a": 1], ["a": 2])
    lane.rebase(on: ["a": 3])
    #expect(lane.local == ["a": 3])
    #expect(lane.discarded == [RecordMerge.Discarded(key: "a", value: 2)])
    #expect(lane.entry == nil)
  }

  @Test func `A dirty record that the server deleted is reported with all its values`() {
    var lane = lane(["a": 1], ["a": 2])
    lane.rebase(on: nil)
    #expect(lane.local == nil)
    #expect(lane.discarded == [RecordMerge.Discarded(key: nil, value: ["a": 2])])
  }

  @Test func `A rejected request parks the entry by the status, whatever its text contains`() {
    var lane = lane(["a": 1], ["a": 2])
    _ = lane.request { "key" }
    #expect(lane.take(.refused(status: 503, message: "error 400"), hasKeys: true, random: 0) == .retry(after: 1_000))
    #expect(lane.entry?.state == .inFlight)
    lane.entry?.attempts = 0
    #expect(lane.take(.refused(status: 422, message: "Try again"), hasKeys: true, random: 0) == .wait)
    #expect(lane.entry?.state == .parked)
    #expect(lane.local == ["a": 2])
  }

  @Test func `A rejection after an unknown outcome is believed only after the record was read`() {
    var lane = lane(nil, ["a": 1])
    _ = lane.request { "key" }
    _ = lane.take(.none, hasKeys: true, random: 0)
    #expect(lane.take(.refused(status: 403), hasKeys: true, random: 0) == .read)
    lane.local = nil
    lane.read(["a": 1], after: .refusal)
    // The creation took effect, so the deletion has to be sent.
    #expect(lane.local == nil)
    #expect(lane.request { "next" }?.isCreation == false)
  }

  @Test func `A creation that is sent again keeps its key while the server still processes the first request`() {
    var lane = lane(nil, ["a": 1])
    let flight = lane.request { "key" }
    _ = lane.take(.none, hasKeys: true, random: 0)
    lane.entry?.flight?.isOutdated = true
    for _ in 2...Lane.repeatsOfConflicts {
      guard case .retry = lane.take(.refused(status: 409), hasKeys: true, random: 0) else {
        Issue.record("The request is not repeated.")
        return
      }
      #expect(lane.request { "another" }?.key == flight?.key)
    }
    #expect(lane.take(.refused(status: 409), hasKeys: true, random: 0) == .read)
  }

  @Test func `A record that the server lacks and whose base is lost is created`() {
    var lane = lane([:], ["a": 1])
    lane.rebase(on: nil)
    #expect(lane.local == ["a": 1] && lane.discarded.isEmpty)
    #expect(lane.request { "key" }?.isCreation == true)
  }

  @Test func `A deletion during an unknown creation is sent when the record is pulled`() {
    var lane = lane(nil, ["a": 1])
    _ = lane.request { "key" }
    lane.local = nil
    lane.rebase(on: ["a": 1])
    #expect(lane.local == nil)
    lane.read(["a": 1], after: .silence)
    #expect(lane.request { "next" }?.record == nil)
    #expect(lane.entry?.base != nil)
  }

  @Test func `An edit is reported when another request of the client created the record`() {
    var lane = lane(nil, ["b": 39])
    _ = lane.request { "key" }
    lane.read(["b": 31], after: .refusal)
    #expect(lane.discarded == [RecordMerge.Discarded(key: "b", value: 39)])
  }

  @Test func `Retry-After delays an attempt longer than the backoff`() {
    var lane = lane(["a": 1], ["a": 2])
    _ = lane.request { "key" }
    let next = lane.take(.refused(status: 429, retryAfter: 90_000), hasKeys: true, random: 0.5)
    #expect(next == .retry(after: 90_000))
  }

  @Test func `The backoff ends at five minutes`() {
    #expect(Lane.delay(1, 1) == 2_000)
    #expect(Lane.delay(1_000, 1) == 300_000)
  }
}
