import MemoryStore
import StoreProtocolTesting
import Testing

/// A live model is not read again as long as its record is the same, which must not be seen.
@Suite struct `A live model of a memory store` {
  private let store = MemoryModelStore()

  private func stored(_ identifier: String = "1", in instance: MemoryModelStore? = nil) throws -> ContractMember {
    try (instance ?? store).lookupImmediately(ContractMember.self, identifier: identifier)
  }

  private func team(_ identifier: String) async throws -> ContractTeam {
    let team = ContractTeam()
    team.id.value = identifier
    return try await store.create(team)
  }

  @Test
  func `A live model of a memory store follows each write of another store instance`()
    async throws
  {
    let (reds, blues) = (try await team("reds"), try await team("blues"))
    let member = ContractMember()
    member.team.value = reds
    try await store.create(member)
    let other = MemoryModelStore(store.handle)
    for team in [blues, reds, blues] {
      #expect(try stored() === member)
      #expect(try stored() === member)
      let same = try stored(in: other)
      same.team.value = try other.lookupImmediately(ContractTeam.self, identifier: team.id.value ?? "")
      try await other.update(same)
      #expect(try stored() === member)
      #expect(member.team.value === team)
      #expect(try store.listImmediately(ContractMember.self) == [member])
    }
    try await other.delete(try stored(in: other))
    #expect(throws: ModelStoreError.self) { try stored() }
    #expect(try store.listImmediately(ContractMember.self) == [])
  }

  @Test func `A live model follows another store instance that writes the first record of its type`() async throws {
    #expect(throws: ModelStoreError.self) { try stored() }
    let (reds, blues) = (try await team("reds"), try await team("blues"))
    let other = MemoryModelStore(store.handle)
    let same = ContractMember()
    same.team.value = try other.lookupImmediately(ContractTeam.self, identifier: reds.id.value ?? "")
    try await other.create(same)
    let member = try stored()
    #expect(member.team.value === reds)
    same.team.value = try other.lookupImmediately(ContractTeam.self, identifier: blues.id.value ?? "")
    try await other.update(same)
    #expect(try stored().team.value === blues)
  }

  @Test func `A live model of a memory store keeps local changes, and is loaded again after an unload`() async throws {
    let reds = try await team("reds")
    let member = ContractMember()
    member.team.value = reds
    try await store.create(member)
    _ = try stored()
    member.team.value = nil
    #expect(try stored().team.value == nil)
    #expect(member.team.isDirty)
    try await store.refresh(member)
    #expect(member.team.value === reds)
    member.unload()
    #expect(try stored().team.value === reds)
    try member.read(["team": nil])
    #expect(member.team.value == nil)
    #expect(try store.listImmediately(ContractMember.self).first?.team.value === reds)
  }

  @Test func `A live model of a memory store follows a snapshot that is restored`() async throws {
    let (reds, blues) = (try await team("reds"), try await team("blues"))
    let member = ContractMember()
    member.team.value = blues
    try await store.create(member)
    let before = try store.snapshot()
    member.team.value = reds
    try await store.update(member)
    #expect(try stored().team.value === reds)
    try store.restore(before)
    #expect(try stored().team.value === blues)
    try store.restore(["version": 1, "types": [:]])
    #expect(throws: ModelStoreError.self) { try stored() }
  }

  @Test func `A live model of two memory stores with one scope is read from the store that is called`()
    async throws
  {
    let member = try await store.create(ContractMember())
    _ = try stored()
    let second = MemoryModelStore(scope: store.scope)
    #expect(throws: ModelStoreError.self) { try stored(in: second) }
    try second.restore(["version": 1, "types": .object([ContractMember.typeName: .array([])])])
    #expect(throws: ModelStoreError.self) { try stored(in: second) }
    #expect(try stored() === member)
  }

  @Test(arguments: [true, false])
  func `A live model is a member of the lists of its owner again after that was released and read`(isOwnerFirst: Bool)
    async throws
  {
    let nurse = Nurse()
    weak let released = try await addWard(to: nurse)
    #expect(released == nil)
    if !isOwnerFirst { #expect(try store.listImmediately(Nurse.self) == [nurse]) }
    let wards = try store.listImmediately(Ward.self)
    #expect(try store.lookupImmediately(Nurse.self, identifier: "1") === nurse)
    #expect(wards.count == 1 && !nurse.isDirty)
    #expect(wards.map(\.nurses.value) == [[nurse]] && wards.map(\.patrons.value) == [[nurse]])
    #expect(nurse.ward.value === wards.first && nurse.wards.value == wards)
  }

  /// Makes a nurse a member of the lists of a new ward, which retain it, and reads both.
  private func addWard(to nurse: Nurse) async throws -> Ward {
    let ward = try await store.create(Ward())
    ward.nurses.add(nurse)
    ward.patrons.add(nurse)
    try await store.create(nurse)
    #expect(try store.listImmediately(Nurse.self) == [nurse])
    #expect(try store.listImmediately(Ward.self) == [ward])
    return ward
  }
}

private final class Ward: Model {
  let id = Field<Int>()
  let nurses = ModelField<Nurse>()*
  let patrons = ModelField<Nurse>()*
  override var identifierField: AnyField? { id }
}

private final class Nurse: Model {
  let id = Field<Int>()
  let ward = ModelField<Ward>(foreignKey: true, inverse: \.nurses)
  let wards = ModelField<Ward>(foreignKey: true, inverse: \.patrons)*
  override var identifierField: AnyField? { id }
}
