import ModelCore
import Testing

@Suite struct `The changes of a model` {
  private final class Holder {
    var ada: StaffMember? = StaffMember(name: "Ada")
  }

  @Test func `The changes of a model are batches that contain each path once`() async {
    let ada = StaffMember(name: "Ada")
    var changes = ada.changes.makeAsyncIterator()
    ada.name.value = "1"
    ada.name.value = "2"
    ada.id.value = 3
    #expect(await changes.next(isolation: nil) == ["name", "id"])
    ada.firm.value = Workplace(name: "ACM")
    ada.firm.value?.name.value = "IBM"
    let batch = await changes.next(isolation: nil)
    #expect(batch?.contains("firm") == true)
    #expect(batch?.contains("firm.name") == true)
  }

  @Test func `The changes of a model end after the last batch when the model is deallocated`() async {
    let holder = Holder()
    guard var changes = holder.ada?.changes.makeAsyncIterator() else { return }
    holder.ada?.name.value = "1"
    holder.ada = nil
    #expect(await changes.next(isolation: nil) == ["name"])
    #expect(await changes.next(isolation: nil) == nil)
    #expect(await changes.next(isolation: nil) == nil)
  }

  @MainActor @Test func `The changes of a model reach a waiting consumer, with a transaction in one batch`() async {
    let ada = StaffMember(name: "Ada")
    let changes = ada.changes
    let consumer = Task { @MainActor in
      var batches: [Set<FieldPath>] = []
      for await batch in changes {
        batches.append(batch)
        if batch.contains("id") { break }
      }
      return batches
    }
    await Task.yield()
    transaction {
      ada.name.value = "1"
      ada.desk.value = WorkDesk(place: "left")
      ada.id.value = 7
    }
    #expect(await consumer.value == [["name", "desk", "id"]])
  }

  @Test func `The changes of a model can be consumed in another isolation`() async {
    let ada = StaffMember(name: "Ada")
    let changes = ada.changes
    let consumer = Task.detached {
      var seen: Set<FieldPath> = []
      for await batch in changes {
        seen.formUnion(batch)
        if seen.contains("id") { break }
      }
      return seen
    }
    for number in 0..<100 { ada.name.value = "\(number)" }
    ada.id.value = 1
    #expect(await consumer.value == ["name", "id"])
  }

  @MainActor @Test func `The changes of a model end for a cancelled task`() async {
    let ada = StaffMember(name: "Ada")
    let changes = ada.changes
    let consumer = Task { @MainActor in
      var count = 0
      for await _ in changes { count += 1 }
      return count
    }
    await Task.yield()
    consumer.cancel()
    #expect(await consumer.value == 0)
    withExtendedLifetime(ada) {}
  }

  @Test func `The changes of a model are no longer observed once the sequence is released`() {
    let ada = StaffMember(name: "Ada")
    do {
      let changes = ada.changes
      withExtendedLifetime(changes) { ada.name.value = "1" }
    }
    ada.name.value = "2"
    ada.name.value = "3"
    #expect(ada.name.observations.isEmpty)
  }
}
