extension Field {
  /// The observers of the value. The registry is created when it is first needed.
  @inlinable
  public var observations: ObservationRegistry<Content?> {
    if let unmanagedRegistry { return unmanagedRegistry.takeUnretainedValue() }
    let registry = ObservationRegistry<Content?>()
    detailsForWriting.registry = Unmanaged.passRetained(registry as AnyObservationRegistry)
    return registry
  }

  @inlinable
  var unmanagedRegistry: Unmanaged<ObservationRegistry<Content?>>? {
    @inline(__always) get {
      // Always of this type: the property above is the only one that sets it.
      unmanagedDetails?._withUnsafeGuaranteedRef {
        unsafeBitCast($0.registry, to: Unmanaged<ObservationRegistry<Content?>>?.self)
      }
    }
  }

  /// The target through which bindings set this field.
  @inlinable
  public var bindingTarget: BindingTarget<Content?>? {
    if let target = knownBindingTarget { return unsafeDowncast(target, to: BindingTarget<Content?>.self) }
    let target = BindingTarget<Content?>(of: self) { field, value, arrival in
      guard arrival.stamp > field.updatedStamp else { return }
      if let registry = field.unmanagedRegistry {
        registry._withUnsafeGuaranteedRef { arrival.forward(to: $0) { field.set(value, stamp: arrival.stamp) } }
      } else {
        field.set(value, stamp: arrival.stamp)
      }
    }
    knownBindingTarget = target
    return target
  }

  /// Takes the value of the field or other observable that this field is bound to. An unset source is ignored.
  @inlinable
  public func valueChanged(
    from oldValue: Content?, to newValue: Content?, observable: any ValueObservable<Content?>
  ) {
    if observable.isUnset { return }
    let stamp = observable.observations.stamp
    if stamp == .never {
      // The initial copy of a binding: the source wins, however old its value is.
      value = newValue
    } else if stamp > updatedStamp {
      set(newValue, stamp: stamp)
    }
  }
}
