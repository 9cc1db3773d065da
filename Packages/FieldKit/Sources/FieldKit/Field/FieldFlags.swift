/// The small states of a field, in four bytes. A field without observers and details is one small heap object.
@usableFromInline
@frozen
struct FieldFlags: OptionSet {
  @usableFromInline let rawValue: UInt32

  @inlinable
  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Bits 0–2 hold the load state.
  @inlinable static var loadStateMask: FieldFlags { FieldFlags(rawValue: 0b111) }
  @inlinable static var incomplete: FieldFlags { FieldFlags(rawValue: 1) }
  @inlinable static var loaded: FieldFlags { FieldFlags(rawValue: 2) }
  @inlinable static var loading: FieldFlags { FieldFlags(rawValue: 3) }
  @inlinable static var failed: FieldFlags { FieldFlags(rawValue: 4) }

  /// Bits 3, 4 and 20 hold the validation state; none set means unknown.
  @inlinable static var valid: FieldFlags { FieldFlags(rawValue: 1 << 3) }
  @inlinable static var invalid: FieldFlags { FieldFlags(rawValue: 1 << 4) }

  /// The value meets all rules but asynchronous ones, which are being checked.
  @inlinable static var validating: FieldFlags { FieldFlags(rawValue: 1 << 20) }
  /// All bits of the validation state.
  @inlinable static var validationStateMask: FieldFlags { FieldFlags(rawValue: 1 << 3 | 1 << 4 | 1 << 20) }

  /// Changed since the last load or save.
  @inlinable static var dirty: FieldFlags { FieldFlags(rawValue: 1 << 5) }
  /// Sets go through the subclass, as relations need.
  @inlinable static var hooksSet: FieldFlags { FieldFlags(rawValue: 1 << 6) }
  /// Gets go through the subclass, as weak relations need.
  @inlinable static var hooksGet: FieldFlags { FieldFlags(rawValue: 1 << 7) }

  /// The value consists of other models.
  @inlinable static var relation: FieldFlags { FieldFlags(rawValue: 1 << 8) }

  /// The validation state or the load state is observed, or the owner waits for a change.
  @inlinable static var watched: FieldFlags { FieldFlags(rawValue: 1 << 9) }
  /// The field was read inside `withObservationTracking`.
  @inlinable static var tracked: FieldFlags { FieldFlags(rawValue: 1 << 10) }
  /// A set notifies more than the observers of the value.
  @inlinable static var notifying: FieldFlags { FieldFlags(rawValue: 1 << 9 | 1 << 10 | 1 << 16) }
  /// The owner is notified when the field becomes dirty, and when it was saved.
  @inlinable static var ownerWatches: FieldFlags { FieldFlags(rawValue: 1 << 11) }
  /// The owner is notified of every set.
  @inlinable static var ownerFollows: FieldFlags { FieldFlags(rawValue: 1 << 12) }

  /// The value is the baseline: when it changes, it is stored for `restore()`.
  @inlinable static var original: FieldFlags { FieldFlags(rawValue: 1 << 16) }

  /// Sets go through a domain and no other hook, so that they can be specialised for the type of the value.
  @inlinable static var onlyConstrained: FieldFlags { FieldFlags(rawValue: 1 << 13) }
  /// Sets call the hooks of a subclass or the closures given to `onSet`.
  @inlinable static var reportsSets: FieldFlags { FieldFlags(rawValue: 1 << 14) }
  /// The value is the one the field was created with.
  @inlinable static var initial: FieldFlags { FieldFlags(rawValue: 1 << 15) }

  /// A list that holds no element twice.
  @inlinable static var unique: FieldFlags { FieldFlags(rawValue: 1 << 17) }

  /// Reads of the value are recorded, see `AnyField.recordReads()`.
  @inlinable static var recordsReads: FieldFlags { FieldFlags(rawValue: 1 << 18) }
  /// The value was read while reads were recorded.
  @inlinable static var wasRead: FieldFlags { FieldFlags(rawValue: 1 << 19) }

  /// The field is being reverted, which is an edit although the value is set as by a read.
  @inlinable static var reverting: FieldFlags { FieldFlags(rawValue: 1 << 21) }

  /// The field was reverted, and neither set, read nor saved since.
  @inlinable static var reverted: FieldFlags { FieldFlags(rawValue: 1 << 22) }

  /// The unsaved value has the time stamps of another field or of a caller; see `FieldDetails.editStamp`.
  @inlinable static var hasForeignStamps: FieldFlags { FieldFlags(rawValue: 1 << 23) }

  /// The states that every set resets.
  @inlinable static var stale: FieldFlags { FieldFlags(rawValue: 1 << 23 | 1 << 22 | 1 << 20 | 1 << 15 | 0b11111) }
}
