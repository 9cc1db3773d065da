/// The handle of one observation.
///
/// Cancelling ends the observation: after ``cancel()`` no call starts. Releasing a token does not cancel it. The
/// observation then lasts until its observable, its owner or its observer is deallocated.
///
/// ```swift
/// let source = ValueSource(1)
/// let token = source --> { value in print(value) }
/// token.cancel()
/// ```
public final class ObservationToken {
  @usableFromInline let id: UInt64
  @exclusivity(unchecked) @usableFromInline var isActive = true
  /// Whether it keeps a derived observable alive.
  let isKeeper: Bool
  private let deallocationGuard: DeallocationGuard
  /// The object whose life bounds the observation; nil if only the observable's does.
  @usableFromInline let owner: OwnerReference?

  @usableFromInline
  init(id: UInt64, deallocationGuard: DeallocationGuard, owner: OwnerReference?, isKeeper: Bool) {
    self.id = id
    self.deallocationGuard = deallocationGuard
    self.owner = owner
    self.isKeeper = isKeeper
  }

  /// Ends the observation. Cancelling twice does nothing.
  ///
  /// - Complexity: O(log *n*) amortised, where *n* is the number of observations of the observable.
  public func cancel() {
    guard isActive else { return }
    isActive = false
    deallocationGuard.use { unsafeDowncast($0, to: AnyObservationRegistry.self).didCancel(self) }
  }

  /// Collects this token in a set, so that one place can cancel many.
  public func store(in tokens: inout Set<ObservationToken>) {
    tokens.insert(self)
  }

  /// Collects this token in an array or another growing collection.
  public func store<C: RangeReplaceableCollection>(in tokens: inout C) where C.Element == ObservationToken {
    tokens.append(self)
  }
}

extension ObservationToken: Hashable {
  /// Two tokens are equal when they are the same object.
  public static func == (left: ObservationToken, right: ObservationToken) -> Bool { left === right }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
