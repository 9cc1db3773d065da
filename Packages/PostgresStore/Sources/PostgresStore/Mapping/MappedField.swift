#if Postgres
  import Foundation
  @_spi(ModelKitInternals) import ModelCore

  /// A field of a class whose models are in an existing table.
  struct MappedField: Sendable {
    /// The part that a field has in its model.
    enum Role {
      case identifier, value
      /// The identifiers of related models.
      case foreignKey
      /// A list that is known from the foreign keys of its members.
      case inverse
    }

    /// The key, as it is declared.
    let key: String
    /// The keys in records, outermost first.
    let path: [String]
    let form: ValueForm
    let role: Role
    /// Whether null stands for an unknown list.
    var isToMany = false

    /// Returns the fields that stores write.
    static func fields(of prototype: ModelObject, _ context: ValueTransformerContext) -> [MappedField] {
      prototype.fieldsForDictionaryValue().compactMap { field in
        guard let key = field.key else { return nil }
        let path = context.key(key).split(separator: ".").map { String($0) }
        guard let relation = field as? any RelationField else {
          return MappedField(
            key: key, path: path, form: ValueForm(field, context),
            role: field === prototype.identifierField ? .identifier : .value)
        }
        let related = context.prepared(relation.relatedClass.init())
        guard let identifier = related.identifierField else {
          return MappedField(key: key, path: path, form: .json, role: .value)
        }
        let form = relation.isForeignKey ? ValueForm(identifier, context) : .json
        let role: Role =
          isInverse(relation, related) ? .inverse : relation.isForeignKey ? .foreignKey : .value
        return MappedField(
          key: key, path: path, form: relation.isForeignKey && relation.isToMany ? .list(form) : form, role: role,
          isToMany: relation.isToMany && path.count == 1)
      }
    }

    private static func isInverse(_ relation: any RelationField, _ related: ModelObject) -> Bool {
      guard relation.isToMany, let inverse = relation.inverseField(on: related) else { return false }
      return inverse.isForeignKey && !inverse.isToMany
    }

    /// The names of columns that the field has without one that is named.
    var columnNames: [String] {
      let snake = SQLName.snake(key)
      return (role == .foreignKey ? [snake + "_id"] : []) + [key, snake]
    }
  }

  /// The form of the values of a field in records.
  indirect enum ValueForm: Equatable, Sendable {
    case text, uuid, integer, decimal, double, bool, date, day, data
    case list(ValueForm)
    /// Any JSON, such as that of a transformer.
    case json

    /// The form of the values of a field.
    init(_ field: AnyField, _ context: ValueTransformerContext) {
      if let list = field as? any ListField {
        self = list.isCodedByElement(in: context) ? .list(ValueForm(list.elementPrototype, context)) : .json
        return
      }
      func isPlain<Value>(_ type: Value.Type) -> Bool { (field as? Field<Value>)?.isPlain(in: context) == true }
      self = _openExistential(field.valueType, do: isPlain) ? ValueForm(field.valueType) : .json
    }

    private init(_ type: Any.Type) {
      switch type {
      case is String.Type, is URL.Type: self = .text
      case is UUID.Type: self = .uuid
      case is any FixedWidthInteger.Type: self = .integer
      case is Decimal.Type: self = .decimal
      case is Double.Type, is Float.Type: self = .double
      case is Bool.Type: self = .bool
      case is Date.Type: self = .date
      case is Day.Type: self = .day
      case is Data.Type: self = .data
      case let type as any RawRepresentable.Type:
        func raw<Value: RawRepresentable>(_ type: Value.Type) -> Any.Type { Value.RawValue.self }
        let raw = _openExistential(type, do: raw)
        self = raw == String.self ? .text : raw is any FixedWidthInteger.Type ? .integer : .json
      default: self = .json
      }
    }
  }

  extension ValueForm: CustomStringConvertible {
    /// The values, as errors name them.
    var description: String {
      switch self {
      case .text: "text"
      case .uuid: "UUIDs"
      case .integer: "integers"
      case .decimal: "decimal numbers"
      case .double: "floating-point numbers"
      case .bool: "true and false"
      case .date: "dates"
      case .day: "days"
      case .data: "bytes"
      case .list(let element): "lists of \(element)"
      case .json: "JSON"
      }
    }
  }
#endif
