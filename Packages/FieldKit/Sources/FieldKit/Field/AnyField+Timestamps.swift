@_spi(ModelKitInternals) import ObservationKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension AnyField {
  /// When the value was last set, to a different value or not; nil if never.
  public final var updatedAt: Date? {
    noteRead(of: .updatedAt)
    return updatedStamp.date
  }

  /// When the value last changed; nil if never.
  public final var changedAt: Date? {
    noteRead(of: .value)
    return changedStamp.date
  }

  /// Dates the value as of another time, such as that of a change which was read from elsewhere. Merges then compare it
  /// by that time. Observers are not notified, and a field that was never set stays so.
  ///
  /// - Parameters:
  ///   - updatedAt: when the value was last set.
  ///   - changedAt: when it last changed; nil for the same time.
  public final func setTimestamps(updatedAt: Date, changedAt: Date? = nil) {
    guard updatedStamp != .never else { return }
    setStamps(
      updated: ChangeStamp(updatedAt), changed: ChangeStamp(min(changedAt ?? updatedAt, updatedAt)), edit: lastChange)
  }
}

@_spi(ModelKitInternals)
extension AnyField {
  /// The time of the last change in this field, even if the value has an older date; `never` if it did not change.
  public final var lastChange: ChangeStamp {
    flags.contains(.hasForeignStamps) ? details?.editStamp ?? changedStamp : changedStamp
  }

  /// Dates the value as of other times. A save in progress still compares an unsaved value by the time of its edit.
  ///
  /// - Parameter edit: when an unsaved value was set in this field.
  final func setStamps(updated: ChangeStamp, changed: ChangeStamp, edit: ChangeStamp) {
    if flags.contains(.dirty) {
      detailsForWriting.editStamp = edit
      flags.formUnion(.hasForeignStamps)
    }
    updatedStamp = updated
    changedStamp = changed
  }
}
