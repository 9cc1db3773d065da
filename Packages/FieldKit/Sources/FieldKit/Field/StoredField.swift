/// The part of a field that holds what is stored: the optional value. Make a ``Field``.
///
/// A class of its own, so that the end of a field finds the type of what it has to release in its own metadata. Looking
/// up the optional of the value's type at run time would cost as much as freeing the object.
@_documentation(visibility: internal)
open class StoredField<Stored>: AnyField {
  // Unchecked, here and for the states of a field: every access is one load or store in a method of the field, and none
  // lasts while code of a user runs, so there is no conflict that a check could find.
  @exclusivity(unchecked) @usableFromInline final var storage: Stored

  @inlinable
  init(_ stored: Stored, flags: FieldFlags) {
    storage = stored
    super.init(flags: flags)
  }
}
