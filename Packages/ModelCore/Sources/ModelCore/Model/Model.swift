public import FieldKit

/// What every model conforms to, so that it stays outside any actor also in a module whose default isolation is
/// `MainActor`. Write ``Model``.
public protocol ModelIsolation: SendableMetatype, Blankable {}

/// The superclass and protocol of a model: `final class Person: Model`.
///
/// A model is a plain object that lives in one isolation: it belongs to the actor or task that made it, like any class
/// that is not `Sendable`. In a module whose default isolation is `MainActor`, a class derived from another model class
/// says `nonisolated final class Circle: Shape`.
public typealias Model = ModelObject & ModelIsolation
