public import ModelCore

// Names of the libraries that this one follows: the compiler reports the names that are used here.

extension ModelStore {
  /// `lookup(_:identifier:)` finds the model of an identifier.
  @available(*, unavailable, renamed: "lookup(_:identifier:)")
  public func read<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await lookup(type, identifier: identifier)
  }

  /// `refresh(_:)` reads a model again.
  @available(*, unavailable, renamed: "refresh(_:)")
  public func read<M: Model>(_ model: M) async throws -> M { model }
}
