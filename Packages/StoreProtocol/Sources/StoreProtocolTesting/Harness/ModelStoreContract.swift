public import StoreProtocol

/// The promises of `ModelStore`, each as a check that any store can be put to.
///
/// ```swift
/// @Test(arguments: ModelStoreContract.checks)
/// func keepsTheContract(check: ModelStoreContract.Check) async throws {
///   try await check.run { MemoryModelStore() }
/// }
/// ```
public enum ModelStoreContract {
  /// All promises.
  public static let checks: [Check] =
    creating + lookup + querying + queryingValues + queryingText + updating + refreshing + deleting + deleteRules
    + together
    + deletingUnloaded + deletingInTransactions + rollingBack
    + exactIdentifiers + exactIdentifiersOfDocuments
    + queryingInverses + linking + embedding + followingLists + membersLists + wholeLists + oneToOne
    + nestedTransactions + importing + deletingTargets
    + limits + paging + asynchronousRules + aggregating + updatingAll + including + includingCleanly
    + withoutFields + drafts
    + [
      randomQueries(300, seed: 1), randomLinks(20, seed: 1), randomEmployments(20, seed: 1),
      randomNesting(20, seed: 1), randomPages(20, seed: 1), randomAggregates(100, seed: 1),
      randomInclusions(40, seed: 1), randomSearches(20, seed: 1),
    ]

  /// The classes of the models that the checks use, for a store or a server that has to know them before.
  public static let modelTypes: [any Model.Type] = [
    ContractPerson.self, ContractCompany.self, ContractTeam.self, ContractMember.self, ContractDebt.self,
    ContractTicket.self, ContractAuthor.self, ContractBook.self, ContractAlbum.self, ContractTrack.self,
    ContractKeeper.self, ContractAnimal.self, ContractPaper.self, ContractCourse.self, ContractStudent.self,
    ContractBill.self, ContractSettings.self, ContractFolder.self, ContractJob.self, ContractWorker.self,
    ContractPilot.self, ContractLicense.self, ContractPlane.self, ContractMeter.self,
    ContractFriend.self, ContractHouse.self, ContractRoom.self, ContractTenant.self, ContractAccount.self,
    ContractProfile.self, ContractPortrait.self, ContractParcel.self,
  ]

  /// A capability that not every store has.
  public enum Capability: String, Hashable, Sendable, CaseIterable {
    /// Conditions, sorting and paging by themselves, even over foreign keys.
    case queries
    /// Batches that are written completely or not at all.
    case batches
    /// Transactions over several models and types.
    case transactions
    /// Models of any class, also inside others: a server may know only some.
    case anyModels
    /// Identifiers that Swift calls equal although they have other bytes, kept apart.
    case exactIdentifiers
    /// Pages that go on after their last record, whatever is created and deleted before it.
    case steadyPages
    /// Reads that are answered in the order in which they began. Requests over a network may overtake each other.
    case orderedReads
  }

  /// Returns the promises of a store that can do only a part.
  ///
  /// ```swift
  /// @Test(arguments: ModelStoreContract.checks(without: [.transactions]))
  /// func keepsTheContract(check: ModelStoreContract.Check) async throws {
  ///   try await check.run { MyStore() }
  /// }
  /// ```
  ///
  /// - Parameter missing: the capabilities that the store lacks, as its documentation states.
  public static func checks(without missing: Set<Capability>) -> [Check] {
    checks.filter { $0.needs.isDisjoint(with: missing) }
  }

  /// One promise, as a sentence, and its proof.
  public struct Check: Sendable, CustomStringConvertible {
    /// The promise, such as `create of an identifier that is taken throws conflict`.
    public let name: String
    /// The capabilities that a store needs for this.
    public let needs: Set<Capability>
    private let body: @Sendable (any ModelStore) async throws -> Void

    init(
      _ name: String, needs: Set<Capability> = [], _ body: @escaping @Sendable (any ModelStore) async throws -> Void
    ) {
      self.name = name
      self.needs = needs
      self.body = body
    }

    /// The promise.
    public var description: String { name }

    /// Puts a store to the check.
    ///
    /// - Parameter makeStore: makes a store that is empty.
    /// - Throws: ``ContractViolation`` if the store breaks the promise, or the errors of the store.
    public func run(_ makeStore: () async throws -> any ModelStore) async throws {
      let store = try await makeStore()
      do {
        try await body(store)
      } catch let violation as ContractViolation {
        throw violation
      } catch {
        throw ContractViolation("\(name): the store threw \(type(of: error)): \(error)")
      }
    }
  }
}

/// A promise of `ModelStore` that a store breaks.
///
/// ```swift
/// let violation = ContractViolation(
///   "lookup finds what was created: the name is nil")
/// print(violation)
/// ```
public struct ContractViolation: Error, CustomStringConvertible {
  /// The broken promise, and the observed result.
  public let description: String

  /// Creates a violation from its words.
  public init(_ description: String) { self.description = description }
}

/// Fails the check that runs unless a condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw ContractViolation(message()) }
}

/// Fails the check that runs unless two values are equal.
func requireEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
  try require(found == expected, "\(what) is \(found), not \(expected)")
}

/// Fails the check that runs unless the body throws a store error with this code, which it returns.
@discardableResult
func requireError(
  _ code: ModelStoreError.Code, _ what: String, _ body: () async throws -> Void
) async throws -> ModelStoreError {
  do {
    try await body()
  } catch let error as ModelStoreError {
    try require(error.code == code, "\(what) throws \(error.code) (\(error)), not \(code)")
    try require(!error.message.isEmpty, "\(what) throws an error without a message")
    return error
  }
  throw ContractViolation("\(what) throws nothing, not \(code)")
}

/// Fails the check that runs unless the body throws a store error, which it returns.
func requireFailure(_ what: String, _ body: () async throws -> Void) async throws -> ModelStoreError {
  do {
    try await body()
  } catch let error as ModelStoreError {
    return error
  }
  throw ContractViolation("\(what) throws nothing")
}
