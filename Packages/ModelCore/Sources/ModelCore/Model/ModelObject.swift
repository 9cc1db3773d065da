@_spi(ModelKitInternals) public import FieldKit

/// The superclass of all models. Declare a class as `: Model`, which is this class and the protocol that has the functions of
/// models: a class that is only a `ModelObject` lacks them. Declare fields as constants, and say which one identifies the
/// model:
///
/// ```swift
/// final class Person: Model {
///   let id = Field<Int>()
///   let name = Field<String>().require(.notBlank)
///   let tags = Field<String>()*
///   override var identifierField: AnyField? { id }
/// }
/// let person = Person()
/// person.name.value = "Ada"
/// ```
///
/// Two models are equal when they are the same object; within one ``ModelScope`` there is one object for one identifier.
open class ModelObject: ObservationOwner {
  /// Where the fields of this class lie. Layouts are made once per class and never freed.
  private(set) unowned(unsafe) var layout: ModelLayout
  // What a store looks at to find out whether a live model has to be read again comes first, close together: of many
  // models, hardly any is in the cache of the processor.

  /// Which state of a store the model was read from last.
  var storeMark: StoreMark?
  /// Whether a store has the model: it was created in one, or read from one.
  var isStored = false
  /// Whether a store has deleted the model, and none has created it again.
  var isDeleted = false
  var origin = ModelOrigin.new
  /// Whether what is known of the model besides its class was asked for its fields.
  var isPrepared = false
  /// What few models need.
  var details: ModelDetails?
  var modelLoadState: LoadState = .loaded
  /// The identity map this model is part of.
  var identityMap: IdentityMap?
  /// The identifier under which it is the one object there.
  var registeredIdentifier: RegisteredIdentifier?

  /// Creates a model without values. The fields learn here to whom they belong.
  public required init() {
    if let known = ModelLayout.known(for: Self.self) {
      layout = known
    } else {
      layout = .unknown
      layout = ModelLayout.build(from: self)
    }
    layout.adoptFields(of: self)
    if layout.initializesFields { initializeFields() }
  }

  deinit {
    // In whatever thread this is. The scope may look at the model until here: see `MemoryRegistry`.
    if let registeredIdentifier { identityMap?.noteEnd(of: self, registeredIdentifier) }
    layout.disownFields(of: self)
  }

  /// The field that tells this model from others of its type; nil for models without identity.
  open var identifierField: AnyField? { nil }

  /// The class to make from a dictionary, for reading a hierarchy: `Shape.from(json:)` can give a `Circle`.
  ///
  /// Nil, or a class that is not derived from this one, means this class itself.
  open class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? { nil }

  /// What stores call models of this class: its name without the module. Classes of one hierarchy share the name of the
  /// topmost one, and its ``instanceClass(for:)`` tells them apart.
  ///
  /// Override it to keep the data of a class that was renamed, and to tell classes of one name apart that a store keeps side
  /// by side: it refuses to mix them.
  open class var typeName: String { ModelLayout.defaultTypeName(of: self) }

  /// The fields that ``ModelIsolation/dictionaryValue`` and stores write, in order. All fields unless overridden.
  open func fieldsForDictionaryValue() -> [AnyField] { allFields }

  /// Checks what the rules of single fields can't say. Does nothing unless overridden.
  ///
  /// Called by ``ModelIsolation/validate()`` after the rules of the fields and of
  /// ``ModelIsolation/requireAll(_:blaming:code:message:test:)``. Report with ``ModelIsolation/addError(at:message:)``:
  ///
  /// ```swift
  /// override func validateModel() {
  ///   if card.value == nil, account.value == nil { addError(at: "card", message: "or account is required") }
  /// }
  /// ```
  open func validateModel() {}

  /// Called by a store before the model is validated and written.
  open func beforeSave() {}

  /// Called by a store after the model was created in it.
  open func afterCreate() {}

  /// Called by a store after the model was updated in it.
  open func afterUpdate() {}

  /// Called by a store after the model was deleted from it.
  open func afterDelete() {}
}

extension ModelObject: Hashable {
  /// Two models are equal when they are the same object.
  public static func == (left: ModelObject, right: ModelObject) -> Bool { left === right }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// The identity of the object, so that `ForEach(people)` works beside a field called `id`.
extension ModelObject: Identifiable {}

extension ModelObject: Encodable {
  /// Writes the model as ``ModelIsolation/dictionaryValue`` does, for any encoder.
  ///
  /// - Throws: `EncodingError` if a value can't be written; it says where.
  public func encode(to encoder: any Encoder) throws {
    do {
      try JSONValue.object(encodedDictionary(in: memberScope)).encode(to: encoder)
    } catch let error as ModelEncodingError {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(codingPath: encoder.codingPath, debugDescription: error.description))
    }
  }
}

@_spi(ModelKitInternals)
extension ModelObject: FieldOwner {
  /// The name of the property that holds a field of this model.
  public func propertyName(of field: AnyField) -> String? { layout.propertyName(of: field, in: self) }
}

/// Where the values of a model come from.
enum ModelOrigin {
  /// Made by the app and not saved yet: what it knows of its relations is all there is.
  case new
  /// Read, or saved in a store.
  case read
}
