#if canImport(SwiftUI)
  public import SwiftUI

  extension Field {
    /// The value for a control that can show none: `DatePicker`, `Picker` and whatever takes an optional.
    ///
    /// A view that reads it is updated with the field, as ``FieldObservation`` is on where there is SwiftUI. For a field in
    /// the isolation of the main actor, as all is that views show.
    @MainActor public var binding: Binding<Content?> {
      Binding(get: { @MainActor in self.value }, set: { @MainActor in self.value = $0 })
    }

    /// The value for a control that has to show one: `TextField("Name", text: person.name.binding(default: ""))`.
    ///
    /// - Parameter standard: what is shown as long as the field is nil. The field stays nil until the control sets it.
    @MainActor public func binding(default standard: Content) -> Binding<Content> {
      Binding(get: { @MainActor in self.value ?? standard }, set: { @MainActor in self.value = $0 })
    }
  }
#endif
