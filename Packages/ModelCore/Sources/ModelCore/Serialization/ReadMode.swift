/// The mode in which values of a document are read: they are loaded, or they are edits.
///
/// ```swift
/// try person.read(["name": "Ada"], as: .edit)
/// assert(person.name.isDirty)
/// ```
public enum ReadMode: Hashable, Sendable {
  /// The model gets the values of the source: fields are not dirty, and local changes are replaced.
  case load
  /// The values are local changes. Fields whose values differ are set and dirty; fields with equal values stay as they
  /// are. Objects whose identifier no live model has become new models.
  case edit
}
