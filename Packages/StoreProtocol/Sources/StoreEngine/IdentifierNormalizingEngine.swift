/// An engine that finds a record by other spellings of its identifier, such as 1.50 and 1.5 for a number of a database.
/// The identifier in the value of a record can be spelled differently.
@_spi(ModelKitInternals)
public protocol IdentifierNormalizingEngine: RecordEngine {}
