#if canImport(SwiftUI)
  public import SwiftUI

  extension Field {
    /// A binding for a control that takes an optional, such as `DatePicker` or `Picker`.
    ///
    /// A view that reads it is updated with the field, because ``FieldObservation`` is enabled wherever SwiftUI is
    /// available. The field has to be in the isolation of the main actor.
    @MainActor public var binding: Binding<Content?> {
      Binding(get: { @MainActor in self.value }, set: { @MainActor in self.value = $0 })
    }

    /// Returns a binding for a control that needs a value: `TextField("Name", text: person.name.binding(default: ""))`.
    ///
    /// - Parameter standard: the value shown while the field is nil. The field stays nil until the control sets it.
    @MainActor public func binding(default standard: Content) -> Binding<Content> {
      Binding(get: { @MainActor in self.value ?? standard }, set: { @MainActor in self.value = $0 })
    }
  }
#endif
