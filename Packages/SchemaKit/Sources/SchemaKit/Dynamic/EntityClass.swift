@_spi(ModelKitInternals) import FieldKit
import ModelCore

/// The class of the models of one entity. Registries, stores and layouts tell types of models apart by their class, so every
/// entity needs one; and the types that can be made when the program runs are those of a generic class.
///
/// The tag is a number, written in the binary system as a type.
final class EntityClass<Tag>: DynamicModel {}

private enum Ones<Higher> {}
private enum Zeros<Higher> {}
private enum Highest {}

enum EntityClasses {
  private static let count = Lock(0)
  private static let entities = ClassTable<DynamicEntity>(bucketCount: 1_024)

  /// Makes a class that no other entity has. It stays for ever, as classes do.
  ///
  /// - Parameter parent: the class it is derived from.
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

  /// The entity of a class.
  static func entity(of modelClass: DynamicModel.Type) -> DynamicEntity? {
    entities[ObjectIdentifier(modelClass)]
  }
}
