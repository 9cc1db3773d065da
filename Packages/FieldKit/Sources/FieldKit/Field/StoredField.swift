/// The stored part of a field: the optional value. Create a ``Field``.
///
/// A class of its own, so that the deallocation of a field finds the type of its storage in its own metadata. Looking
/// up the optional type at run time would cost as much as freeing the object.
@_documentation(visibility: internal)
open class StoredField<Stored>: AnyField {
  // Unchecked, here and for the states of a field. Every access is one load or store in a method of the field, and none
  // lasts while code of a caller runs. So there is no conflict that a check could find.
  @exclusivity(unchecked) @usableFromInline final var storage: Stored

  @inlinable
  init(_ stored: Stored, flags: FieldFlags) {
    storage = stored
    super.init(flags: flags)
  }
}
