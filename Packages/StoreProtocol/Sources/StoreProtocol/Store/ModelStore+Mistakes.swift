public import ModelCore

// Common mistakes, so that the compiler reports the right form.

extension ModelStore {
  /// An identifier is text in every store, even where the identifier field holds numbers.
  @available(*, unavailable, message: "An identifier is text: write \"7\", or take it from model.identifier")
  public func lookup<M: Model>(_ type: M.Type, identifier: Int?) async throws -> M {
    try await lookup(type, identifier: identifier.map(String.init) ?? "")
  }
}
