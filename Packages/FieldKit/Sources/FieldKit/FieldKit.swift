// `import FieldKit` alone brings the operators and protocols of observation.
@_exported public import ObservationKit
