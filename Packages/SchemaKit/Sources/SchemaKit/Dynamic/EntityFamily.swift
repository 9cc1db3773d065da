import ModelCore

/// The class of the models of a parent entity. The classes of derived entities inherit from it. So a relation to the
/// parent can reference models of all derived entities.
class EntityFamily<Tag>: DynamicModel {
  override class func derivedClass<Next>(_ tag: Next.Type) -> DynamicModel.Type { EntityChild<Tag, Next>.self }

  /// Returns the class of the entity that a dictionary names.
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    EntityClasses.entity(of: self)?.memberClass(for: dictionary)
  }
}

/// The factory of the topmost class of a hierarchy.
enum EntityFamilies {
  static let founder: DynamicModel.Type = Founder.self

  private final class Founder: DynamicModel {
    override class func derivedClass<Tag>(_ tag: Tag.Type) -> DynamicModel.Type { EntityFamily<Tag>.self }
  }
}

// A generic class can't inherit from its parameter, so each generation has a class of its own. The eighth is the last:
// entities derived from it get a sibling class.

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
