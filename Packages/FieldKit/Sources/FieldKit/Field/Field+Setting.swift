// All setters end in these methods.
extension Field {
  /// Stores a value and notifies the observers.
  @inlinable
  func store(_ newValue: Content?, stamp: ChangeStamp) {
    let oldValue = storage
    let isChange = isChange(from: oldValue, to: newValue)
    // The first value of a field is an edit even if it equals the initial one: the stored value may be another.
    let isEdit = isChange || flags.intersection(.loadStateMask) != .loaded
    if flags.isDisjoint(with: .notifying) {
      storage = newValue
      setStates(isChange: isEdit, stamp: stamp)
      notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp)
    } else {
      storeAndTell(newValue, isChange: isEdit, stamp: stamp)
      notifyAsOneEdit { notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp) }
    }
  }

  /// Notifies the observers, if there are any.
  @inlinable
  @inline(__always)
  func notify(from oldValue: Content?, to newValue: Content?, isChange: Bool, stamp: ChangeStamp) {
    unmanagedRegistry?._withUnsafeGuaranteedRef {
      $0.notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp) { !self.isChange(from: $0, to: $1) }
    }
  }

  /// Stores a value of a field whose states are observed, that is tracked, or whose baseline is to be stored.
  @inlinable
  @inline(never)
  func storeAndTell(_ newValue: Content?, isChange: Bool, stamp: ChangeStamp) {
    noteEdit(isChange: isChange)
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

  /// Returns whether two values are equal. For common types the comparison is chosen at compile time, which is ten
  /// times as fast as through the metatype.
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

  /// Reads the value if tracking is on, or if a subclass computes it.
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

  /// Sets the value, through the subclass if it overrides sets.
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
      // A value changed by this field is newer than the value it was given. The field at the other end of a two-way
      // binding therefore takes it.
      setHooked(replacement, stamp: .next())
    } else {
      setHooked(newValue, stamp: stamp)
    }
  }
}
