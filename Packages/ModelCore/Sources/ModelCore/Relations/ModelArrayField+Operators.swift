/// Creates a to-many relation from a description of a member: `let employees = ModelField<Person>()*`.
public postfix func * <Related: Model>(member: ModelField<Related>) -> ModelArrayField<Related> {
  ModelArrayField(member)
}

/// Creates a to-many relation from a description of a member: `let employees = *ModelField<Person>()`.
public prefix func * <Related: Model>(member: ModelField<Related>) -> ModelArrayField<Related> {
  ModelArrayField(member)
}
