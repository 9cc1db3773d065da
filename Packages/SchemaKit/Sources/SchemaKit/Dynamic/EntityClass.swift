@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The class of the models of one entity. Registries, stores and layouts identify a type of model by its class, so each
/// entity needs one. A generic class is the only way to make classes at run time.
///
/// The tag is a number in binary, encoded as a type.
final class EntityClass<Tag>: DynamicModel {}

private enum Ones<Higher> {}
private enum Zeros<Higher> {}
private enum Highest {}

enum EntityClasses {
  private static let count = Lock(0)
  private static let entities = ClassTable<DynamicEntity>(bucketCount: 1_024)

  /// Returns a new class for an entity. It exists until the process ends, as every class does.
  ///
  /// - Parameter parent: the superclass.
  static func makeClass(derivedFrom parent: DynamicModel.Type = DynamicModel.self) -> DynamicModel.Type {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return entityClass(number, Highest.self, parent)
  }

  private static func entityClass<Tag>(
    _ number: Int, _ tag: Tag.Type, _ parent: DynamicModel.Type
  ) -> DynamicModel.Type {
    if number == 0 { return parent.derivedClass(tag) }
    return number & 1 == 1
      ? entityClass(number >> 1, Ones<Tag>.self, parent) : entityClass(number >> 1, Zeros<Tag>.self, parent)
  }

  static func add(_ entity: DynamicEntity) {
    entities.add(entity, for: ObjectIdentifier(entity.modelClass))
  }

  /// Returns the entity of a class.
  static func entity(of modelClass: DynamicModel.Type) -> DynamicEntity? {
    entities[ObjectIdentifier(modelClass)]
  }
}
