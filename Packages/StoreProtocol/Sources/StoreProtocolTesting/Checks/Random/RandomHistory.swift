import StoreProtocol

/// Random steps in a store that have to keep a promise, and an account of them.
protocol RandomHistory {
  /// Begins a history with random numbers.
  init(_ random: RandomSource)

  /// The random numbers that are left.
  var random: RandomSource { get set }

  /// The steps so far.
  var steps: [String] { get }

  /// Takes the steps, and leaves the store empty.
  ///
  /// - Throws: ``ContractViolation`` if the promise is broken, or the errors of the store.
  mutating func run(in store: some ModelStore) async throws
}

extension RandomHistory {
  /// Observes models, each in one of several ways. The observers read the changed fields, and so change nothing.
  mutating func observe<M: Model>(_ models: [M], path: FieldPath) {
    var random = random
    for model in models {
      switch random.next() % 4 {
      case 0: model.addObserver { model, path in _ = model[path] }
      case 1: model.addObserver(for: path) { model, path in _ = model[path] }
      case 2: _ = model.changes
      default: break
      }
    }
    self.random = random
  }

  /// Runs histories in order. A violation names the history and the seed, and lists the steps.
  static func run(_ count: Int, seed: UInt64, in store: some ModelStore) async throws {
    var random = RandomSource(seed: seed)
    for number in 1...max(count, 1) {
      var history = Self(random)
      do {
        try await history.run(in: store)
      } catch {
        throw ContractViolation("history \(number) of seed \(seed): \(error)\n" + history.steps.joined(separator: "\n"))
      }
      random = history.random
    }
  }
}
