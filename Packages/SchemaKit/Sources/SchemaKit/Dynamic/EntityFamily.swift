import ModelCore

/// The class of the models of an entity from which others are derived. The classes of those are derived from it, so that a
/// relation to it, or a list of it, has models of all of them.
class EntityFamily<Tag>: DynamicModel {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type { EntityChild<Tag, Next>.self }

  /// The class of the entity that a dictionary names.
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    EntityClasses.entity(of: self)?.memberClass(for: dictionary)
  }
}

/// Makes the topmost class of a family.
enum EntityFamilies {
  static let founder: DynamicModel.Type = Founder.self

  private final class Founder: DynamicModel {
    override class func derivedClass<Tag>(_ tag: Tag.Type) -> DynamicModel.Type { EntityFamily<Tag>.self }
  }
}

// A generic class can't be derived from its parameter, so there is one for each generation. The eighth is the last: what is
// derived from it is of a class beside it.

private class EntityChild<A, B>: EntityFamily<A> {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type { EntityChild2<A, B, Next>.self }
}

private class EntityChild2<A, B, C>: EntityChild<A, B> {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type { EntityChild3<A, B, C, Next>.self }
}

private class EntityChild3<A, B, C, D>: EntityChild2<A, B, C> {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type { EntityChild4<A, B, C, D, Next>.self }
}

private class EntityChild4<A, B, C, D, E>: EntityChild3<A, B, C, D> {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type {
    EntityChild5<A, B, C, D, E, Next>.self
  }
}

private class EntityChild5<A, B, C, D, E, F>: EntityChild4<A, B, C, D, E> {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type {
    EntityChild6<A, B, C, D, E, F, Next>.self
  }
}

private class EntityChild6<A, B, C, D, E, F, G>: EntityChild5<A, B, C, D, E, F> {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type {
    EntityChild7<A, B, C, D, E, F, G, Next>.self
  }
}

private final class EntityChild7<A, B, C, D, E, F, G, H>: EntityChild6<A, B, C, D, E, F, G> {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type {
    EntityChild7<A, B, C, D, E, F, G, Next>.self
  }
}
