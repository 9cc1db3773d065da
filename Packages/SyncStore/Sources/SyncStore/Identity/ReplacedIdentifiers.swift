@_spi(ModelKitInternals) import FieldKit

/// The identifiers that were replaced in a store since a store instance last looked.
///
/// An exchange in another isolation adds to it, before any reader can find a record under its new identifier.
final class ReplacedIdentifiers: Sendable {
  private let waiting = Lock<[IdentifierMapping]>([])

  func add(_ mapping: IdentifierMapping) { waiting.withLock { $0.append(mapping) } }

  /// Removes and returns them, the oldest first.
  func take() -> [IdentifierMapping] {
    waiting.withLock { waiting in
      let taken = waiting
      waiting = []
      return taken
    }
  }
}

/// The store instances over an engine that are notified of replaced identifiers.
final class ReplacementListeners: Sendable {
  private struct Listener: Sendable {
    weak var identifiers: ReplacedIdentifiers?
  }

  private let listeners = Lock<[Listener]>([])

  func add(_ identifiers: ReplacedIdentifiers) {
    listeners.withLock { listeners in
      listeners.removeAll { $0.identifiers == nil }
      listeners.append(Listener(identifiers: identifiers))
    }
  }

  func notify(_ mapping: IdentifierMapping) {
    for identifiers in listeners.withLock({ $0.compactMap(\.identifiers) }) { identifiers.add(mapping) }
  }
}
