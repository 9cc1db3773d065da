@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

// Embedded records and references in the body of a write.
extension RESTService {
  /// Checks that a body writes no hidden or protected field, including those of embedded records, and has no values of
  /// referenced records. Access rules would read such values instead of the stored ones.
  ///
  /// - Parameter model: the model that has read the body.
  /// - Throws: ``ServiceProblem`` with the status 422 and the paths.
  func checkNested(_ record: AttributeDictionary, of model: ModelObject) throws {
    var refused: [String: [String]] = [:]
    checkNested(record, of: [model], at: FieldPath(), &refused)
    if refused.isEmpty { return }
    var problem = ServiceProblem(422, "The record was not written: requests can't write some of its values.")
    problem.fields = refused
    throw problem
  }

  /// - Parameter models: models of each class that the record may have.
  private func checkNested(
    _ record: AttributeDictionary, of models: [ModelObject], at path: FieldPath, _ refused: inout [String: [String]]
  ) {
    var checked: Set<ObjectIdentifier> = []
    for model in models where checked.insert(ObjectIdentifier(type(of: model))).inserted {
      for key in hidden.keys(of: type(of: model)).union(protected.keys(of: type(of: model)))
      where value(of: key, in: record) != nil {
        refused[path.appending(FieldPath([.key(key)])).description] = ["can't be written"]
      }
      for field in model.fieldsForDictionaryValue() {
        guard let relation = field as? any RelationField, let key = field.key, let value = value(of: key, in: record)
        else { continue }
        let path = path.appending(FieldPath([.key(key)]))
        let related = models.flatMap { ($0.field(declaredAs: key) as? any RelationField)?.relatedModels ?? [] }
        let prototype = relation.relatedClass.init()
        for (index, element) in (value.arrayValue ?? [value]).enumerated() {
          guard case .object(let inner) = element else { continue }
          let path = relation.isToMany ? path.appending(FieldPath([.index(index)])) : path
          if !relation.isForeignKey {
            let keys = ([prototype] + related as [ModelObject]).flatMap {
              $0.fieldsForDictionaryValue().compactMap(\.key)
            }
            refuseUnknownKeys(of: inner, except: keys, prototype.storedTypeName, at: path, &refused)
            checkNested(inner, of: [prototype] + related, at: path, &refused)
          } else if inner.keys.contains(where: { $0 != prototype.identifierField?.key.map(context.key) }) {
            refused[path.description] = ["expected an identifier, found an object"]
          }
        }
      }
    }
  }

  /// Adds the keys of a record that no field has. Dots in the key of a field address nested objects.
  func refuseUnknownKeys(
    of record: AttributeDictionary, except keys: [String], _ typeName: String, at path: FieldPath,
    _ refused: inout [String: [String]]
  ) {
    func check(_ record: AttributeDictionary, _ known: [ArraySlice<Substring>], at path: FieldPath) {
      for (key, value) in record {
        let path = path.appending(FieldPath([.key(key)]))
        let inner = known.filter { $0.first.map(String.init) == key }.map { $0.dropFirst() }
        if inner.isEmpty {
          refused[path.description] = ["is not a field of \(typeName)"]
        } else if !inner.contains(where: \.isEmpty) {
          if case .object(let members) = value {
            check(members, inner, at: path)
          } else {
            refused[path.description] = ["expected an object, found \(value.typeDescription)"]
          }
        }
      }
    }
    check(record, keys.map { context.key($0).split(separator: ".")[...] }, at: path)
  }

  func value(of key: String, in record: AttributeDictionary) -> JSONValue? {
    var found: JSONValue? = .object(record)
    for part in context.key(key).split(separator: ".") { found = found?[String(part)] }
    return found
  }
}
