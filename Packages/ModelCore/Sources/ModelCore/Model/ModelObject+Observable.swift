public import Observation

/// Reads of fields inside `withObservationTracking`, and so in the `body` of a SwiftUI view, are tracked by the fields:
/// see `FieldObservation`.
///
/// The conformance adds no observation of its own. It allows passing a model with SwiftUI's `environment(_:)`; controls
/// take the bindings of its fields.
extension ModelObject: Observation.Observable {}
