// Every way of setting a value ends here.
extension Field {
  /// Stores a value and tells the observers. Every way of setting ends here.
  @inlinable
  func store(_ newValue: Content?, stamp: ChangeStamp) {
    let oldValue = storage
    let isChange = isChange(from: oldValue, to: newValue)
    if flags.isDisjoint(with: .toldOf) {
      storage = newValue
      setStates(isChange: isChange, stamp: stamp)
    } else {
      storeAndTell(newValue, isChange: isChange, stamp: stamp)
    }
    notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp)
  }

  /// Tells the observers, if there are any.
  @inlinable
  @inline(__always)
  func notify(from oldValue: Content?, to newValue: Content?, isChange: Bool, stamp: ChangeStamp) {
    unmanagedRegistry?._withUnsafeGuaranteedRef {
      $0.notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp) { !self.isChange(from: $0, to: $1) }
    }
  }

  /// Stores a value of a field of which somebody watches the states, that is tracked, or whose value is to be kept.
  @inlinable
  @inline(never)
  func storeAndTell(_ newValue: Content?, isChange: Bool, stamp: ChangeStamp) {
    if isChange, flags.contains(.original) { keepBaseline(storage) }
    announceSet(isChange: isChange)
    storage = newValue
    setStatesAndTell(isChange: isChange, stamp: stamp)
  }

  @inlinable
  func isChange(from oldValue: Content?, to newValue: Content?) -> Bool {
    switch (oldValue, newValue) {
    case (nil, nil): false
    case (let old?, let new?): !areEqualValues(old, new)
    default: true
    }
  }

  /// Compares two values. For the commonest types the comparison is chosen when the caller is compiled, which makes it
  /// ten times as fast as through the type.
  @inlinable
  func areEqualValues(_ old: Content, _ new: Content) -> Bool {
    if Content.self == Int.self {
      return unsafeBitCast(old, to: Int.self) == unsafeBitCast(new, to: Int.self)
    }
    if Content.self == String.self {
      return unsafeBitCast(old, to: String.self) == unsafeBitCast(new, to: String.self)
    }
    if Content.self == Double.self {
      return unsafeBitCast(old, to: Double.self) == unsafeBitCast(new, to: Double.self)
    }
    if Content.self == Bool.self {
      return unsafeBitCast(old, to: Bool.self) == unsafeBitCast(new, to: Bool.self)
    }
    return equality?.areEqual(old, new) ?? false
  }

  /// Reads the value where tracking is on, or where it is not simply stored.
  @inlinable
  @inline(never)
  func notedValue() -> Content? {
    if flags.contains(.recordsReads) {
      flags.formUnion(.wasRead)
      return storage
    }
    noteRead()
    return flags.contains(.hooksGet) ? valueThroughHook() : storage
  }

  @usableFromInline
  func valueThroughHook() -> Content? { hookedValue() }

  /// Sets the value, through the subclass if it has more to do.
  @inlinable
  func set(_ newValue: Content?, stamp: ChangeStamp) {
    if flags.contains(.hooksSet) { setThroughHook(newValue, stamp: stamp) } else { store(newValue, stamp: stamp) }
  }

  @inlinable
  @inline(never)
  func setThroughHook(_ newValue: Content?, stamp: ChangeStamp) {
    guard flags.contains(.onlyConstrained) else { return setThroughHooks(newValue, stamp: stamp) }
    if let newValue, case .replaced(let replacement)? = metadata?.coerce?(newValue) {
      store(replacement, stamp: .next())
    } else {
      store(newValue, stamp: stamp)
    }
  }

  @usableFromInline
  func setThroughHooks(_ newValue: Content?, stamp: ChangeStamp) {
    if details?.extras != nil { detachUnlessFollowing() }
    if let newValue, case .replaced(let replacement) = coercion(of: newValue) {
      // A value of this field's own making is newer than the one that was given, so that a field at the other end of a
      // two-way binding takes it over.
      setHooked(replacement, stamp: .next())
    } else {
      setHooked(newValue, stamp: stamp)
    }
  }
}
