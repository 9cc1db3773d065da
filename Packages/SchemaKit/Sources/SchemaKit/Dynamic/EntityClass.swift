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
  private struct State {
    var count = 0
    var entities: [ObjectIdentifier: DynamicEntity] = [:]
  }

  private static let state = Lock(State())

  /// Makes a class that no other entity has. It stays for ever, as classes do.
  static func makeClass() -> DynamicModel.Type {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    return entityClass(number, Highest.self)
  }

  private static func entityClass<Tag>(_ number: Int, _ tag: Tag.Type) -> DynamicModel.Type {
    if number == 0 { return EntityClass<Tag>.self }
    return number & 1 == 1 ? entityClass(number >> 1, Ones<Tag>.self) : entityClass(number >> 1, Zeros<Tag>.self)
  }

  static func add(_ entity: DynamicEntity) {
    let key = ObjectIdentifier(entity.modelClass)
    state.withLock { $0.entities[key] = entity }
  }

  /// The entity of a class.
  static func entity(of modelClass: DynamicModel.Type) -> DynamicEntity? {
    let key = ObjectIdentifier(modelClass)
    return state.withLock { $0.entities[key] }
  }
}
