import MemoryStore
import StoreProtocol
import StoreProtocolTesting
import Testing

/// The changes that are left to save if relations are edited during a save.
@Suite struct `Dirty fields after a save` {
  private final class Booking: Model {
    @Field var id: Int?
    @ModelField(foreignKey: true) var list: SetList?
    override var identifierField: AnyField? { $id }
  }

  private final class SetList: Model {
    @Field var id: Int?
    @ModelField(foreignKey: true, inverse: \.$list) var booking: Booking?
    override var identifierField: AnyField? { $id }
  }

  private let store = MemoryModelStore()

  @Test func `A value set during a save stays dirty after it, even if no record has it`() async throws {
    let company = ContractCompany(), person = ContractPerson()
    company.id.value = "acme"
    let save = try await SaveOperation(creating: company, in: store.scope)
    company.employees.add(person)
    try save.finish()
    #expect(company.employees.isDirty)
    #expect(!company.id.isDirty)
    let next = try await SaveOperation(updating: company, fields: nil, in: store.scope)
    try next.finish()
    #expect(!company.isDirty)
  }

  @Test func `A value that was set while the first save was in progress is dirty, and reverting keeps it`() async throws
  {
    let person = ContractPerson()
    person.id.value = 1
    person.name.value = "Ada"
    person.age.value = 1
    let save = try await SaveOperation(creating: person, in: store.scope)
    person.age.value = 2
    try save.finish()
    person.revert()
    #expect(person.age.value == 2)
    #expect(person.age.isDirty)
  }

  @Test func `Nothing is dirty after the save of a list that lost members, which is written with them`() async throws {
    let keeper = ContractKeeper()
    keeper.animals.value = []
    try await store.create(keeper)
    do {
      let animal = ContractAnimal()
      animal.keeper.value = keeper
      try await store.save(animal)
      try await store.save(keeper)
    }
    let other = try await store.create(ContractAnimal())
    keeper.animals.add(other)
    try await store.save(keeper)
    #expect(keeper.animals.loadState == .loaded && !keeper.isDirty)
    #expect(keeper.animals.value?.map(\.id.value) == [1, 2])
    try await store.save(other)
    let instance = MemoryModelStore(store.handle)
    let animals = try await instance.list(ContractAnimal.self)
    #expect(animals.map(\.keeper.value?.id.value) == [1, 1])
    #expect(animals[0].keeper.value?.animals.value?.count == 2)
    withExtendedLifetime(animals) {}
  }

  @Test func `A link that only the other record of a one-to-one relation has is kept by a revert, and stays dirty`()
    async throws
  {
    let list = try await store.create(SetList()), booking = Booking()
    booking.list = list
    try await store.save(booking)
    #expect(list.revert().isEmpty)
    #expect(list.booking === booking && list.isDirty)
    try await store.save(list)
    #expect(!list.isDirty)
    let other = Booking()
    list.booking = other
    #expect(list.revert().map(\.key) == ["booking"] && list.booking === booking && !list.isDirty)
  }
}
