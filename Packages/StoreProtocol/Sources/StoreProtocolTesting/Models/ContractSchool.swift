public import StoreProtocol

/// A model whose list and its inverse are both written as identifiers.
///
/// ```swift
/// course.students.add(student)
/// ```
public final class ContractCourse: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// A title.
  public let title = Field<String>()
  /// Written as identifiers.
  public let students: ModelArrayField<ContractStudent> = ModelField(foreignKey: true)*

  /// The integer.
  public override var identifierField: AnyField? { id }
}

/// A member of any number of courses.
///
/// ```swift
/// student.courses.add(course)
/// ```
public final class ContractStudent: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written as identifiers.
  public let courses = ModelField<ContractCourse>(foreignKey: true, inverse: \.students)*

  /// The integer.
  public override var identifierField: AnyField? { id }
}
