@_spi(ModelKitInternals) public import FieldKit

/// The superclass of all models.
///
/// Declare a class as `: Model`, which combines this class with the protocol that has the functions of models. A class
/// that is only a `ModelObject` lacks them. Declare fields as constants, and override ``identifierField``:
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
/// Two models are equal when they are the same object. Within one ``ModelScope`` there is one object per identifier.
open class ModelObject: ObservationOwner {
  /// The layout of the fields of this class. Layouts are created once per class and never freed.
  private(set) unowned(unsafe) var layout: ModelLayout
  // The state that a store reads to check whether a live model is current comes first, close together. Models are
  // rarely in the processor's cache.

  /// The version of the store's record that the model was read from last.
  var readVersion: ReadVersion?
  /// Whether a store has the model: it was created there or read from there.
  var isStored = false
  /// Whether the model was deleted from a store and not created again since.
  var isDeleted = false
  var origin = ModelOrigin.new
  /// Whether declarations made outside the class, such as in a schema, were applied to the fields.
  var isPrepared = false
  /// Rarely used state.
  var details: ModelDetails?
  var modelLoadState: LoadState = .loaded
  /// The identity map that contains this model.
  var identityMap: IdentityMap?
  /// The identifier under which the model is registered in the identity map.
  var registeredIdentifier: RegisteredIdentifier?

  /// Creates a model without values, and makes it the owner of its fields.
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
    // The deinitialiser runs in any thread. The scope may access the model until this call: see `MemoryRegistry`.
    if let registeredIdentifier { identityMap?.noteEnd(of: self, registeredIdentifier) }
    layout.disownFields(of: self)
  }

  /// The field that identifies this model among others of its type; nil for models without identity.
  open var identifierField: AnyField? { nil }

  /// Returns the class to instantiate for a dictionary, for reading a hierarchy: `Shape.from(json:)` can return a
  /// `Circle`.
  ///
  /// If the result is nil, or not derived from this class, this class is instantiated.
  open class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? { nil }

  /// The name under which stores keep models of this type: the class name without the module. The name of a nested class
  /// begins with the types around it: `Library.Book`.
  ///
  /// Classes of one hierarchy share the name of the topmost one, and its ``instanceClass(for:)`` distinguishes them.
  /// Override the name to keep the data of a renamed class. Override it also to store two classes with the same name,
  /// which a store would otherwise reject.
  open class var typeName: String { ModelLayout.defaultTypeName(of: self) }

  /// Returns the fields that ``ModelIsolation/dictionaryValue`` and stores write, in order.
  ///
  /// Unless overridden, these are all fields except the relations that their inverse stores. The inverse of such a
  /// relation has foreign keys, and its models have an identifier field. A to-one relation is among them if its inverse
  /// is a to-one relation, too.
  open func fieldsForDictionaryValue() -> [AnyField] { recordFields }

  /// Validates conditions that rules of single fields can't express. Does nothing unless overridden.
  ///
  /// Called by ``ModelIsolation/validate()`` after the rules of the fields and of
  /// ``ModelIsolation/requireAll(_:blaming:code:message:test:)``. Report with ``ModelIsolation/addError(at:message:)``:
  ///
  /// ```swift
  /// override func validateModel() {
  ///   if card.value == nil, account.value == nil {
  ///     addError(at: "card", message: "or account is required")
  ///   }
  /// }
  /// ```
  open func validateModel() {}

  /// Called by a store before the model is validated and written.
  open func beforeSave() {}

  /// Called by a store after the model was created in it. Adopt ``ReadingHook`` for a call after reading.
  open func afterCreate() {}

  /// Called by a store after the model was updated in it.
  open func afterUpdate() {}

  /// Called by a store after the model was deleted from it. The model keeps its values and its identifier, so that it
  /// can be created again.
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
  /// - Throws: `EncodingError` with the coding path if a value can't be written.
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
  /// Returns the name of the property that holds a field of this model.
  public func propertyName(of field: AnyField) -> String? { layout.propertyName(of: field, in: self) }
}

/// The origin of a model's values.
enum ModelOrigin {
  /// Created by the app and not saved yet: its relations are complete as they are.
  case new
  /// Read, or saved in a store.
  case read
}
