public import Observation

/// What is read of the fields of a model inside `withObservationTracking`, and so in the `body` of a SwiftUI view, is seen:
/// see `FieldObservation`. A model adds nothing of its own to that. It can be handed down with SwiftUI's `environment(_:)`;
/// controls take the bindings of its fields.
extension ModelObject: Observation.Observable {}
