public import FieldKit

/// The protocol of every model, which keeps models nonisolated in a module whose default isolation is `MainActor`.
///
/// Declare a class as ``Model``, which includes this protocol.
public protocol ModelIsolation: SendableMetatype, Blankable {}

/// The superclass and protocol of a model: `final class Person: Model`.
///
/// A model belongs to the actor or task that created it, like any class that is not `Sendable`. In a module whose
/// default isolation is `MainActor`, a class derived from another model class is declared
/// `nonisolated final class Circle: Shape`.
public typealias Model = ModelObject & ModelIsolation
