import Foundation
import StoreProtocol
import Testing

@Suite struct `A condition that names fields by text` {
  private func filter(_ condition: @escaping (ModelColumns<Worker>) -> QueryExpression) -> QueryExpression? {
    ModelQuery(where: condition).filter
  }

  @Test func `A condition that names fields by text is the same as one that names them by key path`() {
    #expect(filter { $0["age"] > 30 && $0["name"] != "Bob" } == filter { $0.age > 30 && $0.name != "Bob" })
    #expect(filter { $0["age"] == nil || $0["age"] <= 3 } == filter { $0.age == nil || $0.age <= 3 })
    #expect(filter { $0["age"].isIn([1, 2]) } == filter { $0.age.isIn([1, 2]) })
    #expect(filter { $0["age"].isIn(18...30) } == filter { $0.age.isIn(18...30) })
    #expect(filter { $0["isActive"] == true } == filter { $0.isActive })
    #expect(filter { $0["color"] == Color.red } == filter { $0.color == .red })
    let date = Date(timeIntervalSinceReferenceDate: 86_400.5)
    #expect(filter { $0["joined"] >= date } == filter { $0.joined >= date })
    #expect(filter { $0["birthday"] < date } == filter { $0.birthday < date })
    #expect(filter { $0["names.nick"].hasPrefix("A") } == filter { $0.nickname.hasPrefix("A") })
    #expect(filter { $0["name"].ignoringCase == "ada" } == filter { $0.name.ignoringCase == "ada" })
    #expect(
      filter { $0["name"].ignoringCaseAndAccents == "ada" } == filter { $0.name.ignoringCaseAndAccents == "ada" })
    #expect(filter { $0["name"].matches(words: "ada") } == filter { $0.name.matches(words: "ada") })
    #expect(filter { $0["tags"].matches(words: "ada") } == filter { $0.tags.matches(words: "ada") })
    #expect(filter { $0["name"].contains("d") } == filter { $0.name.contains("d") })
    #expect(filter { $0["name"].matches(/[a-z]+/) } == filter { $0.name.matches(/[a-z]+/) })
    #expect(filter { $0["tags"].contains("x") } == filter { $0.tags.contains("x") })
    #expect(filter { $0["tags"].count > 2 || $0["tags"].isEmpty } == filter { $0.tags.count > 2 || $0.tags.isEmpty })
    #expect(
      filter { $0["tags"].contains { $0.hasPrefix("x") } } == filter { $0.tags.contains { $0.hasPrefix("x") } })
    #expect(filter { $0["firm"]["name"] == "Acme" } == filter { $0.firm.name == "Acme" })
    #expect(
      filter { $0["badges"].contains { $0["number"] == 7 } } == filter { $0.badges.contains { $0.number == 7 } })
    let boss = Worker(id: 1)
    #expect(filter { $0["boss"] == boss } == filter { $0.boss == boss })
    #expect(filter { $0["friends"].contains(boss) } == filter { $0.friends.contains(boss) })
  }

  @Test func `A sort criterion that names a field by text is the same as one that names it by key path`() {
    let sort: [ModelSort<Worker>] = [.ascending { $0["firm"]["name"] }, .descending(nils: .first) { $0["age"] }]
    #expect(sort == [.ascending { $0.firm.name }, .descending(\.age, nils: .first)])
  }

  @Test func `A condition that names fields by text finds models of a model type`() async throws {
    let store = DictionaryStore()
    for (id, age) in [(1, 20), (2, 40), (3, 60)] { _ = try await store.create(Worker(id: id, "W\(id)", age: age)) }
    let type = ModelType(Worker.self)
    #expect(try await store.list(type, where: { $0["age"] > 30 }).map(\.name.value) == ["W2", "W3"])
    #expect(try await store.list(type, where: { $0.age > 30 }, sort: [.descending(\.age)], limit: 1).count == 1)
    #expect(try await store.lookup(type, identifier: "1").age.value == 20)
    #expect(try await store.first(type, sort: [.descending { $0["age"] }])?.identifier == "3")
    #expect(try await store.count(type, where: { $0["name"] == "W1" }) == 1)
    var seen: [Int?] = []
    for try await worker in store.stream(type, where: { $0["age"] < 50 }) { seen.append(worker.id.value) }
    #expect(seen == [1, 2])
    #expect(try await store.deleteAll(type, where: { $0["age"] >= 40 }) == 2)
    #expect(try await store.count(type) == 1)
  }

  @Test func `A condition that names fields by text throws for a missing field, and for a value of another type`()
    async
  {
    let store = DictionaryStore()
    _ = try? await store.create(Worker(id: 1, "Ada", age: 36))
    let type = ModelType(Worker.self)
    func code(_ condition: @escaping (ModelColumns<Worker>) -> QueryExpression) async -> ModelStoreError.Code? {
      do {
        _ = try await store.list(type, where: condition)
        return nil
      } catch {
        return (error as? ModelStoreError)?.code
      }
    }
    #expect(await code { $0["agee"] > 30 } == .invalid)
    #expect(await code { $0["age"] == "thirty" } == .invalid)
    #expect(await code { $0["firm"] > 3 } == .invalid)
    #expect(await code { $0["name"]["first"] == "Ada" } == .invalid)
  }
}
