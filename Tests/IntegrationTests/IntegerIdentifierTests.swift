import ModelKit
import Testing

private final class Ticket: Model {
  @Field var id: Int64?
  @Field var text: String?
  override var identifierField: AnyField? { $id }
}

private final class Slot: Model {
  @Field var id: UInt8?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Identifiers of integers of another size` {
  @Test func `A store assigns integers to models whose identifier is one of another type`() async throws {
    let store = MemoryModelStore()
    let ticket = Ticket()
    ticket.text = "a"
    try await store.save(ticket)
    #expect(ticket.id == 1)
    let tickets = try await store.createAll([Ticket(), Ticket()])
    #expect(tickets.map(\.id) == [2, 3])
    let read = try await MemoryModelStore(store.handle).list(Ticket.self, where: { $0.id == 1 })
    #expect(read.map(\.text) == ["a"])
    try await store.save(Slot())
    #expect(try await store.list(Slot.self).map(\.id) == [1])
  }

  @Test func `A large first model reserves no memory for the others`() async throws {
    let store = MemoryModelStore()
    let tickets = (1...20_000).map { number in
      let ticket = Ticket()
      (ticket.id, ticket.text) = (Int64(number), number == 1 ? String(repeating: "x", count: 20_000_000) : "x")
      return ticket
    }
    try await store.createAll(tickets)
    #expect(try await store.count(Ticket.self) == 20_000)
  }
}
